#include <algorithm>
#include <cmath>
#include <sstream>

#include "db_bench_ext/disk/disk.h"
#include "db_bench_ext/support/cells.h"

namespace bloomline::bench::disk {
namespace {

std::string MiB(uint64_t bytes) {
  return NumberText(static_cast<double>(bytes) / (1 << 20), 1) + " MiB";
}

std::string Title(const Regime& regime, const Results& results) {
  const auto of_layout = [&](const BuiltDatabase& one) { return one.layout == regime.layout; };
  const auto found = std::find_if(results.databases.begin(), results.databases.end(), of_layout);
  const double part = 100.0 * static_cast<double>(regime.cache_bytes) /
                      static_cast<double>(found->summary.all.data_bytes);
  return std::string(regime.layout.name) + " filters, cache of " + MiB(regime.cache_bytes) + " (" +
         NumberText(regime.cache_factor, 1) + " times built-in Bloom's filters, " +
         NumberText(part, 1) + " % of the data)";
}

std::vector<Regime> RegimesIn(const Results& results) {
  std::vector<Regime> regimes;
  for (const Measured& cell : results.cells) {
    if (regimes.empty() || !(regimes.back() == cell.regime)) regimes.push_back(cell.regime);
  }
  return regimes;
}

std::string Range(const Spread& spread) {
  return std::isnan(spread.median) ? "-"
                                   : NumberText(spread.min, 2) + "-" + NumberText(spread.max, 2);
}

std::string WithHead(const std::string& title, const std::vector<Cells>& rows, size_t num_left) {
  return title + "\n" + cli::TextTable(rows, num_left) + "\n";
}

}  // namespace

std::string Legend(const Plan& plan, const Results& results) {
  const DatabaseSummary& summary = results.databases.front().summary;
  std::ostringstream out;
  out << "disk        direct reads of 4 KiB take " << NumberText(results.disk_read_us, 0)
      << " us (median)\n"
      << "databases   " << cli::CountText(summary.all.num_keys) << " keys of " << kDecimalBytes
      << " bytes in levels 1 to " << kNumLevels << ", " << cli::CountText(plan.keys_of_top_level)
      << " in level 1 and " << kLevelSizeRatio << " times as many in\n"
      << "            each further one, every key in one level; values of " << kValueBytes
      << " bytes; data " << MiB(summary.all.data_bytes) << ", index\n"
      << "            " << MiB(summary.all.index_bytes)
      << "; not compressed; files of 64 MiB. CompactFiles wrote each level; no other\n"
         "            compaction ran, and the levels were checked afterwards\n"
         "reading     use_direct_reads, blocks of 4 KiB, LRU block cache with one shard, the same\n"
         "            capacity for every policy; cache_index_and_filter_blocks with high "
         "priority;\n"
         "            pinned are only the top levels of partitioned filters and indexes\n"
         "missing     odd numbers, next to stored ones and within their range\n"
         "zipf        probability of a key 1/rank^0.99; the ranks are spread over all keys\n"
         "mixed       half of the Gets for stored keys, half for missing ones\n"
         "policies    10 bits per key, but builtin-ribbon and compact-same-fpr take what the\n"
         "            false-positive rate of Bloom at 10 bits takes; builtin-ribbon-10bits takes\n"
         "            as much memory as Bloom\n"
         "wasted      reads per Get of a missing key: files whose filter has a false positive (if "
         "a\n"
         "            level has no filter: data blocks). model: the sum over the levels of the "
         "rate that the\n"
         "            policy promises\n"
         "kops/s      thousands of keys per second, median of "
      << plan.rounds << " rounds of up to " << NumberText(plan.run_seconds, 2)
      << " s; policies in\n"
         "            alternation with the same queries. x Bloom: as a multiple of built-in\n"
         "            Bloom's in the same round, median and range; x Ribbon: median\n"
         "reads/Get   blocks read from the disk per key, in the same runs; cache: hit rate of\n"
         "            blocks of all kinds\n"
         "p50, p99    microseconds\n";
  return out.str();
}

std::string DatabaseTables(const Plan& plan, const Results& results) {
  std::string text;
  for (const Layout& layout : plan.layouts) {
    std::vector<Cells> rows = {
        {"policy", "bits/key", "level", "level", "level", "level", "level", "filters", "wasted",
         "wasted", "of", "of Bloom's", "write"},
        {"", "", "1", "2", "3", "4", "5", "KiB", "model", "measured", "model", "", "s"}};
    double bloom = NAN;
    for (const BuiltDatabase& one : results.databases) {
      if (one.layout == layout && one.policy.name == kBuiltinBloom) bloom = one.Waste();
    }
    for (const BuiltDatabase& one : results.databases) {
      if (!(one.layout == layout)) continue;
      Cells row = {one.policy.name, NumberText(one.summary.all.FilterBitsPerKey(), 2)};
      for (const FileSums& level : one.summary.levels)
        row.push_back(NumberText(level.FilterBitsPerKey(), 1));
      row.push_back(NumberText(static_cast<double>(one.summary.all.filter_bytes) / 1024, 0));
      row.push_back(NumberText(one.ModelWaste(), 5));
      row.push_back(Cell(one.Waste(), 5));
      row.push_back(Cell(one.Waste() / one.ModelWaste(), 2));
      row.push_back(Cell(one.Waste() / bloom, 3));
      row.push_back(NumberText(one.seconds, 1));
      rows.push_back(std::move(row));
    }
    text += WithHead(std::string(layout.name) + " filters", rows, 1);
  }
  return text;
}

std::string RegimeTables(const Plan& plan, const Results& results) {
  std::string text;
  for (const Regime& regime : RegimesIn(results)) {
    std::vector<Cells> rows = {{"workload", "policy", "kops/s", "x Bloom", "(range)", "x Ribbon",
                                "p50", "p99", "reads/Get", "data", "index", "filter", "cache %"}};
    for (const Workload& workload : plan.workloads) {
      for (const Policy& policy : plan.policies) {
        const Measured* cell = results.Find(regime, workload, policy.name);
        if (cell == nullptr) continue;
        const Counts& counts = cell->counts;
        const Spread bloom = SpreadOf(results.Ratios(*cell, kBuiltinBloom));
        const Spread ribbon = SpreadOf(results.Ratios(*cell, kBuiltinRibbon));
        rows.push_back({&policy == &plan.policies.front() ? workload.name : "", policy.name,
                        NumberText(Median(cell->ops_per_second) / 1000, 1), Cell(bloom.median, 2),
                        Range(bloom), Cell(ribbon.median, 2), NumberText(cell->Percentile(0.5), 1),
                        NumberText(cell->Percentile(0.99), 1),
                        NumberText(counts.PerGet(counts.blocks.Reads()), 4),
                        NumberText(counts.PerGet(counts.blocks.data_reads), 4),
                        NumberText(counts.PerGet(counts.blocks.index_reads), 4),
                        NumberText(counts.PerGet(counts.blocks.filter_reads), 4),
                        NumberText(100 * counts.CacheHitRate(), 1)});
      }
    }
    text += WithHead(Title(regime, results), rows, 2);
  }
  return text;
}

std::string Csv(const Results& results) {
  std::ostringstream out;
  out << "filters,cache_bytes,cache_times_bloom_filters,workload,policy,"
         "ops_per_second_median,ops_per_second_min,ops_per_second_max,times_bloom_median,"
         "times_bloom_min,times_bloom_max,times_ribbon_median,times_ribbon_min,times_ribbon_max,"
         "p50_us,p99_us,data_reads_per_get,index_reads_per_get,filter_reads_per_get,"
         "cache_hit_rate,filter_positives_per_get,gets,wrong_answers\n";
  for (const Measured& cell : results.cells) {
    const Counts& counts = cell.counts;
    out << cell.regime.layout.name << ',' << cell.regime.cache_bytes << ','
        << NumberText(cell.regime.cache_factor, 2) << ',' << cell.workload.name << ','
        << cell.policy.name << ',' << CsvCells(SpreadOf(cell.ops_per_second), 0) << ','
        << CsvCells(SpreadOf(results.Ratios(cell, kBuiltinBloom)), 4) << ','
        << CsvCells(SpreadOf(results.Ratios(cell, kBuiltinRibbon)), 4) << ','
        << NumberText(cell.Percentile(0.5), 3) << ',' << NumberText(cell.Percentile(0.99), 3) << ','
        << NumberText(counts.PerGet(counts.blocks.data_reads), 6) << ','
        << NumberText(counts.PerGet(counts.blocks.index_reads), 6) << ','
        << NumberText(counts.PerGet(counts.blocks.filter_reads), 6) << ','
        << NumberText(counts.CacheHitRate(), 6) << ','
        << NumberText(counts.PerGet(counts.blocks.filter_positives), 6) << ',' << counts.gets << ','
        << counts.wrong_answers << '\n';
  }
  return out.str();
}

std::string LevelsCsv(const Results& results) {
  std::ostringstream out;
  out << "filters,policy,filter_policy,level,files,keys,filter_bytes,bits_per_key,model_rate,"
         "model_wasted_reads_of_all_levels,wasted_reads_of_all_levels,missing_keys_queried\n";
  for (const BuiltDatabase& one : results.databases) {
    for (size_t i = 0; i < kNumLevels; ++i) {
      const FileSums& level = one.summary.levels[i];
      out << one.layout.name << ',' << one.policy.name << ',' << one.policy.FilterPolicy() << ','
          << i + 1 << ',' << level.num_files << ',' << level.num_keys << ',' << level.filter_bytes
          << ',' << NumberText(level.FilterBitsPerKey(), 4) << ','
          << NumberText(one.model_rates[i], 8) << ',' << NumberText(one.ModelWaste(), 8) << ','
          << CsvCell(one.Waste(), 8) << ',' << one.missing.gets << '\n';
    }
  }
  return out.str();
}

}  // namespace bloomline::bench::disk

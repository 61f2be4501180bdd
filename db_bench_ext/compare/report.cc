#include <cmath>
#include <sstream>

#include "db_bench_ext/compare/compare.h"
#include "db_bench_ext/support/cells.h"

namespace bloomline::bench::compare {
namespace {

double Fpr(const Result& result, const MissingResult& missing) {
  return result.policy.HasFilter() ? missing.PerGet(missing.counts.filter_positives) : NAN;
}

Cells TableRow(const Result& r) {
  const bool filtered = r.policy.HasFilter();
  return {r.key_set,
          r.policy.name,
          filtered ? NumberText(r.KeysPerFilter(), r.KeysPerFilter() < 1000 ? 1 : 0) : "-",
          filtered ? NumberText(static_cast<double>(r.filters.block_bytes) / 1024, 0) : "-",
          filtered ? NumberText(r.BitsPerKey(r.filters.block_bytes), 2) : "-",
          filtered ? NumberText(r.BitsPerKey(r.filters.filter_bytes), 2) : "-",
          Cell(100 * r.theory_fpr, 3),
          Cell(100 * Fpr(r, r.near), 3),
          Cell(100 * Fpr(r, r.far), 3),
          NumberText(r.near.PerGet(r.near.counts.data_reads), 4),
          NumberText(r.far.PerGet(r.far.counts.data_reads), 4),
          NumberText(r.load_seconds + r.compact_seconds, 2),
          NumberText(r.hit_us.median, 2),
          NumberText(r.miss_near_us.median, 2),
          NumberText(r.miss_far_us.median, 2),
          std::to_string(r.wrong_answers)};
}

}  // namespace

std::string Legend() {
  return R"(near        missing keys adjacent to stored ones; far: missing keys elsewhere, from
            ranges (counters) or rows (paths) that were not loaded
filters     KiB and bits per key of the filter blocks as written in the SSTables; "bare" is
            without LevelDB's own array of filter offsets, the same for every policy
FPR         false-positive rate: fraction of the missing keys that the filter says may match
reads/Get   data blocks read per Get of a missing key; RocksDB reads two if the key falls
            between them
us          microseconds per Get: median of the rounds, policies in alternation in one
            process; the page cache serves the block reads, so a read that a filter avoids
            is as cheap as it can be here
load s      all rows in random order, then full compaction
)";
}

std::string Table(const Engine& engine, const std::vector<Result>& results) {
  std::vector<Cells> rows = {
      {"keys", "policy", "keys/", "filters", "bits/", "bare", "FPR %", "FPR %", "FPR %",
       "reads/Get", "reads/Get", "load", "hit", "miss us", "miss us", "wrong"},
      {"", "", "filter", "KiB", "key", "b/key", "theory", "near", "far", "near", "far", "s", "us",
       "near", "far", "answers"}};
  std::ostringstream title;
  title << engine.title;
  std::string last_key_set;
  for (const Result& result : results) {
    if (result.engine != engine.name) continue;
    if (last_key_set.empty()) title << ", " << result.bits_per_key << " bits per key requested";
    Cells row = TableRow(result);
    if (result.key_set == last_key_set) row[0].clear();
    last_key_set = result.key_set;
    rows.push_back(std::move(row));
  }
  return title.str() + "\n" + cli::TextTable(rows, 2);
}

std::string Csv(const std::vector<Result>& results) {
  std::ostringstream out;
  out << "engine,keys,policy,requested_bits_per_key,rows,keys_per_filter,filter_block_bytes,"
         "filter_block_bits_per_key,filter_bits_per_key,theory_fpr,near_fpr,far_fpr,"
         "near_missing_keys,far_missing_keys,near_data_block_reads_per_get,"
         "far_data_block_reads_per_get,load_seconds,compact_seconds,hit_us_median,hit_us_min,"
         "hit_us_max,near_miss_us_median,near_miss_us_min,near_miss_us_max,far_miss_us_median,"
         "far_miss_us_min,far_miss_us_max,wrong_answers\n";
  for (const Result& r : results) {
    out << r.engine << ',' << r.key_set << ',' << r.policy.name << ',' << r.bits_per_key << ','
        << r.rows << ',' << (r.policy.HasFilter() ? NumberText(r.KeysPerFilter(), 2) : "") << ','
        << r.filters.block_bytes << ',' << NumberText(r.BitsPerKey(r.filters.block_bytes), 4) << ','
        << NumberText(r.BitsPerKey(r.filters.filter_bytes), 4) << ',' << CsvCell(r.theory_fpr, 8)
        << ',' << CsvCell(Fpr(r, r.near), 8) << ',' << CsvCell(Fpr(r, r.far), 8) << ','
        << r.near.num_queries << ',' << r.far.num_queries << ','
        << NumberText(r.near.PerGet(r.near.counts.data_reads), 8) << ','
        << NumberText(r.far.PerGet(r.far.counts.data_reads), 8) << ','
        << NumberText(r.load_seconds, 4) << ',' << NumberText(r.compact_seconds, 4) << ','
        << CsvCells(r.hit_us, 4) << ',' << CsvCells(r.miss_near_us, 4) << ','
        << CsvCells(r.miss_far_us, 4) << ',' << r.wrong_answers << '\n';
  }
  return out.str();
}

}  // namespace bloomline::bench::compare

// Compares scans in RocksDB databases: without filters for ranges, with RocksDB's prefix filter,
// and with bloomline's.
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/ranges/query_filters.h"
#include "db_bench_ext/ranges/real_lists.h"
#include "db_bench_ext/ranges/shapes.h"
#include "db_bench_ext/support/cells.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench::ranges {
namespace {

constexpr size_t kValueBytes = 100;
constexpr double kBitsPerKey = 10;

struct Flags {
  bool quick = false;
  uint64_t keys = 2000000;
  uint64_t scans = 20000;
  int rounds = 3;
  std::string out;
  std::string db_directory;
  std::string key_list;
  std::set<std::string> shapes;  // empty: all
};

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  CLI::App app(
      "Compares scans of empty, short and long ranges in RocksDB databases of twelve shapes of "
      "keys,\n"
      "with bloomline's filters for ranges and without, and with RocksDB's own prefix filter of\n"
      "the best length. Exit status 1 if a scan found other keys than without filters.",
      "db_bench_ext/run_ranges");
  AddQuick(&app, &flags.quick, "100,000 keys, 2,000 scans, one round");
  app.add_option("--keys", flags.keys, "keys in each database (default: 2000000)")
      ->check(CLI::Range(20000, 1000000000));
  app.add_option("--scans", flags.scans, "scans of each kind in a round (default: 20000)")
      ->check(CLI::Range(100, 100000000));
  AddRounds(&app, &flags.rounds, "rounds", "3");
  app.add_option("--shapes", flags.shapes, "only these, as in items,paths (default: all)")
      ->delimiter(',');
  AddOut(&app, &flags.out, "ranges.csv and ranges.txt");
  app.add_option("--key-list", flags.key_list)->group("");  // run_ranges gives it
  AddDbDirectory(&app, &flags.db_directory, "for the databases (default: the folder of --out)");
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (flags.db_directory.empty()) flags.db_directory = flags.out;
  if (flags.quick) {
    flags.keys = std::min<uint64_t>(flags.keys, 100000);
    flags.scans = std::min<uint64_t>(flags.scans, 2000);
    flags.rounds = 1;
  }
  return flags;
}

struct Subject {
  const char* name;
  const char* description;
  Filter filter;
  bool has_prefixes = false;
  bool has_ranges = false;
  bool is_same_database = false;  // as that of the subject before
  bool has_query_filters = false;
};

constexpr Subject kSubjects[] = {
    {"bloom", "RocksDB's Bloom filter, total order", Filter::kBloom},
    {"bloom-prefix", "the same with a fixed prefix, auto_prefix_mode", Filter::kBloom, true},
    {"compact", "bloomline's compact, total order", Filter::kCompact},
    {"compact-ranges", "the same with range_prefixes=auto", Filter::kCompact, true, true},
    {"ranges-off", "the same files as compact-ranges, total order", Filter::kCompact, false, true,
     true},
    {"minmax", "as bloom, with RocksDB's SstQueryFilterConfigs of two parts", Filter::kBloom, false,
     false, false, true},
};

// What a subject showed with one shape of keys.
struct Result {
  const Shape* shape;
  const Subject* subject;
  double build_seconds = 0;
  double filter_bits_per_key = 0;
  double get_us = 0;
  struct Scans {
    double us = 0;
    double blocks = 0;
    uint64_t num_found = 0;
    uint64_t checksum = 0;  // of the keys found
  };
  std::map<RangeKind, Scans> scans;
};

class Database {
 public:
  Database(const Shape& shape, const Subject& subject, const Flags& flags)
      : shape_(shape), flags_(flags), folder_(flags.db_directory) {
    const uint64_t data_bytes = flags.keys * (kValueBytes + 20);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    // Four levels, each ten times as large as the one above it.
    options.max_bytes_for_level_base = std::max<uint64_t>(data_bytes / 1000, 128 << 10);
    options.max_bytes_for_level_multiplier = 10;
    options.write_buffer_size = options.max_bytes_for_level_base / 2;
    options.target_file_size_base = std::max<uint64_t>(data_bytes / 64, 256 << 10);
    options.level_compaction_dynamic_level_bytes = false;
    options.max_open_files = -1;
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(2 * data_bytes + (64 << 20));
    table.filter_policy =
        NewRocksDBPolicy({subject.name, subject.filter, kBitsPerKey, false, subject.has_ranges});
    if (subject.has_query_filters) {
      query_filters_.emplace(shape.prefix_bytes);
      query_filters_->AddTo(&options);
    }
    if (subject.has_ranges) {
      options.prefix_extractor = NewRangeExtractor();
    } else if (subject.has_prefixes) {
      options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(shape.prefix_bytes));
    }
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    db_ = OpenRocksDB(options, folder_.path());
  }

  // Writes the keys, so that all levels have some.
  double Build() {
    return SecondsOf([&] {
      std::vector<uint32_t> order(flags_.keys);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
      if (shape_.order != 0) {
        const auto time = [&](uint32_t index) { return index % shape_.order; };
        std::sort(order.begin(), order.end(),
                  [&](uint32_t a, uint32_t b) { return time(a) < time(b); });
      }
      rocksdb::WriteOptions options;
      options.disableWAL = true;
      const std::string value(kValueBytes, 'v');
      for (const uint32_t index : order) Check(db_->Put(options, shape_.key(index), value));
      Check(db_->Flush({}));
      // Else level 0 has some files by chance, each of which is one more to search.
      Check(db_->SetOptions({{"level0_file_num_compaction_trigger", "1"}}));
      uint64_t busy = 1;
      while (busy != 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        busy = 0;
        for (const char* name : {"rocksdb.compaction-pending", "rocksdb.num-running-compactions"}) {
          uint64_t number = 0;
          db_->GetIntProperty(name, &number);
          busy += number;
        }
      }
    });
  }

  double FilterBitsPerKey() { return SumsOfFiles(db_.get()).FilterBitsPerKey(); }

  // has_prefixes: filters may be asked for the range.
  Result::Scans Scan(RangeKind kind, int round, bool has_prefixes) {
    Result::Scans scans;
    std::mt19937_64 random(static_cast<uint64_t>(round));
    std::vector<Range> ranges;
    for (uint64_t i = 0; i < flags_.scans; ++i) {
      ranges.push_back(shape_.range(kind, flags_.keys, random()));
    }
    StartCounting();
    const double seconds = SecondsOf([&] {
      for (const Range& range : ranges) {
        rocksdb::ReadOptions options;
        const rocksdb::Slice end(range.end);
        options.iterate_upper_bound = &end;
        options.auto_prefix_mode = has_prefixes;
        options.total_order_seek = !has_prefixes;
        if (query_filters_) query_filters_->AddTo(range, &options);
        const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options));
        for (iterator->Seek(range.begin); iterator->Valid(); iterator->Next()) {
          ++scans.num_found;
          scans.checksum += Mix(scans.num_found + static_cast<unsigned char>(
                                                      iterator->key()[iterator->key().size() - 1]));
        }
        Check(iterator->status());
      }
    });
    const BlockCounts counts = StopCounting();
    const auto num_scans = static_cast<double>(ranges.size());
    scans.us = seconds / num_scans * 1e6;
    scans.blocks = static_cast<double>(counts.cache_hits + counts.Reads()) / num_scans;
    return scans;
  }

  // Half of the keys are stored.
  double GetMicroseconds(int round) {
    std::mt19937_64 random(static_cast<uint64_t>(round));
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < flags_.scans; ++i) {
      keys.push_back(shape_.key(random() % flags_.keys));
      if (i % 2 == 0) keys.back() += "absent";
    }
    uint64_t num_found = 0;
    const double seconds = SecondsOf([&] {
      std::string value;
      for (const std::string& key : keys) num_found += db_->Get({}, key, &value).ok() ? 1 : 0;
    });
    if (num_found != keys.size() / 2) throw std::runtime_error("a Get lost a key");
    return seconds / static_cast<double>(keys.size()) * 1e6;
  }

 private:
  const Shape& shape_;
  const Flags& flags_;
  const TemporaryDirectory folder_;
  std::optional<QueryFilters> query_filters_;
  std::unique_ptr<rocksdb::DB> db_;
};

// All subjects get the same scans. In a round they take turns, because the clock of a shared
// machine changes.
std::vector<Result> Measure(const Shape& shape, const Flags& flags) {
  std::vector<Result> results;
  std::vector<std::shared_ptr<Database>> databases;
  for (const Subject& subject : kSubjects) {
    if (subject.has_query_filters && !QueryFilters::Exist()) continue;
    Result result;
    result.shape = &shape;
    result.subject = &subject;
    if (subject.is_same_database) {
      databases.push_back(databases.back());
      result.build_seconds = results.back().build_seconds;
    } else {
      databases.push_back(std::make_shared<Database>(shape, subject, flags));
      result.build_seconds = databases.back()->Build();
    }
    result.filter_bits_per_key = databases.back()->FilterBitsPerKey();
    for (const RangeKind kind : kRangeKinds)
      databases.back()->Scan(kind, 0, false);  // fills the cache
    results.push_back(std::move(result));
  }
  const size_t n = results.size();
  const auto get_us = InTurns(flags.rounds, n, [&](int round, size_t i) {
    // Right after another one on the same files, it finds them in the processor's cache.
    return results[i].subject->is_same_database ? NAN : databases[i]->GetMicroseconds(round + 1);
  });
  for (size_t i = 0; i < n; ++i)
    results[i].get_us = Median(get_us[results[i].subject->is_same_database ? i - 1 : i]);
  for (const RangeKind kind : kRangeKinds) {
    const auto scans = InTurns(flags.rounds, n, [&](int round, size_t i) {
      return databases[i]->Scan(kind, round + 1, results[i].subject->has_prefixes);
    });
    for (size_t i = 0; i < n; ++i) {
      Result::Scans& all = results[i].scans[kind];
      all.us = Median(Each(scans[i], &Result::Scans::us));
      all.blocks = Median(Each(scans[i], &Result::Scans::blocks));
      for (const Result::Scans& of_round : scans[i]) {
        all.num_found += of_round.num_found;
        all.checksum += of_round.checksum;
      }
    }
  }
  return results;
}

// Scans that found other keys than those of the first subject.
uint64_t NumWrong(const Result& result, const Result& first) {
  uint64_t num_wrong = 0;
  for (const auto& [kind, scans] : result.scans) {
    const Result::Scans& right = first.scans.at(kind);
    const bool is_wrong = scans.num_found != right.num_found || scans.checksum != right.checksum ||
                          (kind == RangeKind::kEmpty) != (scans.num_found == 0);
    num_wrong += is_wrong ? 1 : 0;
  }
  return num_wrong;
}

std::string Table(const std::vector<Result>& results) {
  std::vector<Cells> rows = {{"subject", "build s", "bits/key", "Get us"}};
  for (const RangeKind kind : kRangeKinds) {
    rows[0].push_back(std::string(RangeKindName(kind)) + " us");
    rows[0].push_back("blocks");
  }
  for (const Result& result : results) {
    rows.push_back({result.subject->name, Cell(result.build_seconds, 1),
                    Cell(result.filter_bits_per_key, 2), Cell(result.get_us, 2)});
    for (const auto& [kind, scans] : result.scans) {
      rows.back().push_back(Cell(scans.us, 1));
      rows.back().push_back(Cell(scans.blocks, 3));
    }
  }
  const Shape& shape = *results.front().shape;
  return std::string(shape.name) + ": " + shape.description + "\n" + cli::TextTable(rows, 1) + "\n";
}

std::string Csv(const std::vector<Result>& results) {
  std::string csv =
      "shape,subject,build_seconds,filter_bits_per_key,get_us,range,scan_us,blocks_per_scan,"
      "found\n";
  for (const Result& result : results) {
    for (const auto& [kind, scans] : result.scans) {
      csv += std::string(result.shape->name) + "," + result.subject->name + "," +
             CsvCell(result.build_seconds, 3) + "," + CsvCell(result.filter_bits_per_key, 4) + "," +
             CsvCell(result.get_us, 4) + "," + RangeKindName(kind) + "," + CsvCell(scans.us, 4) +
             "," + CsvCell(scans.blocks, 5) + "," + std::to_string(scans.num_found) + "\n";
    }
  }
  return csv;
}

int Run(const Flags& flags) {
  CatchInterrupts();
  std::filesystem::create_directories(flags.out);
  Output output;
  output.Print(DescribeEnvironment() + LoadWarning() + "\n");
  std::string legend = "keys       " + cli::CountText(flags.keys) + ", values of " +
                       std::to_string(kValueBytes) + " bytes, all blocks in the block cache\n";
  for (const Subject& subject : kSubjects) {
    if (subject.has_query_filters && !QueryFilters::Exist()) {
      legend += std::string(subject.name) + " is not compared: it needs RocksDB 9.10 or later\n";
      continue;
    }
    legend += std::string(subject.name) + std::string(16 - std::string(subject.name).size(), ' ') +
              subject.description + "\n";
  }
  output.Print(
      legend +
      "us, blocks      of a scan, with its iterator: time, and blocks of data and indexes\n"
      "                that it touched; median of the rounds. Get: half of the keys stored\n"
      "build           writing all keys, until no compaction runs\n\n");
  std::vector<Result> results;
  uint64_t num_wrong = 0;
  FileListPath() = flags.key_list;
  std::vector<Shape> shapes = Shapes();
  const std::vector<Shape> lists = RealLists();
  shapes.insert(shapes.end(), lists.begin(), lists.end());
  for (const Shape& shape : shapes) {
    if (!flags.shapes.empty() && flags.shapes.count(shape.name) == 0) continue;
    Flags of_list = flags;
    if (shape.max_keys != nullptr) of_list.keys = std::min(flags.keys, shape.max_keys());
    const std::vector<Result> of_shape = Measure(shape, of_list);
    for (const Result& result : of_shape) num_wrong += NumWrong(result, of_shape.front());
    output.Print(Table(of_shape));
    results.insert(results.end(), of_shape.begin(), of_shape.end());
  }
  return Finish(&output, num_wrong, flags.out, "ranges", {{"ranges.csv", Csv(results)}});
}

}  // namespace
}  // namespace bloomline::bench::ranges

int bloomline::bench::Ranges(int argc, char** argv) {
  return Main("ranges", argc, argv, ranges::ParseFlags, ranges::Run);
}

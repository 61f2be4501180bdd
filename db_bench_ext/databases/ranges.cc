// Scans in RocksDB databases: without filters for ranges, with RocksDB's prefix filter, and with
// bloomline's.
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb_range_filter.h"
#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/range_shapes.h"
#include "db_bench_ext/databases/rocksdb_database.h"
#include "db_bench_ext/support/keys.h"
#include "src/filter/ranges/range_property.h"

namespace bloomline::bench {
namespace ranges {
namespace {

constexpr size_t kValueBytes = 100;
constexpr double kBitsPerKey = 10;
constexpr double kLevelSizeRatio = 10;

enum class Files {
  kOwn,
  kShared,   // those of bloom-ranges
  kLearned,  // written with the RangeFilter of bloom-ranges, after scans of that database
};

constexpr char kRangesSubject[] = "bloom-ranges";
constexpr char kBaseSubject[] = "bloom";  // kRangesSubject without ranges

// The filters that scans ask.
enum class Asked { kNone, kPrefixes, kRanges };

struct Subject {
  std::string name;
  const char* description;
  Policy policy;
  Asked asked = Asked::kNone;
  Files files = Files::kOwn;
};

std::vector<Subject> Subjects() {
  const Policy bloom = BuiltinBloom(kBitsPerKey);
  return {
      {kBaseSubject, "RocksDB's Bloom filter, total order", bloom},
      {"bloom-prefix", "the same with a fixed prefix, auto_prefix_mode", bloom, Asked::kPrefixes},
      {kRangesSubject, "bloom with a RangeFilter, which RangeScans ask", bloom, Asked::kRanges},
      {"ranges-off", "the same files as bloom-ranges, without RangeScans", bloom, Asked::kNone,
       Files::kShared},
      {"ranges-learned", "written by the RangeFilter of bloom-ranges after 1,000 scans there",
       bloom, Asked::kRanges, Files::kLearned}};
}

// Why the subjects cannot be compared; empty if they can.
void CheckSubjects(const std::set<std::string>& chosen) {
  for (const Subject& subject : Subjects()) {
    if (subject.files != Files::kOwn && chosen.count(subject.name) != 0 &&
        chosen.count(kRangesSubject) == 0)
      throw std::runtime_error("--subjects: '" + subject.name + "' needs '" + kRangesSubject +
                               "', too");
  }
}

rocksdb::Options DatabaseOptions(const Shape& shape, const Subject& subject, uint64_t data_bytes) {
  rocksdb::Options options;
  // Four levels, each ten times as large as the one above it. Small files keep a compaction from
  // emptying levels 2 and 3; level 1 may be empty at the end.
  options.max_bytes_for_level_base = data_bytes / 1000;
  options.max_bytes_for_level_multiplier = kLevelSizeRatio;
  options.target_file_size_base = options.max_bytes_for_level_base / 2;
  options.target_file_size_multiplier = 5;
  options.level0_file_num_compaction_trigger = 2;
  options.max_background_jobs = 1;
  options.disable_auto_compactions = true;  // until Build has written the last level
  options.level_compaction_dynamic_level_bytes = false;
  if (subject.asked == Asked::kPrefixes) {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(shape.prefix_bytes));
  }
  return options;
}

void WaitForCompactions(rocksdb::DB* db) {
  uint64_t busy = 1;
  while (busy != 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    busy = 0;
    for (const char* name : {"rocksdb.compaction-pending", "rocksdb.num-running-compactions"}) {
      uint64_t number = 0;
      db->GetIntProperty(name, &number);
      busy += number;
    }
  }
}

// Writes the keys, so that all levels have some. No key is written while a compaction runs, so a
// subject gets the same files in each run. Those of subjects differ a little, because the sizes of
// files include their filters.
void Build(const Shape& shape, uint64_t num_keys, RocksDBDatabase* database) {
  std::vector<uint32_t> order(num_keys);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  if (shape.order != 0) {
    const auto time = [&](uint32_t index) { return index % shape.order; };
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return time(a) < time(b); });
  }
  const std::string value(kValueBytes, 'v');
  const auto write = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) database->Put(shape.key(order[i]), value);
    database->Flush();
  };
  const size_t in_last_level = order.size() / 10 * 9;
  write(0, in_last_level);
  rocksdb::DB* const db = database->db();
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const rocksdb::LiveFileMetaData& file : files) names.push_back(file.name);
  Check(db->CompactFiles({}, names, 4));
  Check(db->SetOptions({{"disable_auto_compactions", "false"}}));
  // A file of half of level 1 is merged with the next one. A file of all of it would be moved down.
  const size_t step = std::max<size_t>(order.size() / 2000, 1);
  for (size_t i = in_last_level; i < order.size(); i += step) {
    write(i, std::min(i + step, order.size()));
    WaitForCompactions(db);
  }
  // Else level 0 has some files by chance, each of which is one more to search.
  Check(db->SetOptions({{"level0_file_num_compaction_trigger", "1"}}));
  WaitForCompactions(db);
}

struct Scans {
  double us = 0;
  double blocks = 0;
  uint64_t num_found = 0;
  uint64_t checksum = 0;  // of the keys found
};

enum class Direction { kForward, kBackward };

// What a scan asks. Not kRanges: `filter` is null.
struct Asking {
  Asked asked = Asked::kNone;
  std::shared_ptr<RangeFilter> filter;
};

// The means of the scans. All have both bounds.
Scans Scan(RocksDBDatabase* database, const std::vector<Range>& ranges, const Asking& asking,
           Direction direction = Direction::kForward) {
  const bool is_forward = direction == Direction::kForward;
  Scans scans;
  database->StartCounting();
  const double seconds = SecondsOf([&] {
    for (const Range& range : ranges) {
      rocksdb::ReadOptions options;
      const rocksdb::Slice begin(range.begin);
      const rocksdb::Slice end(range.end);
      options.iterate_lower_bound = &begin;
      options.iterate_upper_bound = &end;
      options.auto_prefix_mode = asking.asked == Asked::kPrefixes;
      options.total_order_seek = !options.auto_prefix_mode;
      std::optional<RangeScan> scan;
      if (asking.filter != nullptr) {
        scan.emplace(asking.filter, range.begin, range.end).Apply(&options);
      }
      const std::unique_ptr<rocksdb::Iterator> iterator(database->db()->NewIterator(options));
      if (is_forward) {
        iterator->Seek(range.begin);
      } else {
        iterator->SeekForPrev(range.end);
      }
      while (iterator->Valid()) {
        ++scans.num_found;
        scans.checksum += Mix(scans.num_found + static_cast<unsigned char>(
                                                    iterator->key()[iterator->key().size() - 1]));
        if (is_forward) {
          iterator->Next();
        } else {
          iterator->Prev();
        }
      }
      Check(iterator->status());
    }
  });
  const BlockCounts counts = database->StopCounting();
  const auto num_scans = static_cast<double>(ranges.size());
  scans.us = seconds / num_scans * 1e6;
  scans.blocks = static_cast<double>(counts.cache_hits + counts.Reads()) / num_scans;
  return scans;
}

// What a subject showed with one shape of keys.
struct Contender {
  Subject subject;
  std::shared_ptr<RangeFilter> filter;  // of the files; null: they have none
  std::shared_ptr<RocksDBDatabase> database;
  double build_seconds = 0;
  std::map<RangeKind, std::vector<Scans>> scans;  // by round
  std::vector<Scans> backward;                    // of empty ranges

  Asking asking() const {
    return {subject.asked, subject.asked == Asked::kRanges ? filter : nullptr};
  }
  // Of point filters and range filters.
  double FilterBitsPerKey() const;
};

double Contender::FilterBitsPerKey() const {
  rocksdb::TablePropertiesCollection all;
  Check(database->db()->GetPropertiesOfAllTables(&all));
  uint64_t range_bytes = 0;
  for (const auto& [path, table] : all) {
    const auto& properties = table->user_collected_properties;
    const auto found = properties.find(filter::kRangeProperty);
    if (found != properties.end()) range_bytes += found->second.size();
  }
  FileSums sums = database->SumsOfFiles();
  sums.filter_bytes += range_bytes;
  return sums.FilterBitsPerKey();
}

struct Plan {
  const Shape& shape;
  uint64_t num_keys;
  uint64_t num_scans;
  const Flags& flags;
};

std::vector<Range> RandomRanges(const Plan& plan, RangeKind kind, int round) {
  std::mt19937_64 random(static_cast<uint64_t>(round));
  std::vector<Range> ranges;
  for (uint64_t i = 0; i < plan.num_scans; ++i)
    ranges.push_back(plan.shape.range(kind, plan.num_keys, random()));
  return ranges;
}

// What a RangeFilter can learn from: 70 % empty ranges, 20 % short ones, 10 % long ones, and none
// of those that are measured.
std::vector<Range> LearnedRanges(const Plan& plan) {
  std::mt19937_64 random(~uint64_t{0});
  std::vector<Range> ranges;
  for (int i = 0; i < 1000; ++i) {
    const RangeKind kind = i % 10 < 7   ? RangeKind::kEmpty
                           : i % 10 < 9 ? RangeKind::kShort
                                        : RangeKind::kLong;
    ranges.push_back(plan.shape.range(kind, plan.num_keys, random()));
  }
  return ranges;
}

// `ranges` is bloom-ranges' contender, if there is one.
Contender MakeContender(const Plan& plan, const Subject& subject, const Contender* ranges) {
  Contender contender;
  contender.subject = subject;
  if (subject.files == Files::kShared) {
    contender.database = ranges->database;
    contender.build_seconds = ranges->build_seconds;
    return contender;
  }
  if (subject.files == Files::kLearned) {
    Scan(ranges->database.get(), LearnedRanges(plan), ranges->asking());
    contender.filter = ranges->filter;
  } else if (subject.asked == Asked::kRanges) {
    std::string error;
    contender.filter = NewRangeFilter({}, &error);
    if (contender.filter == nullptr) throw std::runtime_error(error);
  }
  const uint64_t data_bytes = plan.num_keys * (kValueBytes + 20);
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(2 * data_bytes + (64 << 20));
  table.filter_policy = NewRocksDBPolicy(subject.policy);
  rocksdb::Options options = DatabaseOptions(plan.shape, subject, data_bytes);
  if (contender.filter != nullptr) {
    options.table_properties_collector_factories.push_back(contender.filter);
    options.listeners.push_back(NewFilterAccount());
  }
  contender.database = std::make_shared<RocksDBDatabase>(options, table, plan.flags.db_directory);
  contender.build_seconds =
      SecondsOf([&] { Build(plan.shape, plan.num_keys, contender.database.get()); });
  for (const RangeKind kind : kRangeKinds)  // fills the cache
    Scan(contender.database.get(), RandomRanges(plan, kind, 0), {});
  return contender;
}

// All subjects get the same scans. In a round they take turns, because the clock of a shared
// machine changes.
std::vector<Contender> Measure(const Plan& plan) {
  std::vector<Contender> contenders;
  const Contender* ranges = nullptr;
  const std::vector<Subject> subjects = Subjects();
  contenders.reserve(subjects.size());  // so that `ranges` stays valid
  for (const Subject& subject : subjects) {
    const std::set<std::string>& chosen = plan.flags.subjects;
    if (!chosen.empty() && chosen.count(subject.name) == 0) continue;
    Begin(std::string(plan.shape.name) + ": writing " + subject.name);
    contenders.push_back(MakeContender(plan, subject, ranges));
    if (subject.name == kRangesSubject) ranges = &contenders.back();
  }
  const auto scan = [&](RangeKind kind, Direction direction) {
    return InTurns(plan.flags.rounds, contenders.size(), [&](int round, size_t i) {
      Begin(std::string(plan.shape.name) + ": scanning " + contenders[i].subject.name);
      return Scan(contenders[i].database.get(), RandomRanges(plan, kind, round + 1),
                  contenders[i].asking(), direction);
    });
  };
  for (const RangeKind kind : kRangeKinds) {
    const auto scans = scan(kind, Direction::kForward);
    for (size_t i = 0; i < contenders.size(); ++i) contenders[i].scans[kind] = scans[i];
  }
  const auto backward = scan(RangeKind::kEmpty, Direction::kBackward);
  for (size_t i = 0; i < contenders.size(); ++i) contenders[i].backward = backward[i];
  return contenders;
}

// Scans that found other keys than those of the first subject.
uint64_t NumWrong(const Contender& contender, const Contender& first) {
  uint64_t num_wrong = 0;
  for (const auto& [kind, scans] : contender.scans) {
    for (size_t round = 0; round < scans.size(); ++round) {
      const Scans& found = scans[round];
      const Scans& right = first.scans.at(kind)[round];
      const bool is_wrong = found.num_found != right.num_found ||
                            found.checksum != right.checksum ||
                            (kind == RangeKind::kEmpty) != (found.num_found == 0);
      num_wrong += is_wrong ? 1 : 0;
    }
  }
  for (const Scans& found : contender.backward) num_wrong += found.num_found != 0 ? 1 : 0;
  return num_wrong;
}

Row MakeRow(const Plan& plan, const Contender& contender, double base_bits, uint64_t wrong) {
  const double bits = contender.FilterBitsPerKey();
  const bool has_times = !plan.flags.only_counts;
  const auto time = [&](double measured) { return has_times ? measured : NAN; };
  Row row;
  row.Word("shape", "", plan.shape.name)
      .Word("subject", "subject", contender.subject.name)
      .Count("keys", "", plan.num_keys)
      .Number("build_seconds", "build s", time(contender.build_seconds), 1)
      .Number("filter_bits_per_key", "bits/key", bits, 2)
      .Number("memory_percent", "memory %", 100 * bits / base_bits, 1);
  for (const auto& [kind, scans] : contender.scans) {
    const std::string name = RangeKindName(kind);
    const Spread us = has_times ? SpreadOf(Each(scans, &Scans::us)) : Spread();
    row.Rounds(name + "_us", name + " us", us, 1)
        .Number(name + "_blocks", "blocks", Median(Each(scans, &Scans::blocks)), 3);
  }
  row.Number("backward_empty_blocks", "backward", Median(Each(contender.backward, &Scans::blocks)),
             3);
  return row.Count("wrong_scans", "wrong", wrong);
}

uint64_t Run(const Flags& flags, Output* output, std::vector<Row>* rows) {
  constexpr uint64_t kScans[] = {20000, 1000, 500};
  // The short forms are of these shapes.
  const std::set<std::string> few = {"items", "posts", "minutes", "files", "numbers"};
  CheckSubjects(flags.subjects);
  FileListPath() = flags.key_list;
  const std::set<std::string>& chosen =
      flags.shapes.empty() && flags.form != Form::kComplete ? few : flags.shapes;
  std::string legend =
      "values      of " + std::to_string(kValueBytes) + " bytes, all blocks in the block cache\n";
  for (const Subject& subject : Subjects())
    legend +=
        subject.name + std::string(16 - subject.name.size(), ' ') + subject.description + "\n";
  output->Print(
      legend +
      "us, blocks      of a scan, with its iterator: time, and data blocks that it\n"
      "                touched; median of the rounds\n"
      "backward        blocks of a backward scan of an empty range: one more for each level\n"
      "                with over 16 tables below the range (here few have them)\n"
      "memory          of point and range filters, relative to bloom\n"
      "build           writing all keys, until no compaction runs\n\n");
  const size_t num_shapes = chosen.empty() ? std::size(AllShapes()) : chosen.size();
  const size_t num_subjects = flags.subjects.empty() ? Subjects().size() : flags.subjects.size();
  ExpectSteps(num_shapes * num_subjects *
              (1 + (std::size(kRangeKinds) + 1) * static_cast<size_t>(flags.rounds)));
  uint64_t all_wrong = 0;
  for (const Shape& shape : AllShapes()) {
    if (!chosen.empty() && chosen.count(shape.name) == 0) continue;
    const Plan plan = {
        shape, shape.max_keys == nullptr ? flags.keys : std::min(flags.keys, shape.max_keys()),
        flags.scans != 0 ? flags.scans : kScans[static_cast<size_t>(flags.form)], flags};
    const std::vector<Contender> contenders = Measure(plan);
    double base_bits = NAN;
    for (const Contender& contender : contenders) {
      if (contender.subject.name == kBaseSubject) base_bits = contender.FilterBitsPerKey();
    }
    std::vector<Row> table;
    for (const Contender& contender : contenders) {
      const uint64_t wrong = NumWrong(contender, contenders.front());
      all_wrong += wrong;
      table.push_back(MakeRow(plan, contender, base_bits, wrong));
    }
    output->Print(std::string(shape.name) + ": " + shape.description + ", " +
                  tool::CountText(plan.num_keys) + " keys\n" + Table(table, 1) + "\n");
    rows->insert(rows->end(), table.begin(), table.end());
  }
  return all_wrong;
}

std::set<std::string> Names(const std::vector<Subject>& all) {
  std::set<std::string> names;
  for (const Subject& one : all) names.insert(one.name);
  return names;
}

void AddFlags(CommandLine* command, Flags* flags) {
  AddShapeFlags(command, flags);
  command->AddFlag("--counts", &flags->only_counts);
  command->AddNames("--subjects", &flags->subjects, Names(Subjects()));
}

}  // namespace
}  // namespace ranges

Workload Ranges() {
  return {"ranges",
          "Scans of empty, short and long ranges in RocksDB databases",
          {{2000000, 3}, {40000, 1}, {20000, 1}},
          ranges::Run,
          ranges::AddFlags};
}

}  // namespace bloomline::bench

// Wasted reads of missing keys in a RocksDB database of five levels, with filters of equal memory.
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "db_bench_ext/databases/five_levels.h"
#include "db_bench_ext/databases/harness.h"
#include "rocksdb/cache.h"

namespace bloomline::bench {
namespace levels {
namespace {

struct Filter {
  const char* name;
  const char* option;  // filter_policy of an OPTIONS file
  bool needs_policy;   // of bloomline's, to be written
  bool is_rocksdbs;    // RocksDB reads it without bloomline
  bool is_in_short = false;
};

// Ribbon filters have kRibbonBitsOfTen bits, and so the memory of Bloom with 10.
constexpr char kBloom[] = "bloomfilter:10:false";
constexpr Filter kFilters[] = {
    {"Bloom", kBloom, false, true, true},
    {"Ribbon", "ribbonfilter:14.53:0", false, true, true},
    {"Bloom by level", "{id=bloomline;format=bloom;bits_by_level=auto;stock_id=true}", true, true},
    {"Ribbon by level",
     "{id=bloomline;format=ribbon;bits_per_key=14.53;bits_by_level=auto;stock_id=true}", true, true,
     true},
    {"blocked by level", "{id=bloomline;bits_by_level=auto}", true, false},
    {"blocked", "bloomline:10", true, false},
};

struct Gets {
  uint64_t missing;
  uint64_t unfiltered;  // where each searches a block on each level
};
constexpr Gets kGets[] = {{1000000, 20000}, {500000, 10000}, {20000, 1000}};

// Holds the blocks of the short form, so its Gets take half of the time; which blocks they read is
// counted in the cache and beside it alike.
constexpr size_t kCacheBytes = size_t{128} << 20;

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(const Filter& filter) {
  return NewRocksDBPolicy({filter.name, 0, filter.option});
}

// The stored keys that Gets do not find, and the missing ones that they find.
struct Wrong {
  uint64_t lost = 0;
  uint64_t found = 0;
};

Row MakeRow(const Filter& filter, bool only_counts, uint64_t keys, uint64_t gets,
            const FiveLevels::Filters& filters, const FiveLevels::Reads& with, double alone,
            const Wrong& wrong) {
  Row row;
  row.Word("filter", "filter", filter.name)
      .Word("option", "", filter.option)
      .Word("is_rocksdbs", "", filter.is_rocksdbs ? "1" : "0")
      .Count("keys", "", keys)
      .Count("gets", "", gets)
      .Number("bits_per_key", "bits/key", filters.average, 2)
      .Number("wasted_reads_per_get", "wasted", with.positives, 3, 100)
      .Number("data_blocks_per_get", "blocks", with.per_get, 3, 100)
      .Number("wasted_reads_without_bloomline", "alone", alone, 3, 100);
  for (int level = FiveLevels::kTop; level <= FiveLevels::kBottom; ++level) {
    const std::string name = "level" + std::to_string(level);
    row.Number(name + "_bits_per_key", name, filters.bits_per_key[level], 1);
  }
  return row.Number("us_per_get", "us", only_counts ? NAN : with.microseconds, 2)
      .Count("lost_keys", "lost", wrong.lost)
      .Count("wrong_answers", "wrong", wrong.lost + wrong.found);
}

std::string Legend(uint64_t keys, const Gets& gets) {
  return "database    " + tool::CountText(keys) +
         " keys in levels 1 to 5, each level with 10 times as many as the one\n"
         "            above it, each over the whole range of keys; files in the page cache; the\n"
         "            same data for all filters, each of which a compaction wrote\n"
         "bits/key    of the filters' bytes in the files: of all, and by level\n"
         "wasted      per 100 Gets of missing keys: files that a filter let be searched in vain\n"
         "            (" +
         tool::CountText(gets.missing) +
         " Gets, RocksDB's ticker bloom.filter.full.positive); blocks: blocks of\n"
         "            data that were read; RocksDB reads two if the key falls between them\n"
         "alone       wasted, after RocksDB opened the files with its own Bloom policy, without\n"
         "            bloomline; if it cannot use the filters: blocks, of fewer Gets\n"
         "us          microseconds per Get of a missing key, blocks cached\n"
         "lost        stored keys that a Get did not find: each was looked up, with and without\n"
         "            bloomline\n\n";
}

uint64_t Run(const Flags& flags, Output* output, std::vector<Row>* rows) {
  if (flags.keys < 10000)
    throw std::runtime_error("--keys is " + std::to_string(flags.keys) +
                             "; allowed: from 10000 on, one in level 1");
  const auto form = static_cast<size_t>(flags.form);
  const Gets& gets = kGets[form];
  std::vector<Filter> filters;
  for (const Filter& filter : kFilters) {
    if (filter.is_in_short || flags.form == Form::kComplete) filters.push_back(filter);
  }
  size_t steps = 1;
  for (const Filter& filter : filters) steps += filter.needs_policy ? 3 : 2;
  ExpectSteps(steps);
  const TemporaryDirectory directory(flags.db_directory);
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(kCacheBytes);
  Begin("five levels: writing");
  FiveLevels database(directory.path() + "/db", PolicyOf(filters[0]), flags.keys, table);
  output->Print(Legend(database.num_keys(), gets));
  uint64_t all_wrong = 0;
  for (const Filter& filter : filters) {
    const std::string what = std::string("five levels, ") + filter.name + ": ";
    Begin(what + "writing its filters");
    // Bits by level need an account of the levels.
    database.Rewrite(PolicyOf(filter), filter.needs_policy ? NewFilterAccount() : nullptr);
    const FiveLevels::Filters written = database.filters();
    Begin(what + "Gets of missing and of all stored keys");
    Wrong wrong;
    const auto count = [&](uint64_t num) {
      const FiveLevels::Reads reads = database.ReadMissing(num);
      wrong.found += reads.wrong_answers;
      return reads;
    };
    const FiveLevels::Reads with = count(gets.missing);
    wrong.lost += database.CountLostKeys();
    double alone = with.positives;
    if (filter.needs_policy) {
      Begin(what + "the same by RocksDB without bloomline");
      database.ReopenWith(NewRocksDBPolicy({"", 0, kBloom}));
      alone = filter.is_rocksdbs ? count(gets.missing).positives : count(gets.unfiltered).per_get;
      wrong.lost += database.CountLostKeys();
    }
    all_wrong += wrong.lost + wrong.found;
    rows->push_back(MakeRow(filter, flags.only_counts, database.num_keys(), gets.missing, written,
                            with, alone, wrong));
  }
  output->Print(Table(*rows, 1) + "\n");
  return all_wrong;
}

void AddFlags(CommandLine* command, Flags* flags) {
  command->AddFlag("--counts", &flags->only_counts);
}

}  // namespace
}  // namespace levels

Workload Levels() {
  return {"levels",
          "wasted reads of missing keys in five levels of a RocksDB database",
          {{3000000, 1}, {1000000, 1}, {20000, 1}},
          levels::Run,
          levels::AddFlags};
}

}  // namespace bloomline::bench

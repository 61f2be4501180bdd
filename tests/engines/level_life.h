// What the filters of a database's live files take, beside what was promised for bits by level.
#ifndef BLOOMLINE_TESTS_ENGINES_LEVEL_LIFE_H_
#define BLOOMLINE_TESTS_ENGINES_LEVEL_LIFE_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "bloomline/rocksdb.h"
#include "db_bench_ext/databases/natural_database.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::tests {

// BLOOMLINE_TEST_KEYS in the environment: the keys of each database. Tests then print each state.
inline const char* const wanted_promise_keys = std::getenv("BLOOMLINE_TEST_KEYS");
inline uint64_t PromiseKeys(uint64_t otherwise) {
  return wanted_promise_keys == nullptr ? otherwise
                                        : std::strtoull(wanted_promise_keys, nullptr, 10);
}

// With a FilterAccount, in every state (rocksdb.h).
constexpr double kMostOverPromise = 1.05;
// Without one, with levels; with universal compaction, all files have the mean.
constexpr double kMostOverAlone = 1.12;

struct Style {
  const char* name;
  bench::Compaction compaction;
};
constexpr Style kStyles[] = {{"Dynamic", bench::Compaction::kDynamicLevels},
                             {"Static", bench::Compaction::kStaticLevels},
                             {"Universal", bench::Compaction::kUniversal}};

// The filters that a test promises something for.
struct PromisedFilters {
  const char* name;
  Format format;
  double bits_per_key;
  std::optional<Format> flush_format;

  RocksDBFilterOptions options() const {
    RocksDBFilterOptions options(FilterOptions{format, bits_per_key});
    options.auto_bits_by_level = true;
    options.flush_format = flush_format;
    return options;
  }
  double memory_bits() const { return filter::MemoryBits(format, bits_per_key); }
};
constexpr PromisedFilters kPromisedFilters[] = {
    {"Blocked", Format::kBlocked, 10, std::nullopt},
    {"Ribbon", Format::kRibbon, 14.53, std::nullopt},
    {"RibbonWithBloomFlushes", Format::kRibbon, 14.53, Format::kBloom},
};

struct LevelMemory {
  double keys = 0;
  double bits = 0;
  size_t files = 0;

  void Add(const LevelMemory& other) {
    keys += other.keys;
    bits += other.bits;
    files += other.files;
  }
  double mean() const { return keys == 0 ? 0 : bits / keys; }
};

// The filters of a column family's live files.
struct FamilyMemory {
  std::map<int, LevelMemory> levels;
  LevelMemory all;

  std::string text() const {
    std::string text;
    for (const auto& [level, memory] : levels) {
      char one[80];
      std::snprintf(one, sizeof(one), " L%d:%zu files, %.0f keys, %.2f bits;", level, memory.files,
                    memory.keys, memory.mean());
      text += one;
    }
    return text;
  }
};

inline FamilyMemory MemoryOf(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) family = db->DefaultColumnFamily();
  FamilyMemory memory;
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  rocksdb::TablePropertiesCollection tables;
  EXPECT_TRUE(db->GetPropertiesOfAllTables(family, &tables).ok());
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const auto table = tables.find(file.db_path + file.name);
      if (table == tables.end()) continue;  // a compaction has just replaced it
      const LevelMemory one = {static_cast<double>(table->second->num_entries),
                               8 * static_cast<double>(table->second->filter_size), 1};
      memory.levels[level.level].Add(one);
      memory.all.Add(one);
    }
  }
  return memory;
}

// Fails if the family's filters take more than `most` times the bits promised.
inline void ExpectAtMost(double most, double promised, const FamilyMemory& memory,
                         const std::string& state) {
  const double over = memory.all.mean() / promised;
  if (wanted_promise_keys != nullptr) {
    std::printf("%-16s %+5.1f %% of at most %+5.1f %%;%s\n", state.c_str(), 100 * (over - 1),
                100 * (most - 1), memory.text().c_str());
  }
  EXPECT_LE(over, most) << state << ":" << memory.text();
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_LEVEL_LIFE_H_

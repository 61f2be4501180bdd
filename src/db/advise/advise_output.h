// The output of `bloomline db advise`.
#ifndef BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
#define BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/db/model/advice.h"
#include "src/db/survey/inspection.h"
#include "src/tool/json.h"

namespace bloomline::db {

enum class RemarkScope { kFamily, kAll };  // kAll: printed once for all column families
struct Remark {
  RemarkScope scope;
  std::string text;
};

// Advice for one column family.
struct FamilyAdvice {
  std::string title;  // the database's title
  bool keys_estimated = false;
  bool keys_unknown = false;
  uint64_t queries = 0;       // the queries that measured the rates
  uint64_t not_measured = 0;  // files that count with their expected rate
  model::Request request;
  model::Situation situation;
  model::Advice advice;
  std::vector<Remark> remarks;
  std::vector<std::string> cache_options;  // CacheOptions
  std::string error;                       // why advice is missing; set with no_tables(), too

  bool asks_nothing() const { return !request.memory_bytes && !request.wasted_reads; }
  bool no_tables() const { return situation.levels.empty(); }
};

// ---- RocksDB's own counters of filters (statistics.cc): the totals since counting began, for all
// column families together.
struct Statistics {
  std::string from;
  uint64_t useful = 0;          // bloom.filter.useful: queries for keys that avoided a read
  uint64_t full_positive = 0;   // bloom.filter.full.positive: queries that matched
  uint64_t true_positive = 0;   // bloom.filter.full.true.positive: matches of stored keys
  uint64_t prefix_checked = 0;  // queries of prefixes
  std::optional<uint64_t> gets_of_missing_keys;
  std::optional<uint64_t> gets_of_stored_keys;
  uint64_t gets_in_files = 0;  // Gets whose key was in a file, not in a memtable
  double runs = 0;  // runs that a Get of a missing key queries; NaN: column families differ

  uint64_t queries() const { return useful + full_positive; }
  uint64_t false_positives() const { return full_positive - true_positive; }
  // The share of queries of missing keys that matched. NaN without such queries.
  double false_positive_rate() const;
  // False positives per Get of a missing key. Gets whose key is in a file also have false positives
  // in the files above it, and no counter separates the two. If there are such Gets, this is one
  // query's rate times `runs`. NaN: unknown.
  double wasted_reads() const;
};

// Reads Statistics::ToString() of RocksDB 7 to 11: lines "rocksdb.bloom.filter.useful COUNT : 12",
// "COUNT :" being optional. Skips other lines. Returns false with *error if one of the three
// counters of whole keys is missing.
bool ReadStatistics(const std::string& text, Statistics* statistics, std::string* error);

// Returns what an operator should know besides the figures of group g (remarks.cc). If unknown,
// `statistics` is null, and `cache_bytes`, the size of the block cache, is 0.
std::vector<Remark> Remarks(const FamilyAdvice& family, const Inputs& inputs,
                            const Inspection& inspection, size_t g, const Statistics* statistics,
                            uint64_t cache_bytes);

// The options of RocksDB's block-based table with which parts of filters and indexes are in a block
// cache of `cache_bytes`. None if they are already, if all take at most half of it, and if 0.
std::vector<std::string> CacheOptions(const FamilyAdvice& family, const Inputs& inputs,
                                      const Inspection& inspection, size_t g, uint64_t cache_bytes);

// Prints the statistics, too, if they cover this column family alone. Prints remarks for all
// families only if *remarks lacks them. Leaves the environment out unless it fits all families.
// Shows six choices, or all.
void PrintAdvice(const FamilyAdvice& family, const Statistics* statistics, bool one_environment,
                 bool all, std::set<std::string>* remarks);
void PrintStatistics(const Statistics& statistics);
tool::Json StatisticsJson(const Statistics& statistics);
tool::Json AdviceJson(const FamilyAdvice& family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_

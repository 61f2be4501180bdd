// The output of `bloomline db advise`.
#ifndef BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
#define BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/cli/shared/json.h"
#include "src/db/advice_model/advice.h"
#include "src/db/inspection.h"

namespace bloomline::db {

enum class RemarkScope { kFamily, kAll };  // kAll: it is printed once for all column families
struct Remark {
  RemarkScope scope;
  std::string text;
};

// Advice for one column family.
struct FamilyAdvice {
  std::string title;  // of its database
  bool keys_estimated = false;
  uint64_t queries = 0;       // with which the rates were measured
  uint64_t not_measured = 0;  // files whose filters have the expected rate
  advice::Request request;
  advice::Situation situation;
  advice::Advice advice;
  std::vector<Remark> remarks;
  std::string error;  // why advice is missing; also with no_tables()

  bool no_tables() const { return situation.levels.empty(); }
};

// ---- The filters by RocksDB's own counters (statistics.cc), since they began and for all column
// families together.
struct Statistics {
  std::string from;
  uint64_t useful = 0;          // bloom.filter.useful: queries for keys that avoided a read
  uint64_t full_positive = 0;   // bloom.filter.full.positive: queries that matched
  uint64_t true_positive = 0;   // bloom.filter.full.true.positive: of these, of stored keys
  uint64_t prefix_checked = 0;  // queries of prefixes and ranges
  std::optional<uint64_t> gets_of_missing_keys;
  std::optional<uint64_t> gets_of_stored_keys;
  uint64_t gets_in_files = 0;  // of these, Gets whose key was in a file, not in a memtable
  double runs = 0;  // that a Get of a missing key queries; NaN: it depends on the column family

  uint64_t queries() const { return useful + full_positive; }
  uint64_t false_positives() const { return full_positive - true_positive; }
  // The share of queries of missing keys that matched. NaN without such queries.
  double false_positive_rate() const;
  // False positives per Get of a missing key. Gets whose key is in a file have false positives in
  // the files above it, and no counter distinguishes these: with such Gets this is the rate of one
  // query, times `runs`. NaN: unknown.
  double wasted_reads() const;
};

// Reads Statistics::ToString() of RocksDB 7 to 11: lines "rocksdb.bloom.filter.useful COUNT : 12",
// or without "COUNT :". Other lines are skipped. Returns false with *error if one of the three
// counters of whole keys is missing.
bool ReadStatistics(const std::string& text, Statistics* statistics, std::string* error);

// What an operator should know besides the figures of group g (remarks.cc). `statistics` are null,
// and `cache_bytes`, of the block cache, 0, if they are unknown.
std::vector<Remark> Remarks(const FamilyAdvice& family, const Inputs& inputs,
                            const Inspection& inspection, size_t g, const Statistics* statistics,
                            uint64_t cache_bytes);

// Prints the statistics, too, if they are of this column family alone; remarks for all only if they
// are not in *remarks yet. The environment fits all families of the database, or is left out.
void PrintAdvice(const FamilyAdvice& family, const Statistics* statistics, bool one_environment,
                 std::set<std::string>* remarks);
void PrintStatistics(const Statistics& statistics);
cli::Json StatisticsJson(const Statistics& statistics);
cli::Json AdviceJson(const FamilyAdvice& family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_

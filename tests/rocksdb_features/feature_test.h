// What the tests of RocksDB's features share: databases with bloomline's filters, numbered keys,
// and a check of every answer and of the tickers that count what the filters did.
#ifndef BLOOMLINE_TESTS_ROCKSDB_FEATURES_FEATURE_TEST_H_
#define BLOOMLINE_TESTS_ROCKSDB_FEATURES_FEATURE_TEST_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"

namespace bloomline::tests {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

// Stored keys have even numbers, missing keys odd ones. So missing keys lie between stored ones,
// and only a filter can tell that a file does not have them.
std::string Key(uint64_t number);
inline std::string Stored(uint64_t i) { return Key(2 * i); }
inline std::string Missing(uint64_t i) { return Key(2 * i + 1); }
std::string Value(uint64_t i);

// The keys of most databases here.
constexpr uint64_t kNumKeys = 2000;

using GetFunction = std::function<rocksdb::Status(const std::string& key, std::string* value)>;

// What a database answered for stored keys and for missing ones. The tickers are those of the
// lookups of missing keys, except for true_positives, those of the stored keys.
struct Answers {
  uint64_t stored = 0;
  uint64_t lost = 0;   // stored, not found
  uint64_t wrong = 0;  // stored, with another value or an error
  uint64_t true_positives = 0;
  uint64_t missing = 0;
  uint64_t invented = 0;  // missing, found, or an error
  uint64_t rejected = 0;  // BLOOM_FILTER_USEFUL
  uint64_t passed = 0;    // BLOOM_FILTER_FULL_POSITIVE
};

std::ostream& operator<<(std::ostream& out, const Answers& answers);

// Gets the stored keys with numbers from `begin` to `end` - 1, and the missing keys between them.
Answers GetAll(const GetFunction& get, const rocksdb::Statistics& statistics, uint64_t begin,
               uint64_t end);

GetFunction From(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family = nullptr);

// A policy from an option string, as users write it.
Policy PolicyOf(const std::string& text);

// DB::Open and its relatives take the address of a plain pointer until RocksDB 10, that of a
// unique_ptr from 11 on. Calls open(address).
template <typename Open>
rocksdb::Status OpenBy(std::unique_ptr<rocksdb::DB>* db, Open open) {
#if ROCKSDB_MAJOR >= 11
  return open(db);
#else
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = open(&opened);
  db->reset(opened);
  return status;
#endif
}

// A database with column families; closes them before the database.
struct Families {
  Families() = default;
  ~Families() { Close(); }
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;
  void Close();

  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
};

struct FilterSetting {
  const char* name;
  const char* policy;
  double max_rate;  // a bound on the false-positive rate of each file with more than 200 keys
};
void PrintTo(const FilterSetting& setting, std::ostream* out);

// Each test runs with these.
extern const std::vector<FilterSetting>& FilterSettings();
// Rates of filters of up to 200 keys, such as those of partitions, in every format.
constexpr double kMaxSmallRate = 0.02;

class FeatureTest : public testing::TestWithParam<FilterSetting> {
 protected:
  FeatureTest();

  Policy NewPolicy() const { return PolicyOf(GetParam().policy); }
  double max_rate() const { return GetParam().max_rate; }

  rocksdb::BlockBasedTableOptions Table() const;
  // Filters in partitions of some 50 keys.
  rocksdb::BlockBasedTableOptions PartitionedTable() const;
  // No automatic compactions, so that a test says which file lies where; the test's statistics.
  rocksdb::Options MakeOptions(const rocksdb::BlockBasedTableOptions& table) const;
  rocksdb::Options MakeOptions() const { return MakeOptions(Table()); }

  std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options,
                                    const std::string& name = "db") const;
  void Open(const rocksdb::Options& options,
            const std::vector<std::pair<std::string, rocksdb::ColumnFamilyOptions>>& families,
            const std::string& name, Families* opened) const;
  std::string Path(const std::string& name) const { return dir_.Path(name); }

  // Expects every answer right, every stored key found through a filter, and at most `max_rate` of
  // the checks of missing keys passed, of at least one check for each.
  void ExpectAllRight(const GetFunction& get, uint64_t end = kNumKeys, uint64_t begin = 0) const {
    ExpectAllRight(get, begin, end, max_rate());
  }
  void ExpectAllRight(rocksdb::DB* db) const { ExpectAllRight(From(db)); }
  void ExpectAllRight(const GetFunction& get, uint64_t begin, uint64_t end, double max_rate) const;

  uint64_t Ticker(rocksdb::Tickers ticker) const { return statistics_->getTickerCount(ticker); }
  // How often an iterator asked for a prefix in a filter, and how often that saved reading the
  // file.
  uint64_t SeeksChecked() const;
  uint64_t SeeksFiltered() const;

  const TempDir dir_;
  const std::shared_ptr<rocksdb::Statistics> statistics_;
};

// Without a log, which would take half of the time of a test.
rocksdb::WriteOptions Unlogged();

// Puts the keys whose numbers are in [begin, end) and leave `rest` when divided by `step`.
void Put(rocksdb::DB* db, uint64_t begin, uint64_t end, uint64_t step = 1, uint64_t rest = 0,
         rocksdb::ColumnFamilyHandle* family = nullptr);
void Flush(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family = nullptr);
// Writes kNumKeys keys as `runs` files, each over the whole range of keys.
void PutRuns(rocksdb::DB* db, uint64_t runs, rocksdb::ColumnFamilyHandle* family = nullptr);
void Compact(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family = nullptr);

// Bytes of filters in all files.
uint64_t FilterBytes(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family = nullptr);
std::vector<rocksdb::LiveFileMetaData> Files(rocksdb::DB* db);

#define BLOOMLINE_FEATURE_TESTS(suite)                                              \
  INSTANTIATE_TEST_SUITE_P(Filters, suite,                                          \
                           testing::ValuesIn(::bloomline::tests::FilterSettings()), \
                           [](const auto& info) { return std::string(info.param.name); })

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ROCKSDB_FEATURES_FEATURE_TEST_H_

// What a table has of the keys of Gets, and what its filter says of them.
#ifndef BLOOMLINE_DB_QUERIES_FILE_GETS_H_
#define BLOOMLINE_DB_QUERIES_FILE_GETS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/directory/database.h"
#include "src/db/queries/recorded_queries.h"
#include "src/db/table_filters.h"

namespace bloomline::db {

enum class GetAnswer : uint8_t {
  kRejected,       // the filter says no
  kFalsePositive,  // the filter matches, and the table lacks the key
  kFound,          // the table has the key: the Get ends
  kMerged,         // the table has an operand of a merge: the Get goes on
  kUnfiltered,     // no filter; the table lacks the key
  kFoundUnfiltered,
  kMergedUnfiltered
};

struct GetOfFile {
  uint32_t get : 29;  // its number
  uint32_t answer : 3;
};
constexpr size_t kMostGets = (size_t{1} << 29) - 1;

// Gets in the order of the table's comparator, which must be known. Not thread-safe.
class FileGets {
 public:
  // `uses_filter`: the engine does.
  FileGets(const sstable::Table& table, bool uses_filter);

  // Appends an answer for each of the Gets that looks into the file, in their order. False with
  // *error: damaged.
  bool Run(const directory::TableFile& file, const std::vector<RecordedQuery>& gets,
           std::vector<GetOfFile>* answers, std::string* error);

 private:
  enum class Filter { kNone, kRejects, kMatches };
  bool Ask(std::string_view key, Filter* filter, std::string* error);
  bool Find(std::string_view key, bool* is_found, bool* is_merge, std::string* error);
  bool SkipTo(std::string_view key, std::string* error);

  const sstable::Table& table_;
  const FilterKeys keys_;
  const bool has_filter_;
  TableFilters filters_;
  std::unique_ptr<sstable::Table::KeyReader> reader_;
  bool has_entry_ = false;  // of reader_
  bool is_at_end_ = false;
  std::string target_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_QUERIES_FILE_GETS_H_

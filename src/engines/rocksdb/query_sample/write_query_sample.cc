// WriteQuerySample, and its function in C.
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/c_handles.h"
#include "src/engines/rocksdb/options/policy_options.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/query_sample/query_sample.h"
#include "src/filter/ranges/range_field.h"
#include "src/support/c_error.h"
#include "src/support/file_io.h"
#include "src/support/out_of_memory.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;

// Null if there is no such sample, with *error.
const QuerySample* SampleOf(const Options& options, std::string* error) {
  // advise would take a prefix for the key of a Get.
  if (options.prefix_extractor != nullptr &&
      options.prefix_extractor->Name() != std::string_view(filter::kRangeExtractorName)) {
    *error = "prefix_extractor is " + support::Quoted(options.prefix_extractor->Name()) +
             ", and filters are queried for prefixes, too, which are no keys; allowed: none, " +
             filter::kRangeExtractorName;
    return nullptr;
  }
  const auto* const table = options.table_factory == nullptr
                                ? nullptr
                                : options.table_factory->GetOptions<BlockBasedTableOptions>();
  const FilterPolicy* const policy = table == nullptr ? nullptr : table->filter_policy.get();
  const auto* const sample =
      policy == nullptr ? nullptr
                        : policy->GetOptions<std::shared_ptr<QuerySample>>(kQuerySampleName);
  if (sample != nullptr) return sample->get();
  *error = "filter_policy is " +
           (policy == nullptr ? std::string("null") : support::Quoted(policy->GetId())) +
           "; allowed: bloomline with sample_queries";
  if (policy != nullptr && policy->IsInstanceOf(kRocksDBPolicyName)) {
    *error += " of this version, " BLOOMLINE_VERSION_STRING;
  }
  return nullptr;
}

// In hexadecimal digits, because a key may have any bytes.
std::string LinesOf(const std::vector<std::string>& keys) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string lines;
  for (const std::string& key : keys) {
    for (const char c : key) {
      const auto byte = static_cast<unsigned char>(c);
      lines += kDigits[byte >> 4];
      lines += kDigits[byte & 15];
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace

bool WriteQuerySample(ROCKSDB_NAMESPACE::DB* db,
                      ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family, const std::string& path,
                      std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    *reason = RocksDBVersionMismatch();
    if (!reason->empty()) return false;
    if (db == nullptr || column_family == nullptr) {
      *reason = std::string(db == nullptr ? "db" : "column_family") +
                " is null; allowed: that of an open database";
      return false;
    }
    const Options options = db->GetOptions(column_family);
    const QuerySample* const sample = SampleOf(options, reason);
    if (sample == nullptr) return false;
    const std::string lines = LinesOf(sample->Keys());
    if (lines.empty()) {
      *reason =
          "the sample has no key; filters that were opened while sample_queries was above 0 take "
          "one of so many queries";
      return false;
    }
    support::ReplacementFile file;
    return file.Open(path, reason, support::NewFile::kPrivate) &&
           file.Append(lines.data(), lines.size(), reason) && file.Commit(reason);
  });
}

}  // namespace bloomline

extern "C" uint8_t bloomline_rocksdb_write_query_sample(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, const char* path, char** errptr) {
  return bloomline::support::OrSetError(errptr, [&](std::string* reason) {
    if (bloomline::support::IsNullText(path, "path", reason)) return false;
    auto* const opened = db == nullptr ? nullptr : bloomline::DatabaseOf(db);
    auto* const family = db == nullptr ? nullptr : bloomline::FamilyOf(db, column_family);
    return bloomline::WriteQuerySample(opened, family, path, reason);
  });
}

#include "db_bench_ext/support/leveldb_filters.h"

#include <filesystem>
#include <stdexcept>

#include "bloomline/leveldb.h"
#include "src/db/tables/table.h"

namespace bloomline::bench {
namespace {

void AddFiltersOf(const std::string& path, FilterSummary* sum) {
  std::string error;
  const auto table = tables::Table::Open(path, {}, &error);
  if (table == nullptr) throw std::runtime_error(error);
  if (table->filter_kind() == tables::FilterKind::kNone) return;
  const auto filters = table->NewFilterReader(&error);
  if (filters == nullptr) throw std::runtime_error(error);
  // The block ends with 4 bytes for each filter, 4 for where these begin, and one. There is one
  // filter per 2 KiB of file, so with data blocks of 4 KiB every second filter is empty.
  sum->block_bytes += 4 * filters->num_filters() + 5;
  for (uint64_t i = 0; i < filters->num_filters(); ++i) {
    std::string_view bytes;
    if (!filters->Read(i, &bytes, &error)) throw std::runtime_error(error);
    sum->block_bytes += bytes.size();
    sum->filter_bytes += bytes.size();
    if (!bytes.empty()) ++sum->num_filters;
  }
}

}  // namespace

FilterSummary ReadLevelDBFilters(const std::string& directory) {
  FilterSummary sum;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".ldb") AddFiltersOf(entry.path().string(), &sum);
  }
  return sum;
}

const leveldb::FilterPolicy* NewLevelDBPolicy(const std::string& name, int bits_per_key) {
  if (name == "builtin-bloom") return leveldb::NewBloomFilterPolicy(bits_per_key);
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    if (name == FormatName(format)) options.format = format;
  }
  std::string error = "no policy is named " + name;
  const leveldb::FilterPolicy* policy =
      name == FormatName(options.format)
          ? NewLevelDBFilterPolicy(options, kLevelDBBuiltinName, &error)
          : nullptr;
  if (policy == nullptr) throw std::runtime_error("bloomline: " + error);
  return policy;
}

}  // namespace bloomline::bench

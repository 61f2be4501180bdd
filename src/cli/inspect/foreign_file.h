// Files that are often taken for filters.
#ifndef BLOOMLINE_CLI_INSPECT_FOREIGN_FILE_H_
#define BLOOMLINE_CLI_INSPECT_FOREIGN_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/cli/shared/whole_input.h"
#include "src/filter/container/trailer.h"

namespace bloomline::cli {

// What the bytes are, and which command reads them: "a table of RocksDB; try ...". `name` is what
// that command would be given. Empty if they are nothing that is known here.
std::string DescribeForeignFile(const std::string& name, std::string_view bytes);

// The same for a directory.
std::string DescribeDirectory(const std::string& path);

// ---- Which filter a saved file holds, by its first bytes (docs/format.md, sections 8 to 10).

inline bool IsSaved(std::string_view bytes) {
  const std::string_view magic = bytes.substr(0, 8);
  return magic == "bLnBloom" || magic == "bLnScale" || magic == "bLnCount";
}

// Load, or FromBytes where the file cannot be opened again.
template <typename Filter>
std::unique_ptr<Filter> LoadSaved(const WholeInput& file, std::string* error) {
  if (!file.path().empty()) return Filter::Load(file.path(), error);
  auto filter = Filter::FromBytes(file.bytes(), error);
  // Its error speaks of "bytes".
  if (filter == nullptr) *error = file.name() + ": " + *error;
  return filter;
}

// use(std::unique_ptr) of the filter in a file that IsSaved; null, with *error, if it is damaged. A
// BloomFilter, which may be large, is mapped.
template <typename Use>
auto UseSaved(const WholeInput& file, std::string* error, Use use) {
  const std::string_view magic = file.bytes().substr(0, 8);
  if (magic == "bLnScale") return use(LoadSaved<ScalableBloomFilter>(file, error));
  if (magic == "bLnCount") return use(LoadSaved<CountingBloomFilter>(file, error));
  if (file.path().empty()) return use(LoadSaved<BloomFilter>(file, error));
  return use(MappedBloomFilter::Open(file.path(), MappedBloomFilter::Verify::kPayload, error));
}

// ---- Which bytes are a filter. To the library any bytes are one: what it does not understand
// matches every key. A person who mistook a file wants to know.

enum class FilterKind {
  kFilter,
  kAlwaysMatch,  // bloomline wrote it to match every key
  kNone          // not understood
};

// `canonicalizer` is what the bytes record. *why is set unless it is kFilter.
inline FilterKind FilterKindOf(std::string_view bytes, std::string_view canonicalizer,
                               std::string* why) {
  const filter::Payload payload = filter::DecodeTrailer(bytes, why, canonicalizer);
  if (!payload.always_matches()) return FilterKind::kFilter;
  return filter::SaysAlwaysMatch(bytes) ? FilterKind::kAlwaysMatch : FilterKind::kNone;
}

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_INSPECT_FOREIGN_FILE_H_

// Recognises the file that a command got as a filter: a static filter, a saved filter, or a file of
// another kind that is often taken for a filter.
#ifndef BLOOMLINE_CLI_INSPECT_FOREIGN_FILE_H_
#define BLOOMLINE_CLI_INSPECT_FOREIGN_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/filter/container/trailer.h"
#include "src/sets/saved_filter.h"
#include "src/tool/whole_input.h"

namespace bloomline::cli {

// Calls WholeInput::Open. *error also says if the path is the directory of a database.
bool OpenFilterFile(const std::string& path, uint64_t max_pipe_bytes, tool::WholeInput* file,
                    std::string* error);

// Returns "NAME: not a bloomline filter: a table of LevelDB or RocksDB; try ...": the kind that the
// name or the bytes show, and the command that reads it. If neither shows a kind, gives `why`. Of a
// filter that is not read any more, returns "NAME: " and `why`.
std::string NotAFilter(const tool::WholeInput& file, const std::string& why);

// ---- The filter in a saved file, by its first bytes (docs/format.md, sections 8 to 10).

inline bool IsSaved(std::string_view bytes) { return !sets::SavedKind(bytes).empty(); }

// Load, or FromBytes if the file cannot be opened again.
template <typename Filter>
std::unique_ptr<Filter> LoadSaved(const tool::WholeInput& file, std::string* error) {
  if (!file.path().empty()) return Filter::Load(file.path(), error);
  auto filter = Filter::FromBytes(file.bytes(), error);
  // The error of FromBytes begins with "bytes".
  if (filter == nullptr) *error = file.name() + ": " + *error;
  return filter;
}

// Calls use(std::unique_ptr) with the filter in a file for which IsSaved is true; the pointer is
// null, with *error, if the file is damaged. A BloomFilter, which may be large, is mapped.
template <typename Use>
auto UseSaved(const tool::WholeInput& file, std::string* error, Use use) {
  const std::string_view magic = file.bytes().substr(0, 8);
  if (magic == sets::kScalableMagic) return use(LoadSaved<ScalableBloomFilter>(file, error));
  if (magic == sets::kCountingMagic) return use(LoadSaved<CountingBloomFilter>(file, error));
  if (file.path().empty()) return use(LoadSaved<BloomFilter>(file, error));
  return use(MappedBloomFilter::Open(file.path(), MappedBloomFilter::Verify::kPayload, error));
}

// ---- Static filters. The library takes unknown bytes for a filter that matches every key. A user
// who mistook a file wants to know.
struct StaticFilter {
  filter::Payload payload;
  std::string why;            // every key matches; empty: not every key
  bool is_understood = true;  // false: not what bloomline wrote, or not read any more
};

StaticFilter DecodeStatic(std::string_view bytes);

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_INSPECT_FOREIGN_FILE_H_

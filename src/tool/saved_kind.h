// Which filter a saved file holds, by its first bytes (docs/format.md, sections 8 to 10).
#ifndef BLOOMLINE_TOOL_SAVED_KIND_H_
#define BLOOMLINE_TOOL_SAVED_KIND_H_

#include <memory>
#include <string>
#include <string_view>

#include "src/tool/whole_input.h"

namespace bloomline::tool {

enum class SavedKind { kNone, kBloom, kScalable, kCounting };

inline SavedKind SavedKindOf(std::string_view bytes) {
  const std::string_view magic = bytes.substr(0, 8);
  if (magic == "bLnBloom") return SavedKind::kBloom;
  if (magic == "bLnScale") return SavedKind::kScalable;
  return magic == "bLnCount" ? SavedKind::kCounting : SavedKind::kNone;
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

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_SAVED_KIND_H_

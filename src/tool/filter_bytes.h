// Which bytes are a filter. To the library any bytes are one: what it does not understand matches
// every key. A person who mistook a file wants to know.
#ifndef BLOOMLINE_TOOL_FILTER_BYTES_H_
#define BLOOMLINE_TOOL_FILTER_BYTES_H_

#include <string>
#include <string_view>

#include "src/format/trailer.h"

namespace bloomline::tool {

enum class FilterKind {
  kFilter,
  kAlwaysMatch,  // bloomline wrote it to match every key
  kNone          // not understood
};

// `canonicalizer` is what the bytes record. *why is set unless it is kFilter.
inline FilterKind FilterKindOf(std::string_view bytes, std::string_view canonicalizer,
                               std::string* why) {
  constexpr size_t kLayoutOffset = 12;  // in the trailer
  const core::Payload payload = core::DecodeStandalone(bytes, why, canonicalizer);
  if (payload.layout != core::Layout::kAlwaysMatch) return FilterKind::kFilter;
  if (!core::HasTrailer(bytes)) return FilterKind::kNone;
  const std::string_view trailer = bytes.substr(bytes.size() - core::kTrailerBytes);
  const bool known_version = trailer.back() == 1 || (trailer.back() == 2 && !canonicalizer.empty());
  const core::Layout layout{static_cast<unsigned char>(trailer[kLayoutOffset])};
  return known_version && layout == core::Layout::kAlwaysMatch ? FilterKind::kAlwaysMatch
                                                               : FilterKind::kNone;
}

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_FILTER_BYTES_H_

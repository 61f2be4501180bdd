// Which bytes are a filter. To the library any bytes are one: what it does not understand matches
// every key. A person who mistook a file wants to know.
#ifndef BLOOMLINE_TOOL_FILTER_BYTES_H_
#define BLOOMLINE_TOOL_FILTER_BYTES_H_

#include <string>
#include <string_view>

#include "src/filter/format/trailer.h"

namespace bloomline::tool {

enum class FilterKind {
  kFilter,
  kAlwaysMatch,  // bloomline wrote it to match every key
  kNone          // not understood
};

// `canonicalizer` is what the bytes record. *why is set unless it is kFilter.
inline FilterKind FilterKindOf(std::string_view bytes, std::string_view canonicalizer,
                               std::string* why) {
  const filter::Payload payload = filter::DecodeStandalone(bytes, why, canonicalizer);
  if (payload.layout != filter::Layout::kAlwaysMatch) return FilterKind::kFilter;
  return filter::SaysAlwaysMatch(bytes) ? FilterKind::kAlwaysMatch : FilterKind::kNone;
}

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_FILTER_BYTES_H_

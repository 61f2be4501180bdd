#include "src/in_memory/what_it_holds.h"

#include <algorithm>
#include <cstdint>

#include "src/filter/format/other_contents.h"
#include "src/filter/format/trailer.h"

namespace bloomline::in_memory {

std::string WhatItHolds(const support::ByteSource& source, std::string_view first_bytes) {
  if (source.size() == 0) return "is empty (0 bytes)";
  std::string_view kind = filter::SavedKind(first_bytes);
  if (kind.empty() && source.size() != support::ByteSource::kUnknownSize) {
    char bytes[filter::kTrailerBytes];
    const uint64_t num_bytes = std::min<uint64_t>(source.size(), sizeof(bytes));
    std::string ignored;
    if (!source.ReadAt(source.size() - num_bytes, num_bytes, bytes, &ignored)) return "";
    const std::string_view end(bytes, num_bytes);
    if (filter::HasTrailer(end)) {
      return "is a static filter, as FilterBuilder makes it; FilterView::Open takes its bytes";
    }
    kind = filter::TableKind(end);
  }
  return kind.empty() ? "" : "is " + std::string(kind);
}

}  // namespace bloomline::in_memory

#include "src/filter/layouts/constant/constant.h"

#include <iterator>

namespace bloomline::filter {
namespace {

constexpr LayoutRow MakeRow(Layout layout, const char* name, const char* long_name) {
  LayoutRow row;
  row.layout = layout;
  row.name = name;
  row.long_name = long_name;
  return row;
}

constexpr LayoutRow MakeAlwaysMatchRow() {
  LayoutRow row = MakeRow(Layout::kAlwaysMatch, "always match", "matches every key");
  // RocksDB's marker 0. The payload does not matter.
  row.min_marker = row.max_marker = 0;
  row.read = [](std::string_view, Payload* payload, std::string*) {
    *payload = {};
    return true;
  };
  return row;
}

// The bytes of a block by the trailer's parameter, without which readers could not skip a second
// payload of versions up to 0.2.0 (docs/format.md, section 5).
constexpr uint32_t kFormerBlockBytes[] = {32, 32, 64, 64, 64, 64, 16};

constexpr LayoutRow MakeFormerCompactRow() {
  LayoutRow row = MakeRow(Layout::kFormerCompact, "compact", "bloomline compact (before 0.4.0)");
  row.trailer_shape = [](uint32_t arrangement) {
    return FilterShape{Layout::kFormerCompact, kFormerBlockBytes[arrangement]};
  };
  row.max_parameter = std::size(kFormerBlockBytes) - 1;
  return row;
}

}  // namespace

constexpr LayoutRow kAlwaysMatchRow = MakeAlwaysMatchRow();
constexpr LayoutRow kUnknownRow = MakeRow(Layout::kUnknown, "always match", "unknown");
constexpr LayoutRow kNoKeysRow = MakeRow(Layout::kNoKeys, "no keys", "no keys");
constexpr LayoutRow kFormerCompactRow = MakeFormerCompactRow();

}  // namespace bloomline::filter

#include "src/filter/layouts/constant/constant.h"

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

}  // namespace

constexpr LayoutRow kAlwaysMatchRow = MakeAlwaysMatchRow();
constexpr LayoutRow kUnknownRow = MakeRow(Layout::kUnknown, "always match", "unknown");
constexpr LayoutRow kNoKeysRow = MakeRow(Layout::kNoKeys, "no keys", "no keys");

}  // namespace bloomline::filter

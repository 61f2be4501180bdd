#include "src/tool/db/inspect/group_output.h"

#include <cmath>

#include "src/tool/quantity.h"

namespace bloomline::tool::db {

Json LayoutsJson(const LayoutCounts& layouts) {
  Json json = Json::array();
  for (const auto& [layout, count] : layouts) {
    json.push_back({{"layout", engine_filters::LayoutName(layout)},
                    {"filters", count.filters},
                    {"bytes", count.bytes}});
  }
  return json;
}

Json GroupJson(const Group& group) {
  Json names = Json::array();
  for (const auto& [name, files] : group.names) {
    names.push_back({{"name", name}, {"files", files}});
  }
  return {{"level", LevelJson(group.level)},
          {"files", group.files},
          {"bytes", group.bytes},
          {"files_without_filter", group.files_without_filter},
          {"bytes_without_filter", group.bytes_without_filter},
          {"keys_without_filter", group.keys_without_filter},
          {"ignored_files", group.ignored_files},
          {"ignored_bytes", group.ignored_bytes},
          {"prefix_and_whole_key_files", group.prefix_files},
          {"prefix_only_files", group.prefix_only_files},
          {"partitioned_files", group.partitioned_files},
          {"filters", group.num_filters},
          {"filter_names", std::move(names)},
          {"layouts", LayoutsJson(group.layouts)},
          {"num_keys", group.num_keys},
          {"num_keys_estimated", group.keys_estimated},
          {"filter_bytes", group.filter_bytes},
          {"bits_per_key", RateOrNull(group.bits_per_key())},
          {"runs", group.runs},
          {"expected_false_positive_rate", RateOrNull(group.rate())},
          {"expected_wasted_reads", RateOrNull(group.wasted_reads)}};
}

std::string LayoutsText(const LayoutCounts& layouts) {
  std::string text;
  for (const auto& [layout, count] : layouts) {
    text += (text.empty() ? "" : ", ") + std::string(engine_filters::LayoutName(layout));
  }
  return text.empty() ? "none" : text;
}

std::string RateOrDash(double rate) { return std::isnan(rate) ? "-" : RateText(rate); }

Json RateOrNull(double rate) { return std::isfinite(rate) ? Json(rate) : Json(nullptr); }

std::string KeysText(uint64_t num_keys, bool estimated) {
  return (estimated ? "~" : "") + CountText(num_keys);
}

}  // namespace bloomline::tool::db

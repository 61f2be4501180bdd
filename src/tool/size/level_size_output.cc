// The output of level_size.h.
#include <algorithm>
#include <iostream>

#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/printable.h"
#include "src/tool/quantity.h"
#include "src/tool/size/size.h"

namespace bloomline::tool {
namespace {

Json SizeJson(const LevelSize& size) {
  Json json{{"name", size.name}};
  if (!size.problem.empty()) {
    json["problem"] = size.problem;
    return json;
  }
  json["num_keys"] = size.num_keys;
  json["bits_per_key"] = size.bits_per_key;
  json["bytes"] = size.bytes;
  json["wasted_reads"] = size.wasted_reads;
  json["levels"] = Json::array();
  for (size_t i = 0; i < size.levels.size(); ++i) {
    const LevelRow& row = size.levels[i];
    json["levels"].push_back({{"level", i},
                              {"num_keys", row.num_keys},
                              {"runs", row.runs},
                              {"bits_per_key", row.bits_per_key},
                              {"bytes", row.bytes},
                              {"false_positive_rate", row.rate}});
  }
  if (!size.note.empty()) json["note"] = size.note;
  return json;
}

void PrintJson(const LevelSizeRequest& request, const std::vector<LevelSize>& by_level,
               const std::vector<LevelSize>& equal) {
  Json json;
  json["request"] = {{"num_levels", *request.num_levels},
                     {"level_ratio", request.level_ratio},
                     {"first_level_runs", request.first_level_runs},
                     {"num_keys", OrNull(request.num_keys)},
                     {"bits_per_key", OrNull(request.bits_per_key)},
                     {"wasted_reads", OrNull(request.wasted_reads)},
                     {"memory_bytes", OrNull(request.memory_bytes)}};
  for (const auto& [name, sizes] : {std::pair("by_level", &by_level), {"equal_bits", &equal}}) {
    json[name] = Json::array();
    for (const LevelSize& size : *sizes) json[name].push_back(SizeJson(size));
  }
  Print(json);
}

std::vector<std::string> Cells(const std::string& name, uint64_t num_keys, double bits_per_key,
                               uint64_t bytes, double wasted_reads) {
  return {name, CountText(num_keys), NumberText(bits_per_key, 2), BytesText(bytes),
          RateText(wasted_reads)};
}

void PrintTable(const std::vector<LevelSize>& by_level, const std::vector<LevelSize>& equal) {
  std::vector<std::vector<std::string>> cells = {
      {"level", "keys", "bits/key", "memory", "wasted reads"}};
  for (const LevelSize& size : by_level) {
    if (!size.problem.empty()) continue;
    cells.push_back({size.name + ", bits by level:"});
    for (size_t i = 0; i < size.levels.size(); ++i) {
      const LevelRow& row = size.levels[i];
      cells.push_back(
          Cells(std::to_string(i), row.num_keys, row.bits_per_key, row.bytes, row.runs * row.rate));
    }
    cells.push_back(Cells("all", size.num_keys, size.bits_per_key, size.bytes, size.wasted_reads));
  }
  cells.push_back({"the same bits in all levels:"});
  for (const LevelSize& size : equal) {
    if (!size.problem.empty()) continue;
    const bool is_rocksdbs = size.name == "blocked";
    cells.push_back(Cells(size.name + (is_rocksdbs ? ", as RocksDB's Bloom filter" : ""),
                          size.num_keys, size.bits_per_key, size.bytes, size.wasted_reads));
  }
  std::cout << TextTable(cells);
  for (const auto& [how, sizes] :
       {std::pair("by level", &by_level), {"the same bits in all levels", &equal}}) {
    for (const LevelSize& size : *sizes) {
      const std::string& remark = size.problem.empty() ? size.note : size.problem;
      if (!remark.empty()) std::cout << size.name << ", " << how << ": " << remark << '\n';
    }
  }
}

}  // namespace

int RunLevelSize(const LevelSizeRequest& request, bool json) {
  if (const std::string error = Validate(request); !error.empty()) {
    std::cerr << "bloomline size: " << error << '\n';
    return kExitImpossible;
  }
  const std::vector<LevelSize> by_level = Sizes(request, true);
  const std::vector<LevelSize> equal = Sizes(request, false);
  if (std::none_of(by_level.begin(), by_level.end(),
                   [](const LevelSize& size) { return size.problem.empty(); })) {
    for (const LevelSize& size : by_level) {
      std::cerr << "bloomline size: " << size.name << ": " << size.problem << '\n';
    }
    return kExitImpossible;
  }
  if (json) {
    PrintJson(request, by_level, equal);
  } else {
    PrintTable(by_level, equal);
  }
  return kExitOk;
}

}  // namespace bloomline::tool

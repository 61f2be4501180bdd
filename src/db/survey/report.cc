#include "src/db/survey/report.h"

#include <cmath>
#include <iostream>
#include <map>
#include <utility>

#include "src/tool/commands.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::db {

int ReportProblems(const Inputs& inputs, const std::string& name) {
  tool::Json problems;
  AddProblems(inputs, &problems);
  const auto print = [&](const char* before, const tool::Json& text, const char* behind) {
    tool::PrintError("bloomline db " + name + ": " + before + text.get<std::string>() + behind);
  };
  for (const tool::Json& warning : problems["warnings"]) print("warning: ", warning, "");
  for (const tool::Json& path : problems["vanished"]) {
    print("note: ", path, ": the database replaced or dropped it meanwhile; new files are read");
  }
  for (const tool::Json& error : problems["errors"]) print("", error["error"], "");
  return problems["errors"].empty() ? tool::kExitOk : tool::kExitFailure;
}

void AddProblems(const Inputs& inputs, tool::Json* json) {
  tool::Json errors = tool::Json::array();
  tool::Json vanished = tool::Json::array();
  tool::Json warnings = tool::Json::array();
  for (const std::string& error : inputs.errors) {
    errors.push_back({{"file", nullptr}, {"error", error}});
  }
  for (const tree::Database& database : inputs.databases) {
    for (const std::string& warning : database.warnings) warnings.push_back(warning);
  }
  for (const SurveyedFile& file : inputs.files) {
    if (file.state == FileState::kVanished) vanished.push_back(file.path);
    if (file.state == FileState::kFailed) {
      errors.push_back({{"file", file.path}, {"error", file.error}});
    }
  }
  json->update({{"errors", std::move(errors)},
                {"vanished", std::move(vanished)},
                {"warnings", std::move(warnings)}});
}

std::string LevelText(int level) { return level < 0 ? "-" : std::to_string(level); }

tool::Json LevelJson(int level) { return level < 0 ? tool::Json(nullptr) : tool::Json(level); }

std::string EngineTitle(const tree::Database& database) {
  const std::string name = EngineName(database.engine);
  return database.pebble_sign.empty() ? name : "Pebble, in " + name + "'s format";
}

std::vector<std::string> LogTexts(const tree::Database& database) {
  std::vector<std::string> texts;
  const auto add = [&](uint64_t bytes, const std::string& where) {
    if (bytes != 0) texts.push_back(tool::BytesText(bytes) + " in write-ahead logs" + where);
  };
  add(database.log_bytes.value_or(0), "");
  const auto& other = database.other_logs;
  if (other) add(other->bytes, " in " + other->folder + " (wal_dir in OPTIONS)");
  if (other && !other->problem.empty()) {
    texts.push_back("write-ahead logs in wal_dir of OPTIONS: " + other->problem);
  }
  return texts;
}

tool::Json DatabaseJson(const tree::Database& database) {
  tool::Json json{{"path", database.path},
                  {"engine", EngineName(database.engine)},
                  {"write_ahead_log_bytes", tool::OrNull(database.log_bytes)},
                  {"wal_dir", nullptr}};
  if (const auto& other = database.other_logs) {
    json["wal_dir"] = {{"path", other->folder}, {"error", tool::TextOrNull(other->problem)}};
    json["wal_dir"]["log_bytes"] = other->problem.empty() ? tool::Json(other->bytes) : nullptr;
  }
  return json;
}

std::string FilesText(uint64_t files) { return tool::Counted(files, "file", "files"); }

std::string DatabaseTitle(const Inputs& inputs, const FamilyGroups& family) {
  const tree::Database& database = inputs.databases[family.database];
  const std::vector<size_t>& files = family.all.files;
  std::string title = database.path;
  if (title.empty()) title = files.size() == 1 ? inputs.files[files[0]].path : "files";
  if (database.column_families.size() > 1) {
    title += ", column family '" + inputs.column_family(family).name + "'";
  }
  if (family.unread_files != 0) {
    title += ", without " + FilesText(family.unread_files) + " that cannot be read";
  }
  return title;
}

std::string FormatsText(const std::set<std::string>& formats) {
  std::string text;
  for (const std::string& format : formats) text += (text.empty() ? "" : ", ") + format;
  return text.empty() ? "none" : text;
}

tool::Json LayoutsJson(const LayoutCounts& layouts) {
  return ListJson(layouts, [](const auto& layout) -> tool::Json {
    return {{"layout", engine_filters::LayoutName(layout.first)},
            {"filters", layout.second.filters},
            {"bytes", layout.second.bytes}};
  });
}

std::string RateOrDash(double rate) {
  constexpr double kLeast = 1e-6;
  if (rate > 0 && rate < kLeast) return "<" + tool::RateText(kLeast);
  return std::isnan(rate) ? "-" : tool::RateText(rate);
}

tool::Json NumberOrNull(double number) {
  return std::isfinite(number) ? tool::Json(number) : tool::Json(nullptr);
}

std::string ShareText(uint64_t part, uint64_t all) { return RateOrDash(Quotient(part, all)); }

std::string KeysText(uint64_t num_keys, bool estimated) {
  constexpr uint64_t kMillion = 1000000;
  const std::string text = num_keys < 10 * kMillion
                               ? tool::CountText(num_keys)
                               : tool::CountText((num_keys + kMillion / 2) / kMillion) + " M";
  return (estimated ? "~" : "") + text;
}

void PrintWrapped(const std::string& text) {
  std::cout << tool::Wrapped(tool::Printable(text), tool::kColumns) << '\n';
}

void PrintLevels(const FamilyGroups& family, Cells header, size_t num_left,
                 const std::function<Cells(const std::string&, const Group&)>& row) {
  std::vector<Cells> rows = {std::move(header)};
  const auto add = [&](const std::string& name, const Group& group) {
    if (Cells cells = row(name, group); !cells.empty()) rows.push_back(std::move(cells));
  };
  for (const Group& level : family.levels) add(LevelText(level.level), level);
  if (family.levels.size() > 1) add("all", family.all);
  if (rows.size() > 1) std::cout << tool::TextTable(std::move(rows), num_left);
}

tool::Json LevelsJson(const FamilyGroups& family,
                      const std::function<tool::Json(const Group&)>& one) {
  return {{"levels", ListJson(family.levels, one)}, {"all", one(family.all)}};
}

void PrintFacts(const std::vector<InspectedFile>& files, const Group& all) {
  std::map<std::string, uint64_t> facts;  // the number of files with each fact
  for (const size_t i : all.files) {
    const FileFacts& file = files[i].facts;
    const std::string& extractor = file.properties.prefix_extractor;
    if (file.keys_unknown) ++facts[std::string("not counted: ") + kNoSequenceNumbers];
    if (!file.why_unasked.empty()) ++facts["range filters not used: " + file.why_unasked];
    if (!file.has_filter()) {
      const bool is_rocksdb = file.engine == tables::Engine::kRocksDB;
      ++facts[is_rocksdb ? "without filter, entries count as keys" : "without filter"];
      continue;
    }
    if (!files[i].ignored.empty()) ++facts["ignored: " + files[i].ignored];
    for (const std::string& name : file.unknown_filters) ++facts["unknown: " + name];
    if (file.unknown_filters.empty() && !file.why_unknown.empty()) {
      ++facts["not understood: " + file.why_unknown];
    }
    if (file.is_block_based() && files[i].ignored.empty()) {
      ++facts["block-based filters, which RocksDB 7.4 and later ignore"];
    }
    if (file.filter_kind == tables::FilterKind::kPartitioned) {
      ++facts["partitioned filters, " + tool::CountText(all.num_filters) + " in all"];
    }
    if (file.entry_bytes != 0) {
      ++facts["entries for ranges of an earlier release, which nothing queries"];
    }
    if (file.prefixes && extractor != engine_filters::kRangeExtractor) {
      ++facts[(file.whole_keys ? "filters of whole keys, and prefixes of "
                               : "filters of prefixes only, of ") +
              extractor];
    }
  }
  for (const auto& [fact, count] : facts) {
    PrintWrapped(fact + ": " + tool::CountText(count) + " of " + FilesText(all.files.size()) +
                 " (" + ShareText(count, all.files.size()) + ")");
  }
}

void PrintFiles(const Inputs& inputs, const std::vector<size_t>& files, Cells header,
                size_t num_left, const std::function<Cells(size_t)>& row) {
  const bool one_database = inputs.databases.size() == 1 && !inputs.databases[0].path.empty();
  std::vector<Cells> rows = {std::move(header)};
  for (const size_t i : files) {
    const std::string& path = inputs.files[i].path;
    rows.push_back(row(i));
    rows.back().insert(rows.back().begin(), one_database ? path.substr(path.rfind('/') + 1) : path);
  }
  if (rows.size() > 1) std::cout << '\n' << tool::TextTable(std::move(rows), num_left);
}

std::vector<size_t> DoneFiles(const Inputs& inputs) {
  std::vector<size_t> done;
  for (size_t i = 0; i < inputs.files.size(); ++i) {
    if (inputs.files[i].state == FileState::kDone) done.push_back(i);
  }
  return done;
}

tool::Json DocumentOf(const Inputs& inputs, const Inspection& inspection,
                      const std::function<tool::Json(size_t)>& family,
                      const std::function<tool::Json(size_t)>& file) {
  tool::Json databases = tool::Json::array();
  for (size_t d = 0; d < inputs.databases.size(); ++d) {
    const tree::Database& database = inputs.databases[d];
    tool::Json json = DatabaseJson(database);
    json["column_families"] = tool::Json::array();
    for (size_t g = 0; g < inspection.groups.size(); ++g) {
      const FamilyGroups& groups = inspection.groups[g];
      if (groups.database != d) continue;
      tool::Json of_family{{"name", inputs.column_family(groups).name}};
      of_family.update(family(g));
      json["column_families"].push_back(std::move(of_family));
    }
    if (file != nullptr) json["files"] = tool::Json::array();
    for (const size_t i : file != nullptr ? DoneFiles(inputs) : std::vector<size_t>()) {
      if (inputs.files[i].database == d) json["files"].push_back(file(i));
    }
    databases.push_back(std::move(json));
  }
  return {{"databases", std::move(databases)}};
}

}  // namespace bloomline::db

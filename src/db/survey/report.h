// Output that the subcommands of `bloomline db` share: files, levels, figures and problems.
#ifndef BLOOMLINE_DB_SURVEY_REPORT_H_
#define BLOOMLINE_DB_SURVEY_REPORT_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"
#include "src/db/tables/table.h"
#include "src/tool/json.h"

namespace bloomline::db {

// Writes problems to stderr, each line beginning with "bloomline db NAME: ", and returns the exit
// code: kExitFailure if an argument or a file could not be read.
int ReportProblems(const Inputs& inputs, const std::string& name);

// Adds {"errors": [...], "vanished": [...], "warnings": [...]} to a command's document.
void AddProblems(const Inputs& inputs, tool::Json* json);

// "4", or "-" if it is unknown.
std::string LevelText(int level);
tool::Json LevelJson(int level);
// "RocksDB"; of a database of Pebble's "Pebble, in RocksDB's format".
std::string EngineTitle(const tree::Database& database);

// The write-ahead logs that may hold keys not yet in a table, as "3 KiB in write-ahead logs".
std::vector<std::string> LogTexts(const tree::Database& database);
// {"path", "engine", ...}
tool::Json DatabaseJson(const tree::Database& database);

// "1 file", "12 files"
std::string FilesText(uint64_t files);

// "/path, column family 'x', without 2 files that cannot be read"; the column family only if there
// are several.
std::string DatabaseTitle(const Inputs& inputs, const FamilyGroups& family);

// "RocksDB Bloom, RocksDB Ribbon"; "none" if the files lack filters.
std::string FormatsText(const std::set<std::string>& formats);
tool::Json LayoutsJson(const LayoutCounts& layouts);

// [one(item) for each item]
template <typename Items, typename One>
tool::Json ListJson(const Items& items, const One& one) {
  tool::Json list = tool::Json::array();
  for (const auto& item : items) list.push_back(one(item));
  return list;
}

// "1.2 %", "<0.0001 %", "-" for NaN.
std::string RateOrDash(double rate);
tool::Json NumberOrNull(double number);

// part / all as "1.2 %"; "-" if all is 0.
std::string ShareText(uint64_t part, uint64_t all);

// "12,000", or "~12,000".
std::string KeysText(uint64_t num_keys, bool estimated);

// Why the keys of a table are neither counted nor checked (Table::HasSequenceNumbers).
constexpr char kNoSequenceNumbers[] =
    "keys without sequence numbers, as programs write that use LevelDB's TableBuilder alone";

// Breaks the text into lines that fit on a screen.
void PrintWrapped(const std::string& text);

// Prints a line for each trait of some files of a family: no filter, partitions.
void PrintFacts(const std::vector<InspectedFile>& files, const Group& all);

using Cells = std::vector<std::string>;

// Prints a row for each level that has files, and a total row if there are several such levels.
// `row` is given the level's name and Group. A row without cells is left out. Without rows,
// prints nothing.
void PrintLevels(const FamilyGroups& family, Cells header, size_t num_left,
                 const std::function<Cells(const std::string&, const Group&)>& row);
// {"levels": [...], "all": ...}
tool::Json LevelsJson(const FamilyGroups& family,
                      const std::function<tool::Json(const Group&)>& one);

// Commands list up to this number of files without an option that says so.
constexpr size_t kFewFiles = 10;

// Prints an empty line and a row for each of `files`, which must be done; nothing without files.
void PrintFiles(const Inputs& inputs, const std::vector<size_t>& files, Cells header,
                size_t num_left, const std::function<Cells(size_t)>& row);
std::vector<size_t> DoneFiles(const Inputs& inputs);

// {"databases": [...]}. Each database has its path and engine, the name and family(g) of each group
// g, and, unless `file` is null, file(i) of each file i that is done.
tool::Json DocumentOf(const Inputs& inputs, const Inspection& inspection,
                      const std::function<tool::Json(size_t)>& family,
                      const std::function<tool::Json(size_t)>& file = nullptr);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_REPORT_H_

// What RocksDB's LOG files say of a database: statistics, and folders of tables (database.h).
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/db/directory/database.h"
#include "src/db/directory/directory.h"
#include "src/db/directory/file_names.h"
#include "src/db/directory/options_file.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"
#include "src/support/paths.h"

namespace bloomline::directory {
namespace {

constexpr uint64_t kChunkBytes = 1 << 20;
constexpr uint64_t kFirstBytes = 1 << 20;  // RocksDB's options take about 30 KB
constexpr std::string_view kStatistics = "STATISTICS:";
constexpr std::string_view kTicker = "rocksdb.";

// ---- Statistics::ToString(), as RocksDB 7 to 11 print it.

// RocksDB cuts a message of LOG at this size. A dump has about 25 KB.
constexpr size_t kMaxDumpBytes = 65536;
constexpr std::string_view kBlanks = " \t\r";

enum class Line { kTicker, kHistogram, kOther, kBad };

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = line.find_first_not_of(kBlanks);
    if (begin == line.npos) return words;
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

// "NAME COUNT : 12", "NAME 12", "NAME P50 : 0.5 ... COUNT : 12 SUM : 34".
Line ParseLine(std::string_view line, std::string_view* name, uint64_t* count) {
  const std::vector<std::string_view> words = Words(line);
  if (words.empty() || words[0].substr(0, kTicker.size()) != kTicker) return Line::kOther;
  *name = words[0];
  if (words.size() == 2 && support::ParseUint64(words[1], count)) return Line::kTicker;
  if (words.size() < 2) return Line::kBad;
  if (words[1] == "P50" || words[1] == "statistics") return Line::kHistogram;
  const bool has_count = words.size() == 4 && words[1] == "COUNT" && words[2] == ":";
  return has_count && support::ParseUint64(words[3], count) ? Line::kTicker : Line::kBad;
}

// Takes a line off the front. False: there is none.
bool TakeLine(std::string_view* text, std::string_view* line, bool* is_whole) {
  if (text->empty()) return false;
  const size_t end = std::min(text->find('\n'), text->size());
  *is_whole = end < text->size();
  *line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return true;
}

// The tickers among the lines of statistics that `text` begins with. False: the end of `text` cuts
// them off.
bool TakeDump(std::string_view text, Tickers* tickers) {
  std::string_view line, name;
  uint64_t count;
  bool is_whole;
  bool has_end = false;  // the histograms come last, or another line follows
  Tickers found;
  while (TakeLine(&text, &line, &is_whole)) {
    if (!is_whole) return false;
    if (Words(line).empty()) continue;  // behind "STATISTICS:"
    const Line kind = ParseLine(line, &name, &count);
    if (kind == Line::kTicker) found[std::string(name)] = count;
    has_end = has_end || kind == Line::kHistogram || kind == Line::kOther;
    if (kind == Line::kOther) break;
  }
  if (!has_end || found.empty()) return false;
  *tickers = std::move(found);
  return true;
}

// ---- LOG may have gigabytes; only its beginning or its end is read.

// The name of LOG in DBOptions::db_log_dir: the database's path with '_' for each character that
// is not usual in names.
std::string LogNameFor(const std::string& database_path) {
  std::error_code code;
  const std::string path =
      support::FromPath(std::filesystem::absolute(support::ToPath(database_path), code));
  std::string name;
  for (size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    const bool is_usual = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    if (is_usual) {
      name += c;
    } else if (i > 0) {
      name += '_';
    }
  }
  return name + "_LOG";
}

// The newest first.
std::vector<std::string> LogFiles(const std::string& database_path) {
  std::vector<std::string> paths = {Join(database_path, "LOG")};
  Listing listing;
  std::string error;
  if (!ListFolder(database_path, &listing, &error)) return paths;
  for (const std::string& name : listing.old_logs) paths.push_back(Join(database_path, name));
  OptionsFile options;
  if (!ReadNewestOptions(database_path, &options, &error)) return paths;
  const std::string& folder = options.database["db_log_dir"];
  if (!folder.empty()) paths.insert(paths.begin(), Join(folder, LogNameFor(database_path)));
  return paths;
}

// What RocksDB writes when it opens the database. Nothing, if the file cannot be read.
template <typename Take>
void ForEachFirstLine(const std::string& path, Take take) {
  support::InputFile file;
  std::string error;
  if (!file.Open(path, &error)) return;
  std::string text(static_cast<size_t>(std::min(file.size(), kFirstBytes)), '\0');
  if (!file.ReadAt(0, text.size(), text.data(), &error)) return;
  std::string_view rest = text, line;
  bool is_whole;
  while (TakeLine(&rest, &line, &is_whole)) take(line);
}

// Those behind the last whole "STATISTICS:" of the file.
bool FindTickers(const support::InputFile& file, Tickers* tickers, std::string* error) {
  std::string text;  // from `begin` on; what was read before is cut off if it holds no dump
  for (uint64_t begin = file.size(); begin > 0;) {
    const uint64_t chunk = std::min(begin, kChunkBytes);
    begin -= chunk;
    std::string head(static_cast<size_t>(chunk), '\0');
    if (!file.ReadAt(begin, chunk, head.data(), error)) return false;
    text.insert(0, head);
    // A dump ends before the next line that does not begin as its own do. So with one mark in each
    // such line no line is read twice, whatever the file is.
    for (size_t at = text.rfind(kStatistics); at != text.npos;) {
      const size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
      if (text.compare(text.find_first_not_of(" \t\r", line), kTicker.size(), kTicker) != 0 &&
          TakeDump(std::string_view(text).substr(at + kStatistics.size()), tickers)) {
        return true;
      }
      at = line == 0 ? text.npos : text.rfind(kStatistics, line - 1);
    }
    // A dump may begin in the chunk before this one; it has at most 64 KiB.
    text.resize(std::min<size_t>(text.size(), kMaxDumpBytes));
  }
  return false;
}

}  // namespace

std::vector<std::string> TableFoldersInLog(const std::string& database_path) {
  constexpr std::string_view kListed = " SST files in ";
  constexpr std::string_view kBehindListed = " dir, Total Num: ";
  constexpr std::string_view kNotYet = " Directory from db_paths/cf_paths does not yet exist: ";
  std::vector<std::string> folders;
  for (const std::string& path : LogFiles(database_path)) {
    ForEachFirstLine(path, [&](std::string_view line) {
      size_t at = line.find(kListed);
      if (at != line.npos) {
        const size_t from = at + kListed.size();
        const size_t to = line.find(kBehindListed, from);
        if (to != line.npos) folders.emplace_back(line.substr(from, to - from));
      } else if ((at = line.find(kNotYet)) != line.npos) {
        folders.emplace_back(line.substr(at + kNotYet.size()));
      }
    });
    if (!folders.empty()) break;
  }
  return folders;
}

void AddBlockCachesOfLog(Database* database) {
  constexpr std::string_view kFamily = "Options for column family [";
  constexpr std::string_view kCache = "  block_cache: ";
  constexpr std::string_view kCapacity = "    capacity : ";
  const auto starts_with = [](std::string_view line, std::string_view start) {
    return line.substr(0, start.size()) == start;
  };
  for (const std::string& path : LogFiles(database->path)) {
    ColumnFamily* family = nullptr;
    bool has_options = false;  // a family may have no cache, and older files say what was
    ForEachFirstLine(path, [&](std::string_view line) {
      const size_t at = line.find(kFamily);
      if (at != line.npos) {
        has_options = true;
        const std::string_view rest = line.substr(at + kFamily.size());
        const std::string_view name = rest.substr(0, rest.rfind("]:"));
        const auto is_named = [&](const ColumnFamily& known) { return known.name == name; };
        std::vector<ColumnFamily>& all = database->column_families;
        const auto known = std::find_if(all.begin(), all.end(), is_named);
        family = known == all.end() ? nullptr : &*known;
      } else if (family != nullptr && starts_with(line, kCache)) {
        family->block_cache = line.substr(kCache.size());
      } else if (family != nullptr && starts_with(line, kCapacity)) {
        // A compressed cache follows with lines of the same words.
        if (family->block_cache_bytes == 0) {
          support::ParseUint64(line.substr(kCapacity.size()), &family->block_cache_bytes);
        }
      }
    });
    if (has_options) return;
  }
}

bool ReadLogTickers(const std::string& database_path, Tickers* tickers, std::string* error) {
  bool has_log = false;
  for (const std::string& path : LogFiles(database_path)) {
    support::InputFile file;
    std::string failure;
    if (!file.Open(path, &failure)) continue;
    has_log = true;
    if (FindTickers(file, tickers, &failure)) return true;
  }
  *error = database_path + (has_log ? ": LOG has no statistics; RocksDB writes them if "
                                      "DBOptions::statistics is set, each stats_dump_period_sec"
                                    : ": has no LOG");
  return false;
}

bool ParseTickers(const std::string& text, Tickers* tickers, std::string* error) {
  std::string_view rest = text, line, name;
  uint64_t count;
  bool is_whole;
  Tickers parsed;
  for (uint64_t number = 1; TakeLine(&rest, &line, &is_whole); ++number) {
    const Line kind = ParseLine(line, &name, &count);
    if (kind == Line::kTicker) parsed[std::string(name)] = count;
    if (kind != Line::kBad) continue;
    *error = "line " + std::to_string(number) + " is " + Quoted(line) +
             "; allowed: a name and a count from 0 to 18446744073709551615, as in "
             "'rocksdb.bloom.filter.useful COUNT : 12'";
    return false;
  }
  if (parsed.empty()) {
    *error = "has no tickers; allowed: lines as 'rocksdb.bloom.filter.useful COUNT : 12'";
    return false;
  }
  *tickers = std::move(parsed);
  return true;
}

}  // namespace bloomline::directory

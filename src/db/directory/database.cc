#include "src/db/directory/database.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "src/db/directory/file_names.h"

namespace bloomline::directory {
namespace {

using sstable::Engine;

constexpr size_t kMaxPathBytes = 4096;  // PATH_MAX
constexpr uint64_t kMaxListBytes = 64 << 20;

// Returns the Database of the listed files of that engine.
Database* FilesOf(Engine engine, std::vector<Database>* databases) {
  for (Database& database : *databases) {
    if (database.path.empty() && database.engine == engine) return &database;
  }
  Database& added = databases->emplace_back();
  added.engine = engine;
  added.column_families.emplace_back();
  return &added;
}

// The engine that wrote a table; if the table cannot be read, the one of its name.
Engine EngineOfTable(const std::string& path) {
  std::string ignored;
  const auto table = sstable::Table::Open(path, {}, &ignored);
  if (table != nullptr) return table->engine();
  return std::filesystem::path(path).extension() == ".ldb" ? Engine::kLevelDB : Engine::kRocksDB;
}

void AddTable(const std::string& path, std::vector<Database>* databases) {
  TableFile table;
  table.path = path;
  std::error_code code;
  const uint64_t bytes = std::filesystem::file_size(path, code);
  if (!code) table.bytes = bytes;
  FilesOf(EngineOfTable(path), databases)->files.push_back(std::move(table));
}

bool OpenPath(const std::string& path, bool is_listed,
              const std::vector<std::string>& table_folders, std::vector<Database>* databases,
              std::string* error) {
  using std::filesystem::file_type;
  std::error_code code;
  switch (std::filesystem::status(path, code).type()) {
    case file_type::directory: {
      Database database;
      if (!ReadDirectory(path, table_folders, &database, error)) return false;
      databases->push_back(std::move(database));
      return true;
    }
    case file_type::regular:
      AddTable(path, databases);
      return true;
    case file_type::not_found:
      if (is_listed) {
        AddTable(path, databases);
        return true;
      }
      *error = path + ": does not exist; allowed: a database's folder, a table, or @FILE";
      return false;
    default:
      *error = path + ": " + (code ? code.message() : "is neither a folder nor a regular file");
      return false;
  }
}

// One path per line; empty lines are skipped.
bool OpenList(const std::string& text, const std::string& name,
              const std::vector<std::string>& table_folders, std::vector<Database>* databases,
              std::string* error) {
  uint64_t number = 0;
  uint64_t num_paths = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    ++num_paths;
    std::string failure = "has more than 4096 bytes, the most that a path has";
    if (line.size() > kMaxPathBytes || !OpenPath(line, true, table_folders, databases, &failure)) {
      *error = name + ", line " + std::to_string(number) + ": " + failure;
      return false;
    }
  }
  if (num_paths == 0) *error = name + ": names nothing; allowed: one folder or table per line";
  return num_paths != 0;
}

bool OpenArgument(const std::string& argument, const std::vector<std::string>& table_folders,
                  std::vector<Database>* databases, std::string* error) {
  if (argument.empty()) {
    *error = "the path is empty; allowed: a database's folder, a table, or @FILE";
    return false;
  }
  if (argument != "-" && argument[0] != '@') {
    return OpenPath(argument, false, table_folders, databases, error);
  }
  const std::string name = argument == "-" ? argument : argument.substr(1);
  std::string text;
  if (!ReadInput(name, kMaxListBytes, &text, error)) {
    *error += "; behind @ comes a file with one path per line, or - for stdin";
    return false;
  }
  return OpenList(text, name == "-" ? "stdin" : name, table_folders, databases, error);
}

}  // namespace

bool OpenInput(const std::string& argument, std::vector<Database>* databases, std::string* error,
               const std::vector<std::string>& table_folders) {
  std::vector<Database> opened;
  if (!OpenArgument(argument, table_folders, &opened, error)) return false;
  std::move(opened.begin(), opened.end(), std::back_inserter(*databases));
  return true;
}

bool Refresh(Database* database, std::string* error) {
  if (database->path.empty()) return true;
  Database again;
  if (!ReadDirectory(database->path, database->table_folders, &again, error)) return false;
  *database = std::move(again);
  return true;
}

}  // namespace bloomline::directory

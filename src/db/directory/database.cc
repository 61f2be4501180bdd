#include "src/db/directory/database.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "src/db/directory/file_names.h"

namespace bloomline::directory {
namespace {

using sstable::Engine;

// Returns the Database of the single tables of that engine.
Database* TablesOf(Engine engine, std::vector<Database>* databases) {
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
  TablesOf(EngineOfTable(path), databases)->files.push_back(std::move(table));
}

}  // namespace

bool OpenInput(const std::string& path, std::vector<Database>* databases, std::string* error,
               const std::vector<std::string>& table_folders) {
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
      *error = path + ": does not exist; allowed: a database's folder, or a table";
      return false;
    default:
      *error = path + ": " + (code ? code.message() : "is neither a folder nor a regular file");
      return false;
  }
}

}  // namespace bloomline::directory

#include "src/engines/rewrite/stored_options.h"

#include <algorithm>
#include <string_view>

#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/utilities/options_util.h"
#include "src/engines/rewrite/self_contained.h"
#include "src/support/quoted.h"

namespace bloomline::rewrite {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;

// Whether the options have an object where the file names one.
struct Object {
  const char* option;
  const char* what;
  bool (*is_loaded)(const ColumnFamilyOptions& options);
};
constexpr Object kObjects[] = {
    {"comparator", "comparator",
     [](const ColumnFamilyOptions& o) { return o.comparator != nullptr; }},
    {"merge_operator", "merge operator",
     [](const ColumnFamilyOptions& o) { return o.merge_operator != nullptr; }},
    {"compaction_filter", "compaction filter",
     [](const ColumnFamilyOptions& o) { return o.compaction_filter != nullptr; }},
    {"compaction_filter_factory", "compaction filter factory",
     [](const ColumnFamilyOptions& o) { return o.compaction_filter_factory != nullptr; }},
    {"prefix_extractor", "prefix extractor",
     [](const ColumnFamilyOptions& o) { return o.prefix_extractor != nullptr; }},
    {"sst_partitioner_factory", "SST partitioner factory",
     [](const ColumnFamilyOptions& o) { return o.sst_partitioner_factory != nullptr; }},
};

std::string NotBuiltIn(const std::string& family, const char* what, std::string_view name) {
  return "column family '" + family + "' has the " + what + " " + support::Quoted(name) +
         " of its application, which this program does not have; allowed: databases with objects "
         "of RocksDB and bloomline alone. Call RewriteFilters in the application";
}

// The file's lines of column families against what RocksDB made of them: it returns no error for
// some names that it does not know.
bool HasAllObjects(std::string_view text, const std::vector<ColumnFamilyDescriptor>& families,
                   std::string* error) {
  constexpr std::string_view kFamily = "[CFOptions \"";
  const ColumnFamilyDescriptor* family = nullptr;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    if (!line.empty() && line[0] == '[') {
      family = nullptr;
      for (const ColumnFamilyDescriptor& other : families) {
        if (line == std::string(kFamily) + other.name + "\"]") family = &other;
      }
      continue;
    }
    const size_t sign = line.find('=');
    if (family == nullptr || sign == line.npos) continue;
    const std::string_view value = line.substr(sign + 1);
    if (value == "nullptr" || value.empty()) continue;
    for (const Object& object : kObjects) {
      if (line.substr(0, sign) != object.option || object.is_loaded(family->options)) continue;
      *error = NotBuiltIn(family->name, object.what, value);
      return false;
    }
    // RocksDB takes its own comparator for one that it does not know.
    if (line.substr(0, sign) == "comparator") {
      const std::string_view name = family->options.comparator->Name();
      if (value.find(name) == value.npos) {
        *error = NotBuiltIn(family->name, "comparator", value);
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool ReadStoredOptions(const std::string& path, StoredOptions* options, std::string* error) {
  Env* const env = Env::Default();
  std::string name;
  Status status = ROCKSDB_NAMESPACE::GetLatestOptionsFileName(path, env, &name);
  std::string text;
  if (status.ok()) status = ReadFileToString(env, path + "/" + name, &text);
  if (!status.ok()) {
    *error = path + " has no OPTIONS file that can be read: " + status.ToString() +
             "; allowed: the directory of a RocksDB database";
    return false;
  }
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  status = LoadOptionsFromFile(config, path + "/" + name, &options->database, &options->families);
  if (!status.ok()) {
    *error = path + "/" + name +
             " has options or objects that this program does not know: " + status.ToString() +
             ". Call RewriteFilters in the application";
    return false;
  }
  options->database.create_if_missing = false;
  // It would take a database whose files are in other folders for one that has lost them.
  options->database.best_efforts_recovery = false;
  return IsSelfContained(path, options->database, error) &&
         HasAllObjects(text, options->families, error);
}

}  // namespace bloomline::rewrite

#include "src/engines/rewrite/stored_options.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "src/engines/rewrite/self_contained.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::rewrite {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

// ---- The lines of an OPTIONS file, as RocksDB's parser reads them (options/options_parser.cc).

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// A '#' begins a comment, "\#" does not.
std::string_view WithoutComment(std::string_view line) {
  size_t sign = line.find('#');
  while (sign != line.npos && sign > 0 && line[sign - 1] == '\\') sign = line.find('#', sign + 1);
  return line.substr(0, sign);
}

// The character that a backslash and `c` mean.
char Unescaped(char c) {
  if (c == 'n') return '\n';
  return c == 'r' ? '\r' : c;
}

std::string Unescape(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size();
    if (is_escape) ++i;
    const char c = text[i];
    result += is_escape ? Unescaped(c) : c;
  }
  return result;
}

struct OptionLine {
  std::string_view section;  // CFOptions
  std::string family;
  std::string_view name;
  std::string value;
};

std::vector<OptionLine> ParseLines(std::string_view text) {
  std::vector<OptionLine> lines;
  OptionLine line;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view content = Trim(WithoutComment(text.substr(0, end + 1)));
    text.remove_prefix(end + 1);
    if (content.size() >= 2 && content.front() == '[' && content.back() == ']') {
      const size_t first = content.find('"');
      const size_t last = content.rfind('"');
      line.section = Trim(content.substr(1, std::min(first, content.size() - 1) - 1));
      line.family = first == last ? "" : Unescape(content.substr(first + 1, last - first - 1));
    } else if (const size_t sign = content.find('='); sign != content.npos) {
      line.name = Trim(content.substr(0, sign));
      line.value = Unescape(Trim(content.substr(sign + 1)));
      lines.push_back(line);
    }
  }
  return lines;
}

// ---- Compares these lines with the options that RocksDB made of them, because it returns no error
// for some names that it does not know.

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
    {"table_factory", "table factory",
     [](const ColumnFamilyOptions& o) { return o.table_factory != nullptr; }},
};

bool HasObject(const OptionLine& line, const ColumnFamilyOptions& options, std::string* error) {
  if (line.value == "nullptr" || line.value.empty()) return true;
  for (const Object& object : kObjects) {
    if (line.name != object.option) continue;
    // RocksDB substitutes its own comparator for an unknown one.
    if (object.is_loaded(options) &&
        (line.name != "comparator" ||
         line.value.find(options.comparator->Name()) != std::string::npos)) {
      continue;
    }
    *error = std::string("has the ") + object.what + " " + support::Quoted(line.value) +
             " of its application, which this program does not have; allowed: databases with "
             "objects of RocksDB and bloomline alone. Call RewriteFilters in the application";
    return false;
  }
  return true;
}

using Changes = std::unordered_map<std::string, std::string>;

std::string IdOf(const std::string& value, Changes* changes) {
  std::string id;
  FilterPolicy::GetOptionsMap(ConfigOptions(), nullptr, value, &id, changes).PermitUncheckedError();
  return id;
}

// Shows the id alone, because the options may have a secret seed.
std::string ShownId(const std::string& value) {
  Changes changes;
  const std::string id = value.find('=') == value.npos ? value : IdOf(value, &changes);
  return id.empty() || id.find('=') != id.npos ? "{...}" : id;
}

// Returns `why`, unless it shows the options or the seed in them.
std::string WithoutSeed(const std::string& value, const std::string& why) {
  constexpr std::string_view kName = "seed";
  const size_t name = value.find(kName);
  std::string seed;
  if (name != value.npos) {
    const size_t begin =
        std::min(value.find_first_not_of(" =:", name + kName.size()), value.size());
    seed = value.substr(begin, value.find_first_of(" ;}", begin) - begin);
  }
  const auto shows = [&](const std::string& text) {
    return !text.empty() && why.find(text) != why.npos;
  };
  if (value.find('=') == value.npos || (!shows(value) && !shows(seed))) return why;
  return "the reason shows its options, which may be secret";
}

// When RocksDB reads an OPTIONS file, it drops errors about objects in table options: if one option
// of a policy is unknown, it uses the policy's defaults.
bool CanReadTableOption(const OptionLine& line, std::string* error) {
  ConfigOptions config = StrictConfig();
  config.input_strings_escaped = false;  // otherwise RocksDB drops the errors here, too
  config.invoke_prepare_options = false;
  const std::unique_ptr<ROCKSDB_NAMESPACE::TableFactory> table(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory());
  const Status status = table->ConfigureOption(config, std::string(line.name), line.value);
  std::string why = status.ok() ? "" : status.ToString();
  if (line.name == "filter_policy" && why.empty()) why = WhyNoFilters(line.value);
  if (why.empty()) return true;
  *error = "has the " + std::string(line.name) + " " + support::Quoted(ShownId(line.value)) +
           ", which this program cannot read: " + WithoutSeed(line.value, why);
  *error += line.name == "filter_policy" ? ". Name the new policy with --policy"
                                         : ". Call RewriteFilters in the application";
  return false;
}

bool CanReadFamilies(std::string_view text, bool needs_policies,
                     const std::vector<ColumnFamilyDescriptor>& families, std::string* error) {
  for (const OptionLine& line : ParseLines(text)) {
    const auto family = std::find_if(
        families.begin(), families.end(),
        [&](const ColumnFamilyDescriptor& other) { return other.name == line.family; });
    const bool is_table = line.section == "TableOptions/BlockBasedTable" &&
                          (needs_policies || line.name != "filter_policy");
    const bool is_family = line.section == "CFOptions" && family != families.end();
    std::string why;
    if ((!is_table || CanReadTableOption(line, &why)) &&
        (!is_family || HasObject(line, family->options, &why))) {
      continue;
    }
    *error = "column family '" + line.family + "' " + why;
    return false;
  }
  return true;
}

// Without a policy, RocksDB would turn the log into a table without a filter, and write no filter.
bool HasPolicy(const std::vector<ColumnFamilyDescriptor>& families, std::string* error) {
  for (const ColumnFamilyDescriptor& family : families) {
    const auto* const table =
        family.options.table_factory->GetOptions<ROCKSDB_NAMESPACE::BlockBasedTableOptions>();
    if (table != nullptr && table->filter_policy != nullptr) return true;
  }
  *error =
      "no column family of the OPTIONS file has a filter_policy. Name the new policy with "
      "--policy";
  return false;
}

}  // namespace

ConfigOptions StrictConfig() {
  ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  return config;
}

std::string WhyNoFilters(const std::string& text) {
  if (text.find("rocksdb.BuiltinBloomFilter") != text.npos) {
    return "it only reads filters, and says no bits per key; allowed: bloomfilter:BITS, "
           "ribbonfilter:BITS";
  }
  Changes changes;
  const std::string id = IdOf(text, &changes);
  std::string bits = changes.count("bits_per_key") == 0 ? "" : changes["bits_per_key"];
  if (const size_t colon = id.find(':'); bits.empty() && colon != id.npos) {
    bits = id.substr(colon + 1, id.find(':', colon + 1) - colon - 1);
  }
  double number = 0;
  if (bits.empty() || (support::ParseDouble(bits, &number) && (number == 0 || number >= 1))) {
    return "";
  }
  return "the bits per key are " + support::Quoted(bits) +
         "; allowed: a number from 1 on, or 0 for no filters";
}

bool ReadStoredOptions(const std::string& path, bool needs_policies, StoredOptions* options,
                       std::string* error) {
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
  status = LoadOptionsFromFile(StrictConfig(), path + "/" + name, &options->database,
                               &options->families);
  if (!status.ok()) {
    *error = path + "/" + name +
             " has options or objects that this program does not know: " + status.ToString() +
             ". Call RewriteFilters in the application";
    return false;
  }
  options->database.create_if_missing = false;
  // If it were true, RocksDB would take files in other folders for lost ones.
  options->database.best_efforts_recovery = false;
  options->database.paranoid_checks = true;
  options->database.recycle_log_file_num = 0;  // logs may have hard links
  return IsSelfContained(path, options->database, error) &&
         CanReadFamilies(text, needs_policies, options->families, error) &&
         (!needs_policies || HasPolicy(options->families, error));
}

}  // namespace bloomline::rewrite

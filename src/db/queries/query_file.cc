#include "src/db/queries/query_file.h"

#include <string_view>
#include <utility>
#include <vector>

#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using cli::KeyForm;

// A line: a key, or the bounds of a range. Empty, or what is wrong.
std::string AddLine(std::string_view line, bool is_hex, QueryCollector* collector) {
  constexpr const char* kAllowed =
      "; allowed with --hex: an even number of the digits 0-9, a-f, A-F, or two such numbers with "
      "a tab between them";
  const size_t tab = line.find('\t');
  std::string key, end;
  std::string_view key_text = line.substr(0, tab);
  std::string_view end_text = tab == line.npos ? std::string_view() : line.substr(tab + 1);
  if (is_hex) {
    if (!cli::AppendHex(key_text, &key) || !cli::AppendHex(end_text, &end)) {
      return "is " + support::Quoted(line) + kAllowed;
    }
    key_text = key;
    end_text = end;
  } else if (end_text.find('\t') != end_text.npos) {
    return "is " + support::Quoted(line) +
           "; allowed: one tab, between the bounds of a range; with --hex a key may have tabs";
  }
  if (tab == line.npos) {
    collector->AddGet(0, key_text);
  } else if (key_text < end_text) {
    collector->AddScan(0, key_text, end_text);
  } else {
    return "is a range from " + support::Quoted(line.substr(0, tab)) + " to before " +
           support::Quoted(line.substr(tab + 1)) +
           ", which has no key; allowed: bounds in the order of their bytes";
  }
  return "";
}

bool ReadKeys(const std::string& path, KeyForm form, QueryCollector* collector,
              std::string* error) {
  const bool has_ranges = form == KeyForm::kLines || form == KeyForm::kHex;
  cli::KeyReader reader(has_ranges ? KeyForm::kLines : form, {path});
  std::vector<cli::Key> keys;
  std::string failure;
  while (reader.Next(&keys, &failure)) {
    for (const cli::Key& key : keys) {
      if (collector->num_queries() == 0 && key.written.find(kTraceMagic) != key.written.npos) {
        *error = "standard input has a trace of RocksDB; allowed: keys, or the name of its file";
        return false;
      }
      if (!has_ranges) {
        collector->AddGet(0, key.key);
        continue;
      }
      const std::string wrong = AddLine(key.written, form == KeyForm::kHex, collector);
      if (wrong.empty()) continue;
      *error = (path == "-" ? "standard input" : path) + ": line " +
               std::to_string(collector->num_queries() + 1) + " " + wrong;
      return false;
    }
  }
  if (failure.empty()) return true;
  *error = std::move(failure);
  return false;
}

}  // namespace

bool ReadQueries(const std::string& path, KeyForm form, uint64_t seed, RecordedQueries* queries,
                 std::string* error) {
  QueryCollector collector(seed);
  bool is_trace = false;
  std::string warning;
  if (path != "-") {
    support::InputFile file;  // refuses what may never end
    if (!file.Open(path, error)) return false;
    is_trace = IsTrace(file);
    if (is_trace && !ReadTrace(file, &collector, &warning, error)) return false;
  }
  if (!is_trace && !ReadKeys(path, form, &collector, error)) return false;
  *queries = collector.Finish();
  queries->is_trace = is_trace;
  queries->warning = std::move(warning);
  return true;
}

}  // namespace bloomline::db

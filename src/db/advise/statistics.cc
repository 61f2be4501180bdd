// Reads and evaluates RocksDB's own counters of filters (advise_output.h).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>

#include "src/db/advise/advise_output.h"
#include "src/support/number_text.h"

namespace bloomline::db {
namespace {

// The values of the counters by name, without "rocksdb.".
std::map<std::string, uint64_t> ParseTickers(const std::string& text) {
  const std::string start = "rocksdb.";
  std::map<std::string, uint64_t> tickers;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    std::istringstream of_line(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(of_line), {}};
    const bool has_count = words.size() == 4 && words[1] == "COUNT" && words[2] == ":";
    uint64_t count;
    if ((words.size() == 2 || has_count) && words[0].rfind(start, 0) == 0 &&
        support::ParseUint64(words.back(), &count)) {
      tickers[words[0].substr(start.size())] = count;
    }
  }
  return tickers;
}

}  // namespace

bool ReadStatistics(const std::string& text, Statistics* statistics, std::string* error) {
  std::map<std::string, uint64_t> tickers = ParseTickers(text);
  const auto has = [&](const char* name) { return tickers.count(name) != 0; };
  for (const char* const name :
       {"bloom.filter.useful", "bloom.filter.full.positive", "bloom.filter.full.true.positive"}) {
    if (has(name)) continue;
    *error = std::string("the statistics have no line 'rocksdb.") + name + " COUNT : NUMBER'";
    return false;
  }
  statistics->useful = tickers["bloom.filter.useful"];
  statistics->full_positive = tickers["bloom.filter.full.positive"];
  // Other threads may change the counters while RocksDB prints them.
  statistics->true_positive =
      std::min(tickers["bloom.filter.full.true.positive"], statistics->full_positive);
  // From RocksDB 8.3 on, bloom.filter.prefix.* counts Gets, and other counters count iterators.
  for (const char* const name :
       {"bloom.filter.prefix.checked", "last.level.seek.filtered", "last.level.seek.filter.match",
        "non.last.level.seek.filtered", "non.last.level.seek.filter.match"}) {
    statistics->prefix_checked += tickers[name];
  }
  // A Get that misses the memtables ends in one of the levels, or its key is missing.
  if (has("memtable.miss") && has("l0.hit") && has("l1.hit") && has("l2andup.hit")) {
    const uint64_t missed = tickers["memtable.miss"];
    statistics->gets_in_files =
        std::min(missed, tickers["l0.hit"] + tickers["l1.hit"] + tickers["l2andup.hit"]);
    statistics->gets_of_missing_keys = missed - statistics->gets_in_files;
    statistics->gets_of_stored_keys = statistics->gets_in_files + tickers["memtable.hit"];
  }
  return true;
}

double Statistics::false_positive_rate() const {
  return Quotient(false_positives(), useful + false_positives());
}

double Statistics::wasted_reads() const {
  if (!gets_of_missing_keys) return std::nan("");
  if (gets_in_files != 0) return runs * false_positive_rate();
  return Quotient(false_positives(), *gets_of_missing_keys);
}

}  // namespace bloomline::db

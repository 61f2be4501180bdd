#include <algorithm>
#include <utility>
#include <vector>

#include "src/inspect/database/file_names.h"
#include "src/inspect/database/info_log.h"
#include "src/support/number_text.h"
#include "src/support/out_of_memory.h"

namespace bloomline::database {
namespace {

constexpr std::string_view kSpaces = " \t\r";
constexpr std::string_view kName = "rocksdb.";

enum class Line { kTicker, kHistogram, kOther, kBad };

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = line.find_first_not_of(kSpaces);
    if (begin == line.npos) return words;
    const size_t end = std::min(line.find_first_of(kSpaces, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

// "NAME COUNT : 12", "NAME 12", "NAME P50 : 0.5 ... COUNT : 12 SUM : 34".
Line ParseLine(std::string_view line, std::string_view* name, uint64_t* count) {
  const std::vector<std::string_view> words = Words(line);
  if (words.empty() || words[0].substr(0, kName.size()) != kName) return Line::kOther;
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

}  // namespace

bool WholeDump(std::string_view text, std::string* dump) {
  const std::string_view all = text;
  std::string_view line, name;
  uint64_t count;
  bool is_whole;
  bool has_ticker = false;
  bool has_histogram = false;
  while (true) {
    const size_t end = all.size() - text.size();
    if (!TakeLine(&text, &line, &is_whole)) {
      // The histograms come last.
      if (!has_ticker || !has_histogram) return false;
      dump->assign(all);
      return true;
    }
    if (!is_whole) return false;
    if (Words(line).empty()) continue;  // behind "STATISTICS:"
    switch (ParseLine(line, &name, &count)) {
      case Line::kTicker:
        has_ticker = true;
        break;
      case Line::kHistogram:
        has_histogram = true;
        break;
      case Line::kBad:
        break;
      case Line::kOther:
        dump->assign(all.substr(0, end));
        return has_ticker;
    }
  }
}

void ParseDump(std::string_view dump, Tickers* tickers) {
  std::string_view line, name;
  uint64_t count;
  bool is_whole;
  while (TakeLine(&dump, &line, &is_whole)) {
    if (ParseLine(line, &name, &count) == Line::kTicker) (*tickers)[std::string(name)] = count;
  }
}

bool ParseTickers(const std::string& text, Tickers* tickers, std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    std::string_view rest = text, line, name;
    uint64_t count;
    bool is_whole;
    Tickers parsed;
    for (uint64_t number = 1; TakeLine(&rest, &line, &is_whole); ++number) {
      switch (ParseLine(line, &name, &count)) {
        case Line::kTicker:
          parsed[std::string(name)] = count;
          break;
        case Line::kBad:
          *reason = "line " + std::to_string(number) + " is " + Quoted(line) +
                    "; allowed: a name and a count from 0 to 18446744073709551615, as in "
                    "'rocksdb.bloom.filter.useful COUNT : 12'";
          return false;
        case Line::kHistogram:
        case Line::kOther:
          break;
      }
    }
    if (parsed.empty()) {
      *reason = "has no tickers; allowed: lines as 'rocksdb.bloom.filter.useful COUNT : 12'";
      return false;
    }
    *tickers = std::move(parsed);
    return true;
  });
}

}  // namespace bloomline::database

#include "src/db/advise/advise_output.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/db/inspect/inspection.h"
#include "src/db/report.h"
#include "src/db/sstable/table.h"

namespace bloomline::db {
namespace {

using advice::Choice;
using advice::Level;

uint64_t NumKeys(const advice::Situation& situation) {
  uint64_t keys = 0;
  for (const Level& level : situation.levels) keys += level.num_keys;
  return keys;
}

double BitsNow(const FamilyAdvice& family) {
  return 8 * static_cast<double>(family.advice.filter_bytes_now) /
         static_cast<double>(NumKeys(family.situation));
}

std::string BitsOrNone(double bits) { return bits > 0 ? cli::NumberText(bits, 2) : "none"; }

// Prints a column of bits per key for the filters of now, and one for each choice.
void PrintLevels(const FamilyAdvice& family) {
  std::vector<Cells> cells = {{"level", "keys", "runs", "wasted", "now"}};
  const std::vector<Choice>& choices = family.advice.choices;
  for (size_t c = 0; c < choices.size(); ++c) {
    cells[0].push_back("(" + std::to_string(c + 1) + ")");
  }
  for (size_t i = 0; i < family.situation.levels.size(); ++i) {
    const Level& level = family.situation.levels[i];
    cells.push_back({LevelText(level.number), KeysText(level.num_keys, false),
                     cli::NumberText(level.num_runs, 2), RateOrDash(level.wasted_reads),
                     level.num_keys == 0 ? "-"
                                         : BitsOrNone(8 * static_cast<double>(level.filter_bytes) /
                                                      static_cast<double>(level.num_keys))});
    for (const Choice& choice : choices) {
      cells.back().push_back(i < choice.bits_of_level.size() ? BitsOrNone(choice.bits_of_level[i])
                                                             : "-");
    }
  }
  std::cout << "\nbits per key of each level:\n" << cli::TextTable(cells);
}

void PrintChoices(const FamilyAdvice& family) {
  std::vector<Cells> cells = {{"", "bits/key", "memory", "wasted"}};
  cells.push_back({"now", BitsOrNone(BitsNow(family)),
                   cli::BytesText(family.advice.filter_bytes_now),
                   RateOrDash(family.advice.wasted_reads_now)});
  const bool is_stock = family.situation.stock_format.has_value();
  const bool has_none = family.advice.filter_bytes_now == 0;
  const bool with_readers =
      is_stock || (has_none && family.situation.engine == sstable::Engine::kRocksDB);
  if (with_readers) {
    cells[0].push_back("RocksDB");
    cells[1].push_back(is_stock ? "uses" : "-");
  }
  for (size_t c = 0; c < family.advice.choices.size(); ++c) {
    const Choice& choice = family.advice.choices[c];
    cells.push_back({"(" + std::to_string(c + 1) + ") " + choice.title,
                     BitsOrNone(8 * static_cast<double>(choice.filter_bytes) /
                                static_cast<double>(NumKeys(family.situation))),
                     cli::BytesText(choice.filter_bytes), RateOrDash(choice.wasted_reads)});
    if (with_readers) cells.back().push_back(choice.is_stock() ? "uses" : "ignores");
  }
  std::cout << cli::TextTable(cells);
}

void PrintRemark(const std::string& remark) {
  constexpr size_t kIndent = 2;
  std::string text = cli::Wrapped(remark, cli::kColumns - kIndent);
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += kIndent) {
    text.insert(++at, kIndent, ' ');
  }
  std::cout << "- " << text << '\n';
}

// Puts each word on its line, in the syntax of a shell.
void PrintSetting(const std::string& heading, std::string words) {
  if (words.empty()) return;
  constexpr std::string_view kBetween = " \\\n  ";
  for (size_t at = 0; (at = words.find(' ', at)) != std::string::npos; at += kBetween.size()) {
    words.replace(at, 1, kBetween);
  }
  std::cout << heading << ":\n  " << words << '\n';
}

cli::Json ChoiceJson(const Choice& choice) {
  return {{"title", choice.title},
          {"format", FormatName(choice.format)},
          {"by_level", choice.by_level},
          {"rocksdb_alone", choice.is_stock()},
          {"bits_per_key", choice.bits_per_key},
          {"bits_of_level", choice.bits_of_level},
          {"filter_bytes", choice.filter_bytes},
          {"wasted_reads", NumberOrNull(choice.wasted_reads)},
          {"option_string", cli::TextOrNull(choice.option_string)},
          {"environment", choice.environment}};
}

}  // namespace

void PrintStatistics(const Statistics& statistics) {
  const TickerRates& rates = statistics.rates;
  std::string text = "statistics in " + cli::Printable(statistics.from) + ": ";
  const uint64_t queries = rates.useful + rates.full_positive;
  if (queries + rates.prefix_checked == 0) {
    std::cout << text << "the filters were not queried\n";
    return;
  }
  text += cli::CountText(queries) + " filter queries for keys";
  if (queries != 0) {
    text += ", " + cli::CountText(queries - rates.true_positive) + " for missing ones; " +
            cli::CountText(rates.false_positives()) + " false positives, FPR " +
            RateOrDash(rates.false_positive_rate());
  }
  text += '\n';
  if (rates.gets_of_missing_keys) {
    const uint64_t gets = *rates.gets_of_missing_keys + *rates.gets_of_stored_keys;
    text += cli::CountText(gets) + " Gets, " + cli::CountText(*rates.gets_of_missing_keys) + " (" +
            ShareText(*rates.gets_of_missing_keys, gets) + ") of missing keys";
    if (!std::isnan(rates.wasted_reads(statistics.runs))) {
      text += "; wasted reads: " + RateOrDash(rates.wasted_reads(statistics.runs));
    }
    text += '\n';
  }
  if (rates.prefix_checked != 0) {
    text += cli::CountText(rates.prefix_checked) + " prefix queries, " +
            cli::CountText(rates.prefix_useful) + " of which avoided a read\n";
  }
  std::cout << cli::Wrapped(text, cli::kColumns) << '\n';
}

void PrintAdvice(const FamilyAdvice& family, const Statistics* statistics) {
  std::string title = family.title + ": " + EngineName(family.situation.engine) + ", " +
                      cli::CountText(NumKeys(family.situation)) + " keys";
  if (family.error.empty()) {
    title += family.measured ? "; rates measured" : "; rates expected, not measured";
  }
  cli::PrintLine(title);
  if (family.no_tables) cli::PrintLine("no advice: " + family.error);
  if (!family.error.empty()) return;
  PrintChoices(family);
  PrintLevels(family);
  if (statistics != nullptr) {
    std::cout << '\n';
    PrintStatistics(*statistics);
  }
  if (!family.advice.remarks.empty()) std::cout << '\n';
  for (const std::string& remark : family.advice.remarks) PrintRemark(remark);
  if (family.advice.choices.empty()) return;
  const Choice& best = family.advice.Chosen(family.request);
  std::cout << "\nTo apply (" << family.request.choice << "):\n";
  for (const std::string& remark : family.advice.on_chosen) PrintRemark(remark);
  PrintSetting("option string", best.option_string);
  PrintSetting("environment of the program", best.environment);
  if (family.advice.choices.size() > 1) std::cout << "\nOther choices: --choice N\n";
}

cli::Json StatisticsJson(const Statistics& statistics) {
  const TickerRates& rates = statistics.rates;
  return {{"from", statistics.from},
          {"useful", rates.useful},
          {"full_positive", rates.full_positive},
          {"full_true_positive", rates.true_positive},
          {"false_positives", rates.false_positives()},
          {"false_positive_rate", NumberOrNull(rates.false_positive_rate())},
          {"prefix_checked", rates.prefix_checked},
          {"prefix_useful", rates.prefix_useful},
          {"gets_of_missing_keys", cli::OrNull(rates.gets_of_missing_keys)},
          {"gets_of_stored_keys", cli::OrNull(rates.gets_of_stored_keys)},
          {"wasted_reads", NumberOrNull(rates.wasted_reads(statistics.runs))}};
}

cli::Json AdviceJson(const FamilyAdvice& family) {
  cli::Json levels = cli::Json::array();
  for (const Level& level : family.situation.levels) {
    levels.push_back({{"level", LevelJson(level.number)},
                      {"num_keys", level.num_keys},
                      {"runs", level.num_runs},
                      {"filters", level.num_filters},
                      {"filter_bytes", level.filter_bytes},
                      {"wasted_reads", NumberOrNull(level.wasted_reads)}});
  }
  cli::Json json{{"leveled", family.situation.leveled},
                 {"partitioned", family.situation.partitioned},
                 {"keys_per_filter", family.situation.keys_per_filter},
                 {"measured", family.measured},
                 {"request",
                  {{"memory_bytes", cli::OrNull(family.request.memory_bytes)},
                   {"wasted_reads", cli::OrNull(family.request.wasted_reads)},
                   {"choice", family.request.choice}}},
                 {"levels", std::move(levels)}};
  if (!family.error.empty()) {
    json["error"] = family.error;
    return json;
  }
  json["filter_bytes_now"] = family.advice.filter_bytes_now;
  json["bits_per_key_now"] = NumberOrNull(BitsNow(family));
  json["wasted_reads_now"] = NumberOrNull(family.advice.wasted_reads_now);
  json["choices"] = cli::Json::array();
  for (const Choice& choice : family.advice.choices) json["choices"].push_back(ChoiceJson(choice));
  json["remarks"] = family.advice.remarks;
  json["on_chosen"] = family.advice.on_chosen;
  return json;
}

}  // namespace bloomline::db

#include "src/db/advise/advise_output.h"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <utility>

#include "bloomline/filter_options.h"
#include "src/db/survey/report.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::db {
namespace {

using model::Choice;
using model::Level;

uint64_t NumKeys(const model::Situation& situation) {
  uint64_t keys = 0;
  for (const Level& level : situation.levels) keys += level.num_keys;
  return keys;
}

double BitsNow(const FamilyAdvice& family) {
  return 8 * Quotient(family.advice.filter_bytes_now, NumKeys(family.situation));
}

std::string BitsOrNone(double bits) { return bits > 0 ? tool::NumberText(bits, 2) : "none"; }

// Prints the bits per key of the current filters, and of the choice that is shown.
void PrintLevels(const FamilyAdvice& family) {
  const bool has_choice = !family.advice.choices.empty();
  const std::string name = has_choice ? "(" + std::to_string(family.request.choice) + ")" : "";
  std::vector<Cells> cells = {{"level", "keys", "runs", "wasted", "now", name}};
  for (size_t i = 0; i < family.situation.levels.size(); ++i) {
    const Level& level = family.situation.levels[i];
    cells.push_back(
        {LevelText(level.number), KeysText(level.num_keys, family.keys_estimated),
         tool::NumberText(level.num_runs, 2), RateOrDash(level.wasted_reads),
         level.num_keys == 0 ? "-" : BitsOrNone(8 * Quotient(level.filter_bytes, level.num_keys)),
         has_choice ? BitsOrNone(family.advice.Chosen(family.request).bits_of_level[i]) : ""});
  }
  std::cout << "\nmemory in bits per key, now" << (has_choice ? " and with " : "") << name << ":\n"
            << tool::TextTable(cells);
}

// CPU seconds of building the filters of a gigabyte of tables.
double BuildSecondsPerGB(const FamilyAdvice& family, const Choice& choice) {
  return choice.build_ns * Quotient(NumKeys(family.situation), family.situation.table_bytes);
}

// The choices of each goal are below its name.
void PrintChoices(const FamilyAdvice& family, bool all) {
  std::vector<Cells> cells = {
      {"", "bits/key", "memory", "wasted", "busy", "build", "per GB"},
      {"now", BitsOrNone(BitsNow(family)), tool::BytesText(family.advice.filter_bytes_now),
       RateOrDash(family.advice.wasted_reads_now), RateOrDash(family.advice.wasted_busy_now)}};
  constexpr size_t kMostShown = 6;
  const size_t num_choices = family.advice.choices.size();
  const size_t num_shown = all ? num_choices : std::min(num_choices, kMostShown);
  std::string goal;
  for (size_t c = 0; c < num_shown; ++c) {
    const Choice& choice = family.advice.choices[c];
    if (choice.goal != goal) cells.push_back({choice.goal + ":"});
    goal = choice.goal;
    cells.push_back({"(" + std::to_string(c + 1) + ") " + choice.kind,
                     BitsOrNone(8 * Quotient(choice.filter_bytes, NumKeys(family.situation))),
                     tool::BytesText(choice.filter_bytes), RateOrDash(choice.wasted_reads),
                     RateOrDash(choice.wasted_busy), tool::NumberText(choice.build_ns, 0) + " ns",
                     tool::NumberText(BuildSecondsPerGB(family, choice), 2) + " s"});
  }
  std::cout << tool::TextTable(cells);
  if (num_shown != num_choices) {
    std::cout << num_choices - num_shown << " more: --all\n";
  }
}

std::string Replaced(std::string text, char from, std::string_view to) {
  for (size_t i = 0; (i = text.find(from, i)) != text.npos; i += to.size()) text.replace(i, 1, to);
  return text;
}

void PrintRemark(const std::string& remark) {
  const std::string text = tool::Wrapped(tool::Printable(remark), tool::kColumns - 2);
  std::cout << "- " << Replaced(text, '\n', "\n  ") << '\n';
}

// Puts each word on its line, in the syntax of a shell. Not indented, option strings fit a screen.
void PrintSetting(const std::string& heading, const std::string& words) {
  if (words.empty()) return;
  std::cout << heading << ":\n" << Replaced(words, ' ', " \\\n  ") << '\n';
}

tool::Json ChoiceJson(const Choice& choice) {
  return {{"title", choice.title()},
          {"format", FormatName(choice.format)},
          {"by_level", choice.by_level},
          {"rocksdb_alone", choice.is_stock()},
          {"bits_per_key", choice.bits_per_key},
          {"bits_of_level", choice.bits_of_level},
          {"filter_bytes", choice.filter_bytes},
          {"wasted_reads", NumberOrNull(choice.wasted_reads)},
          {"wasted_reads_at_rest", NumberOrNull(choice.wasted_at_rest)},
          {"wasted_reads_busy", NumberOrNull(choice.wasted_busy)},
          {"build_ns_per_key", choice.build_ns},
          {"build_share_of_compaction", choice.build_share},
          {"option_string", tool::TextOrNull(choice.option_string)},
          {"faster_option_string", tool::TextOrNull(choice.faster_option_string)},
          {"environment", tool::TextOrNull(choice.environment)},
          {"rewrite_policy", tool::TextOrNull(choice.rewrite_policy)},
          {"database_option", tool::TextOrNull(choice.database_option())},
          {"column_family_option", tool::TextOrNull(choice.column_family_option())},
          {"format_version", choice.needs_format_version ? tool::Json(5) : tool::Json()}};
}

}  // namespace

void PrintStatistics(const Statistics& statistics) {
  const uint64_t queries = statistics.queries();
  PrintWrapped("statistics in " + statistics.from + ": " +
               tool::Counted(queries, "filter query", "filter queries") + " for keys, " +
               tool::CountText(queries - statistics.true_positive) + " for missing ones; " +
               tool::Counted(statistics.false_positives(), "false positive", "false positives") +
               ", FPR " + RateOrDash(statistics.false_positive_rate()));
  if (!statistics.gets_of_missing_keys) return;
  const uint64_t missing = *statistics.gets_of_missing_keys;
  const uint64_t gets = missing + *statistics.gets_of_stored_keys;
  PrintWrapped(tool::Counted(gets, "Get, ", "Gets, ") + tool::CountText(missing) + " (" +
               ShareText(missing, gets) +
               ") of missing keys; wasted reads: " + RateOrDash(statistics.wasted_reads()));
}

void PrintAdvice(const FamilyAdvice& family, const Statistics* statistics, bool one_environment,
                 bool all, std::set<std::string>* remarks) {
  std::string title = family.title + ": " + EngineName(family.situation.engine);
  if (!family.keys_unknown) {
    title += std::string(family.keys_estimated ? ", ~" : ", ") +
             tool::Counted(NumKeys(family.situation), "key", "keys");
  }
  if (family.error.empty()) {
    constexpr uint64_t kFewQueries = 1000;
    const bool is_measured = family.queries != 0;
    title += is_measured ? "; rates measured" : "; rates expected, not measured";
    if (is_measured && family.queries < kFewQueries) {
      title += " with " + tool::CountText(family.queries) + " queries";
    }
    const uint64_t expected = is_measured ? family.not_measured : 0;
    if (expected != 0) title += ", but expected in " + FilesText(expected);
  }
  tool::PrintLine(title);  // a path is not broken
  if (family.no_tables()) tool::PrintLine("no advice: " + family.error);
  if (!family.error.empty()) return;
  PrintChoices(family, all);
  PrintLevels(family);
  if (statistics != nullptr) {
    std::cout << '\n';
    PrintStatistics(*statistics);
  }
  const char* before = "\n";
  for (const auto& [scope, text] : family.remarks) {
    if (scope == RemarkScope::kAll && !remarks->insert(text).second) continue;
    std::cout << std::exchange(before, "");
    PrintRemark(text);
  }
  if (!family.cache_options.empty()) {
    std::cout << '\n';
    PrintWrapped(
        "To keep in the block cache the parts of filters and indexes that are in use, set these "
        "BlockBasedTableOptions, as lines of an OPTIONS file or with ';' between them in an option "
        "string. No preload library sets them. Until a compaction has rewritten a file, its filter "
        "is read as a whole:");
    for (const std::string& option : family.cache_options) std::cout << option << '\n';
  }
  if (family.advice.choices.empty()) return;
  const Choice& chosen = family.advice.Chosen(family.request);
  std::cout << "\nTo apply (" << family.request.choice << "; others: --choice N):\n";
  const std::string heading = "filter_policy in option strings and OPTIONS files";
  PrintSetting(heading + (chosen.needs_no_bloomline() ? "; bloomline is not needed" : ""),
               chosen.option_string);
  PrintSetting("the same filters, built faster by bloomline", chosen.faster_option_string);
  if (chosen.needs_format_version) PrintSetting("format_version beside it", "5");
  PrintSetting("option of the column family", chosen.column_family_option());
  PrintSetting("and in DBOptions (in C++: NewFilterAccount())", chosen.database_option());
  if (!chosen.rewrite_policy.empty()) {
    PrintSetting("command, while no program has the database open",
                 "bloomline db rewrite --policy '" + chosen.rewrite_policy + "' DIR NEWDIR");
  }
  constexpr const char* kNoEnvironment =
      "The preload library has one environment for all column families, and these need several: "
      "set option strings.";
  if (one_environment) {
    PrintSetting("environment of the program", chosen.environment);
  } else if (remarks->insert(kNoEnvironment).second) {
    PrintWrapped(kNoEnvironment);
  }
}

tool::Json StatisticsJson(const Statistics& statistics) {
  return {{"from", statistics.from},
          {"queries", statistics.queries()},
          {"false_positives", statistics.false_positives()},
          {"false_positive_rate", NumberOrNull(statistics.false_positive_rate())},
          {"prefix_checked", statistics.prefix_checked},
          {"gets_of_missing_keys", tool::OrNull(statistics.gets_of_missing_keys)},
          {"gets_of_stored_keys", tool::OrNull(statistics.gets_of_stored_keys)},
          {"wasted_reads", NumberOrNull(statistics.wasted_reads())}};
}

tool::Json AdviceJson(const FamilyAdvice& family) {
  const auto level_json = [&](const Level& level) -> tool::Json {
    return {{"level", LevelJson(level.number)},
            {"num_keys", family.keys_unknown ? tool::Json(nullptr) : tool::Json(level.num_keys)},
            {"runs", level.num_runs},
            {"filters", level.num_filters},
            {"filter_bytes", level.filter_bytes},
            {"wasted_reads", NumberOrNull(level.wasted_reads)}};
  };
  tool::Json json{{"leveled", family.situation.compaction == model::Compaction::kLeveled},
                  {"measured", family.queries != 0},
                  {"request",
                   {{"memory_bytes", tool::OrNull(family.request.memory_bytes)},
                    {"wasted_reads", tool::OrNull(family.request.wasted_reads)},
                    {"choice", family.request.choice}}},
                  {"levels", ListJson(family.situation.levels, level_json)}};
  if (!family.error.empty()) {
    json["error"] = family.error;
    return json;
  }
  json["filter_bytes_now"] = family.advice.filter_bytes_now;
  json["bits_per_key_now"] = NumberOrNull(BitsNow(family));
  json["wasted_reads_now"] = NumberOrNull(family.advice.wasted_reads_now);
  json["wasted_reads_at_rest_now"] = NumberOrNull(family.advice.wasted_at_rest_now);
  json["wasted_reads_busy_now"] = NumberOrNull(family.advice.wasted_busy_now);
  json["choices"] = ListJson(family.advice.choices, ChoiceJson);
  json["cache_options"] = family.cache_options;
  json["remarks"] = ListJson(family.remarks, [](const Remark& remark) { return remark.text; });
  return json;
}

}  // namespace bloomline::db

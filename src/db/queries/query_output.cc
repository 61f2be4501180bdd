#include "src/db/queries/query_output.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>

#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/db/inspect/inspection.h"

namespace bloomline::db {
namespace {

using Cells = std::vector<std::vector<std::string>>;

double Quotient(uint64_t part, uint64_t all) {
  return all == 0 ? std::numeric_limits<double>::quiet_NaN()
                  : static_cast<double>(part) / static_cast<double>(all);
}

std::string Filters(const ScanCosts& costs) {
  return costs.entry_bytes == 0 ? "none" : costs.kinds.Text();
}

void PrintGets(const AskedFamily& asked) {
  const FamilyRun& run = asked.run;
  const LevelGets all = run.all();
  std::string text = "Gets in " + asked.from + ": " + cli::CountText(run.gets) + "; " +
                     cli::CountText(run.gets_of_missing_keys) + " (" +
                     ShareText(run.gets_of_missing_keys, run.gets) + ") of missing keys";
  cli::PrintLine(text);
  const uint64_t filtered = all.rejected + all.false_positives;
  text = cli::CountText(filtered + all.true_positives) + " filter queries, " +
         cli::CountText(filtered) + " of them for keys that the file lacks; " +
         cli::CountText(all.false_positives) + " false positives, FPR " +
         RateOrDash(Quotient(all.false_positives, filtered));
  if (all.unfiltered != 0)
    text += "; " + cli::CountText(all.unfiltered) + " reads without a filter";
  cli::PrintLine(text);
  cli::PrintLine("wasted reads per Get: " + RateOrDash(Quotient(all.wasted_reads(), run.gets)));
}

void PrintGrid(const advice::Advice& advice) {
  if (advice.grid.empty()) return;
  Cells cells = {{"bits per key"}};
  for (const double bits : advice::kGridBits) cells[0].push_back(cli::NumberText(bits, 0));
  for (const advice::GridRow& row : advice.grid) {
    cells.push_back({row.title});
    for (const double reads : row.wasted_reads) cells.back().push_back(RateOrDash(reads));
  }
  std::cout << "\nwasted reads per Get of these queries, by the memory of the filters:\n"
            << cli::TextTable(cells);
}

void PrintScans(const AskedFamily& asked) {
  const FamilyRun& run = asked.run;
  if (run.scans + run.other_seeks == 0) return;
  std::cout << '\n';
  std::string text =
      "scans in " + asked.from + ": " + cli::CountText(run.scans) + " with an upper bound";
  if (run.no_scans.empty() && run.scans != 0) {
    text += ", " + cli::CountText(run.empty_scans) + " (" + ShareText(run.empty_scans, run.scans) +
            ") of ranges without a key";
  }
  if (run.other_seeks != 0) {
    text +=
        "; " + cli::CountText(run.other_seeks) + " other seeks, for which no filter can be asked";
  }
  cli::PrintLine(text);
  if (!run.no_scans.empty()) cli::PrintLine("not measured: " + run.no_scans);
  if (run.scan_costs.empty()) return;
  Cells cells = {{"filters", "entries for ranges", "memory", "wasted reads per scan"}};
  for (const ScanCosts& costs : run.scan_costs) {
    const double reads = Quotient(costs.wasted_reads(), run.scans);
    cells.push_back({costs.title, Filters(costs), cli::BytesText(costs.entry_bytes),
                     cli::NumberText(reads, reads == 0 || reads >= 0.1 ? 2 : 4)});
  }
  std::cout << cli::TextTable(cells, 2);
}

}  // namespace

void UseQueries(const FamilyRun& run, advice::Situation* situation) {
  if (run.gets == 0) return;
  constexpr double kLeast = 1e-6;  // that level_sizing.h allows
  const auto gets = static_cast<double>(run.gets);
  for (size_t i = 0; i < situation->levels.size(); ++i) {
    const LevelGets& level = run.levels[i];
    situation->levels[i].num_runs = std::max(static_cast<double>(level.in_vain()) / gets, kLeast);
    situation->levels[i].wasted_reads = static_cast<double>(level.wasted_reads()) / gets;
  }
  situation->share_of_missing = static_cast<double>(run.gets_of_missing_keys) / gets;
}

std::string FewQueriesRemark(const FamilyRun& run) {
  constexpr uint64_t kEnough = 100;
  const uint64_t wasted = run.all().wasted_reads();
  if (run.gets == 0 || wasted >= kEnough) return "";
  return "The Gets wasted only " + cli::CountText(wasted) + (wasted == 1 ? " read" : " reads") +
         " now: by chance, it could as well be " +
         cli::CountText(static_cast<uint64_t>(std::ceil(
             static_cast<double>(wasted) + 2 * std::sqrt(static_cast<double>(wasted) + 1)))) +
         ". More queries tell more.";
}

void PrintQueries(const AskedFamily& asked, const advice::Advice& advice) {
  const FamilyRun& run = asked.run;
  std::cout << '\n';
  if (!run.not_run.empty()) {
    return cli::PrintLine("queries in " + asked.from + ": not asked here: " + run.not_run);
  }
  if (asked.sampled_one_of != 1) {
    std::cout << "one query in " << cli::CountText(asked.sampled_one_of)
              << " is taken, at random: more do not fit in memory\n";
  }
  if (run.gets != 0) {
    PrintGets(asked);
    PrintGrid(advice);
  }
  PrintScans(asked);
}

cli::Json QueriesJson(const AskedFamily& asked, const advice::Advice& advice) {
  const FamilyRun& run = asked.run;
  const auto gets_json = [&](const LevelGets& gets) {
    return cli::Json{{"rejected", gets.rejected},
                     {"false_positives", gets.false_positives},
                     {"true_positives", gets.true_positives},
                     {"unfiltered", gets.unfiltered},
                     {"wasted_reads", RateOrNull(Quotient(gets.wasted_reads(), run.gets))}};
  };
  cli::Json json{{"from", asked.from},
                 {"sampled_one_of", asked.sampled_one_of},
                 {"reason", cli::TextOrNull(run.not_run)},
                 {"gets", run.gets},
                 {"gets_of_missing_keys", run.gets_of_missing_keys}};
  json.update(gets_json(run.all()));
  json["levels"] = cli::Json::array();
  for (const LevelGets& level : run.levels) json["levels"].push_back(gets_json(level));
  json["by_bits"] = cli::Json::array();
  for (const advice::GridRow& row : advice.grid) {
    cli::Json reads = cli::Json::array();
    for (const double value : row.wasted_reads) reads.push_back(RateOrNull(value));
    json["by_bits"].push_back({{"title", row.title},
                               {"format", FormatName(row.format)},
                               {"by_level", row.by_level},
                               {"bits", advice::kGridBits},
                               {"wasted_reads", std::move(reads)}});
  }
  json["scans"] = run.scans;
  json["empty_scans"] = run.empty_scans;
  json["other_seeks"] = run.other_seeks;
  json["not_measured"] = cli::TextOrNull(run.no_scans);
  json["scan_costs"] = cli::Json::array();
  for (const ScanCosts& costs : run.scan_costs) {
    json["scan_costs"].push_back({{"title", costs.title},
                                  {"kinds", costs.kinds.ToJson()},
                                  {"bytes", costs.entry_bytes},
                                  {"files", costs.files},
                                  {"rejected", costs.rejected}});
  }
  return json;
}

}  // namespace bloomline::db

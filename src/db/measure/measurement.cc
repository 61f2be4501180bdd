#include "src/db/measure/measurement.h"

#include <cmath>
#include <utility>

#include "src/cli/shared/quantity.h"
#include "src/cli/shared/quantity_option.h"

namespace bloomline::db {
namespace {

// A file that hardly any Get queries still shows the quality of its filter.
double WeightOf(const InspectedFile& file) { return std::fmax(file.coverage, 1e-9); }

void AddToGroup(const InspectedFile& file, const MeasureResult& result, MeasuredGroup* group) {
  const double rate = MeasuredRate(result);
  const Queries& adjacent = result.adjacent;
  const Queries& elsewhere = result.elsewhere;
  group->runs += file.coverage;
  group->wasted_reads += file.coverage * (file.used() && !std::isnan(rate) ? rate : file.rate());
  if (std::isnan(rate)) return;
  ++group->files;
  const double weight = WeightOf(file);
  group->adjacent.Add(weight, adjacent.rate(), static_cast<double>(adjacent.queries));
  group->elsewhere.Add(weight, elsewhere.rate(), static_cast<double>(elsewhere.queries));
  if (!std::isnan(file.facts.expected_rate)) {
    group->expected.Add(weight, file.facts.expected_rate, 1);
  }
  group->queries_adjacent += adjacent.queries;
  group->queries_elsewhere += elsewhere.queries;
}

}  // namespace

void AddMeasureOptions(CLI::App* command, MeasureOptions* options) {
  command
      ->add_option("--samples", options->samples,
                   "Missing keys to query per file and kind, approximately")
      ->check(CLI::Range(uint64_t{100}, uint64_t{1000000000}))
      ->capture_default_str()
      ->type_name("");
  cli::AddQuantity(command, "--seed", &options->seed, cli::ParseSeed,
                   "Seed of the random keys [1]");
}

std::vector<MeasureResult> Measure(Inputs* inputs, const CommonOptions& common,
                                   const MeasureOptions& options, const std::string& name,
                                   const Inspection& inspection) {
  std::vector<MeasureResult> results(inputs->files.size());
  ForEachFile(
      inputs, common, name,
      [&](size_t i, const sstable::Table& table, cli::FileProgress* progress, std::string* error) {
        MeasureOptions its_options = options;
        const uint64_t number = inputs->file(inputs->files[i]).number;
        its_options.seed += 1000003 * (number + i);
        return MeasureFile(table, inspection.files[i].facts.num_keys, its_options, progress,
                           &results[i], error);
      });
  return results;
}

double MeasuredRate(const MeasureResult& result) {
  constexpr uint64_t kEnough = 100;  // fewer find no false positive in most files
  const Queries& adjacent = result.adjacent;
  const Queries& elsewhere = result.elsewhere;
  const bool few = adjacent.queries < kEnough && adjacent.queries < elsewhere.queries;
  return few ? elsewhere.rate() : adjacent.rate();
}

std::vector<MeasuredFamily> GroupMeasurement(const Inputs& inputs, const Inspection& inspection,
                                             const std::vector<MeasureResult>& results) {
  const MeasureResult not_measured;
  std::vector<MeasuredFamily> families;
  for (const FamilyGroups& groups : inspection.groups) {
    MeasuredFamily family;
    std::map<int, MeasuredGroup> levels;
    for (const size_t i : groups.files) {
      const FileRef& ref = inputs.files[i];
      const int level = inputs.file(ref).level;
      // Gets of the family query a file that vanished or failed meanwhile, or what replaces it.
      const bool is_measured = ref.state == FileState::kDone;
      const MeasureResult& result = is_measured ? results[i] : not_measured;
      AddToGroup(inspection.files[i], result, &levels[level]);
      AddToGroup(inspection.files[i], result, &family.all);
      if (!is_measured) continue;
      if (!results[i].not_measured.empty()) ++family.not_measured[results[i].not_measured];
    }
    for (auto& [level, group] : levels) {
      group.level = level;
      family.levels.push_back(group);
    }
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace bloomline::db

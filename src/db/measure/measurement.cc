#include "src/db/measure/measurement.h"

#include <cmath>
#include <utility>

#include "src/cli/shared/quantity.h"
#include "src/cli/shared/quantity_option.h"

namespace bloomline::db {
namespace {

// The rate that a file has for missing keys: of those adjacent to stored ones, or if there were
// too few, of those elsewhere. NaN: not measured.
double MeasuredRate(const MeasureResult& result) {
  constexpr uint64_t kEnough = 100;  // fewer find no false positive in most files
  const Queries& adjacent = result.adjacent;
  const Queries& elsewhere = result.elsewhere;
  const bool few = adjacent.queries < kEnough && adjacent.queries < elsewhere.queries;
  return few ? elsewhere.rate() : adjacent.rate();
}

}  // namespace

void AddMeasureOptions(CLI::App* command, MeasureOptions* options) {
  command
      ->add_option("--samples", options->samples,
                   "Missing keys to query per file and kind, approximately")
      ->check(CLI::Range(uint64_t{100}, uint64_t{1000000000}))
      ->capture_default_str();
  cli::AddQuantity(command, "--seed", &options->seed, cli::ParseSeed,
                   "Seed of the random keys [1]");
}

std::vector<MeasureResult> Measure(Inputs* inputs, const CommonOptions& common,
                                   const MeasureOptions& options, const std::string& name,
                                   const Inspection& inspection) {
  std::vector<MeasureResult> results(inputs->files.size());
  ForEachFile(inputs, common, name, [&](size_t i, const sstable::Table& table, std::string* error) {
    MeasureOptions its_options = options;
    const uint64_t number = inputs->files[i].number;
    its_options.seed += 1000003 * (number + i);
    return MeasureFile(table, inspection.files[i].facts.num_keys, its_options, &results[i], error);
  });
  for (size_t i = 0; i < results.size(); ++i) {
    if (inputs->files[i].state != FileState::kDone) results[i] = {};
  }
  return results;
}

MeasuredGroup MeasuredRates(const Group& group, const Inspection& inspection,
                            const std::vector<MeasureResult>& results) {
  MeasuredGroup measured;
  for (const size_t i : group.files) {
    const InspectedFile& file = inspection.files[i];
    const Queries& adjacent = results[i].adjacent;
    const Queries& elsewhere = results[i].elsewhere;
    const double rate = MeasuredRate(results[i]);
    // Gets query a file that vanished or failed meanwhile, too, or what replaces it.
    measured.wasted_reads +=
        file.coverage * (file.used() && !std::isnan(rate) ? rate : file.rate());
    if (std::isnan(rate)) continue;
    ++measured.files;
    // A file that hardly any Get queries still tells how good its filter is.
    const double weight = std::fmax(file.coverage, 1e-9);
    measured.adjacent.Add(weight, adjacent.rate(), adjacent.queries);
    measured.elsewhere.Add(weight, elsewhere.rate(), elsewhere.queries);
    const double expected = file.facts.expected_rate;
    if (!std::isnan(expected)) measured.expected.Add(weight, expected, 1);
  }
  return measured;
}

}  // namespace bloomline::db

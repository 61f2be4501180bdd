#include "src/db/rewrite/reported_rates.h"

#include <algorithm>
#include <cstdint>

namespace bloomline::db {
namespace {

// In all files together, and the least in one file: below 100 queries, its rate would not count.
constexpr uint64_t kSamples = 100000;
constexpr uint64_t kLeastSamples = 500;

}  // namespace

ReportedRates::ReportedRates(const CommonOptions& options, const Inspection& inspection,
                             Inputs* inputs)
    : inspection_(inspection) {
  const auto files = static_cast<uint64_t>(
      std::count_if(inspection.files.begin(), inspection.files.end(),
                    [](const InspectedFile& file) { return file.facts.has_weak_hash(); }));
  if (files == 0) return;
  MeasureOptions measure;
  measure.samples = std::max(kSamples / files, kLeastSamples);
  measure.only_weak_hashes = true;
  samples_ = Measure(inputs, options, measure, "sample", inspection);
}

std::string ReportedRates::Kind(const Group& group) const {
  const bool is_sampled = std::any_of(group.files.begin(), group.files.end(), [&](size_t i) {
    return inspection_.files[i].facts.has_weak_hash();
  });
  return is_sampled ? "sampled" : "expected";
}

double ReportedRates::WastedReads(const Group& group) const {
  return are_sampled() ? MeasuredRates(group, inspection_, samples_).wasted_reads
                       : group.wasted_reads;
}

}  // namespace bloomline::db

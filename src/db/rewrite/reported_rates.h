// The wasted reads in the report of `bloomline db rewrite`.
#ifndef BLOOMLINE_DB_REWRITE_REPORTED_RATES_H_
#define BLOOMLINE_DB_REWRITE_REPORTED_RATES_H_

#include <string>
#include <vector>

#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"
#include "src/db/survey/measurement.h"

namespace bloomline::db {

// The expected rates of an inspection, or sampled ones where a weak hash makes these wrong.
class ReportedRates {
 public:
  // Samples the files that need it. `inspection`, that of *inputs, must outlive this.
  ReportedRates(const CommonOptions& options, const Inspection& inspection, Inputs* inputs);

  bool are_sampled() const { return !samples_.empty(); }
  // "sampled" if this holds for one of the group's files, or "expected".
  std::string Kind(const Group& group) const;
  double WastedReads(const Group& group) const;

 private:
  const Inspection& inspection_;
  std::vector<MeasureResult> samples_;  // empty: no file needs any
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_REPORTED_RATES_H_

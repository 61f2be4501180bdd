// What filters for ranges would cost a database (docs/ranges.md).
#ifndef BLOOMLINE_DB_ADVISE_RANGE_REMARK_H_
#define BLOOMLINE_DB_ADVISE_RANGE_REMARK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/shared/range_kinds.h"
#include "src/db/advise/advise_output.h"
#include "src/db/inputs.h"
#include "src/db/inspect/inspection.h"

namespace bloomline::db {

// What range_prefixes=auto would choose.
struct RangeCost {
  cli::RangeKinds kinds;
  double key_bytes = 0;
  double entry_bytes = 0;
};

// As Inspection::groups; zeros where RocksDB has no filters for ranges, or has them already.
// Reads the first max_keys keys of each file.
std::vector<RangeCost> RangeCosts(Inputs* inputs, const CommonOptions& common, uint64_t max_keys,
                                  const Inspection& inspection);

// Empty: there is nothing to say of filters for ranges. `extractor`: one that files were written
// with, or empty.
std::string RangeRemark(const RangeCost& cost, const std::optional<TickerRates>& rates,
                        const Group& all, const std::string& extractor);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_RANGE_REMARK_H_

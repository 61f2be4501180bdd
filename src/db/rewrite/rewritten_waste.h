// Whether `bloomline db rewrite` makes a column family worse.
#ifndef BLOOMLINE_DB_REWRITE_REWRITTEN_WASTE_H_
#define BLOOMLINE_DB_REWRITE_REWRITTEN_WASTE_H_

#include <algorithm>

namespace bloomline::db {

// What a Get of a missing key wastes in the files of a column family that are rewritten and whose
// filters RocksDB queries.
struct RewrittenWaste {
  double before = 0;
  double after = 0;

  // Unknown waste is not known to be no more.
  bool is_no_more() const {
    constexpr double kRounding = 1.02;  // filters have whole blocks
    constexpr double kNone = 1e-5;      // as for advise
    return after <= kRounding * std::max(before, kNone);
  }
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_REWRITTEN_WASTE_H_

// Ribbon queries compiled with POPCNT, which gives a parity in two instructions instead of eight.
#if defined(__x86_64__)

#include "src/filter/cpu/x86_extensions.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_columns.h"

#define BLOOMLINE_POPCNT BLOOMLINE_TARGET(BLOOMLINE_POPCNT_EXTENSIONS)

namespace bloomline::stock {
namespace {

struct QueryOne {
  template <int K>
  BLOOMLINE_POPCNT static bool Run(const RibbonView& filter, uint64_t hash) {
    return RibbonMayMatch<K>(filter, hash);
  }
};

struct QueryMany {
  template <int K>
  BLOOMLINE_POPCNT static void Run(const RibbonView& filter, size_t n, const uint64_t* hashes,
                                   bool* may_match) {
    for (size_t i = 0; i < n; ++i) may_match[i] = RibbonMayMatch<K>(filter, hashes[i]);
  }
};

}  // namespace

RibbonKernel PopcntRibbon() { return RibbonKernelOf<QueryOne, QueryMany>(); }

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)

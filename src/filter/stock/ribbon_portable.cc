// RocksDB's Ribbon filter, one column at a time: the specification.
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_columns.h"

namespace bloomline::stock {
namespace {

struct QueryOne {
  template <int K>
  static bool Run(const RibbonView& filter, uint64_t hash) {
    return RibbonMayMatch<K>(filter, hash);
  }
};

struct QueryMany {
  template <int K>
  static void Run(const RibbonView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    for (size_t i = 0; i < n; ++i) may_match[i] = RibbonMayMatch<K>(filter, hashes[i]);
  }
};

}  // namespace

RibbonKernel PortableRibbon() { return RibbonKernelOf<QueryOne, QueryMany>(); }

}  // namespace bloomline::stock

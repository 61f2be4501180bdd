// Calls a function template on k with a k known only at run time.
#ifndef BLOOMLINE_FILTER_BITS_UNROLLED_H_
#define BLOOMLINE_FILTER_BITS_UNROLLED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::kernels {

// Loops up to this k are unrolled (24 bits per key and more). A portable insertion takes 3.3 ns
// instead of the 4.6 ns of a loop (k = 6, a filter of 25 KB, 4.5 GHz).
constexpr int kMaxUnrolledProbes = 16;

// The number of probes that are computed for k: whole registers of eight. For K = 0, enough for any
// k.
constexpr int WholeRegistersOfProbes(int k) { return k == 0 ? 32 : k <= 8 ? 8 : 16; }
static_assert(WholeRegistersOfProbes(kMaxUnrolledProbes) >= kMaxUnrolledProbes);
static_assert(WholeRegistersOfProbes(0) == std::size(kProbeMultipliers));

// F::Run<K> for K = 0 .. kMaxUnrolledProbes. With K = 0, k is read at run time.
template <typename F, size_t... K>
constexpr auto UnrolledTable(std::index_sequence<K...>) {
  return std::array{&F::template Run<static_cast<int>(K)>...};
}

template <typename F>
inline auto UnrolledFunction(int num_probes) {
  static constexpr auto kTable =
      UnrolledTable<F>(std::make_index_sequence<kMaxUnrolledProbes + 1>());
  return kTable[static_cast<size_t>(num_probes <= kMaxUnrolledProbes ? num_probes : 0)];
}

template <typename F, typename... Args>
inline void RunUnrolled(int num_probes, const Args&... args) {
  UnrolledFunction<F>(num_probes)(args...);
}

// An F as above that calls One::Run<K> of a filter for each of n hashes.
template <typename One, typename Filter = PayloadView>
struct OneByOne {
  template <int K>
  static void Run(const Filter& caller_filter, size_t n, const uint64_t* hashes, bool* results) {
    const Filter filter = caller_filter;  // `results` could alias the caller's
    for (size_t i = 0; i < n; ++i) results[i] = One::template Run<K>(filter, hashes[i]);
  }
};

// RunUnrolled for a filter and many hashes, the form that kernels have.
template <typename F, typename... Args>
void RunForEach(const PayloadView& filter, size_t n, const uint64_t* hashes, Args... args) {
  RunUnrolled<F>(filter.num_probes, filter, n, hashes, args...);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_UNROLLED_H_

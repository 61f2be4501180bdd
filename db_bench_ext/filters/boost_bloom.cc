// A peer: Boost.Bloom, which Boost has from 1.89 on.
#include "db_bench_ext/filters/case.h"

#define XXH_INLINE_ALL
#define XXH_VECTOR 0  // for long keys, which no bench has; GCC 12 warns of the code for AVX-512
#include <xxhash.h>

#if __has_include(<boost/version.hpp>)
#include <boost/version.hpp>
#endif
#if __has_include(<boost/bloom.hpp>)
#include <boost/bloom.hpp>
#define BLOOMLINE_HAS_BOOST_BLOOM
#endif

namespace bloomline::bench {

#if defined(BLOOMLINE_HAS_BOOST_BLOOM)

namespace {

struct Hash {
  using is_avalanching = void;  // Boost then takes the hash as it is
  size_t operator()(std::string_view key) const { return XXH3_64bits(key.data(), key.size()); }
};

// Six subblocks: k = 6, bloomline's at ten bits per key.
template <template <size_t> class Subfilter>
class BoostFilter {
 public:
  BoostFilter(uint64_t num_keys, int bits_per_key)
      : filter_(num_keys * static_cast<uint64_t>(bits_per_key)) {}

  void AddKey(std::string_view key) { filter_.insert(key); }
  void Finish() {}
  bool MayMatch(std::string_view key) const { return filter_.may_contain(key); }
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
#if BOOST_VERSION >= 109000
    filter_.may_contain(keys, keys + n,
                        [&](std::string_view, bool answer) { *may_match++ = answer; });
#else
    for (size_t i = 0; i < n; ++i) may_match[i] = MayMatch(keys[i]);
#endif
  }
  size_t num_bytes() const { return filter_.capacity() / 8; }

 private:
  boost::bloom::filter<std::string_view, 1, Subfilter<6>, 0, Hash> filter_;
};

template <size_t kK>
using Multiblock32 = boost::bloom::fast_multiblock32<kK>;
template <size_t kK>
using Multiblock64 = boost::bloom::fast_multiblock64<kK>;

}  // namespace

std::vector<MemorySubject> BoostSubjects() {
  return {MemorySubjectOf<BoostFilter<Multiblock32>>("Boost fast_multiblock32<6>"),
          MemorySubjectOf<BoostFilter<Multiblock64>>("Boost fast_multiblock64<6>")};
}

std::string BoostNote() {
#if BOOST_VERSION >= 109000
  return "";
#else
  return "Boost.Bloom: \"32 per call\" is one by one, Boost has batches from 1.90 on\n";
#endif
}

#else

std::vector<MemorySubject> BoostSubjects() { return {}; }

std::string BoostNote() {
#if defined(BOOST_LIB_VERSION)
  return "Boost.Bloom: not measured, Boost " BOOST_LIB_VERSION " is older than 1_89\n";
#else
  return "Boost.Bloom: not measured, there is no Boost; it needs 1.89 or later\n";
#endif
}

#endif

}  // namespace bloomline::bench

// What Bloom filters do whose probes are h, h + d, h + 2d, ... with a step d that follows from h
// itself: LevelDB's, and RocksDB's legacy one.
//
// Such probes are not independent. Two keys with the same step, or steps of a small ratio, share
// many bits at once; a step of 0 is a single probe. LevelDB's filters have a few hundred bits and
// RocksDB's blocks 512: at 10 bits per key the rate of 4 keys is 1.1 % instead of 0.1 %, that of 36
// keys 1.16 % instead of 0.87 %, and no memory brings a legacy filter below 0.1 %
// (facebook/rocksdb#4120). In large filters the hash's 32 bits are too few: 1.45 % instead of
// 0.84 % with 100,000 keys in one of LevelDB's. How much it is depends on the number of bits and on
// how 2^32 wraps around in it, so it is simulated.
#ifndef BLOOMLINE_DB_ENGINE_FILTERS_DOUBLE_HASHING_H_
#define BLOOMLINE_DB_ENGINE_FILTERS_DOUBLE_HASHING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace bloomline::engine_filters {

// Means over filters of n random keys.
struct DoubleHashing {
  double rate;        // of false positives
  double fill;        // of bits that are set
  double fill_power;  // of fill^k of a block: the rate of independent probes in the same bits
};

// num_keys > 0. The rate's standard error is 1 % from 0.1 % on, 2 % at 0.04 %. Take up to 40 ms for
// new arguments, and a microsecond for known ones.
//
// LevelDB's filter of so many bits, up to 2^24 and 10^6 keys. Beyond, probes count as independent.
DoubleHashing ClassicDoubleHashing(uint64_t num_keys, uint64_t num_bits, int num_probes);
// log2_block_bytes as in LegacyBloomReader, up to 12. Beyond, ditto.
DoubleHashing LegacyDoubleHashing(uint64_t num_keys, uint64_t num_blocks, int log2_block_bytes,
                                  int num_probes);

// ---- Results of slow functions, kept for the next call with the same arguments.

// Thread-safe. Forgets everything when it has kMaxResults: a database has few sizes of filters.
template <typename Arguments, typename Result>
class Remembered {
 public:
  template <typename Compute>
  Result Get(const Arguments& arguments, Compute compute) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = results_.find(arguments);
      if (found != results_.end()) return found->second;
    }
    const Result result = compute();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (results_.size() >= kMaxResults) results_.clear();
    results_.emplace(arguments, result);
    return result;
  }

 private:
  static constexpr size_t kMaxResults = 10000;

  std::mutex mutex_;
  std::map<Arguments, Result> results_;
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_DB_ENGINE_FILTERS_DOUBLE_HASHING_H_

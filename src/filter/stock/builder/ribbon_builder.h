// Builds the filters of RocksDB's Ribbon policy, byte for byte: Ribbon filters, and the Bloom
// filters that RocksDB writes instead of them before a level, for few keys, for very many, and if
// no seed has a solution.
#ifndef BLOOMLINE_FILTER_STOCK_BUILDER_RIBBON_BUILDER_H_
#define BLOOMLINE_FILTER_STOCK_BUILDER_RIBBON_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "src/filter/bits/hash.h"
#include "src/filter/stock/builder/ribbon_system.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/writer/hash_list.h"

namespace bloomline::stock {

// ((AddKey | AddHash | AddKeyAndAlt)+ Solve FinishTo)*. Not thread-safe, except for num_entries.
//
// RocksDB balances the memory of filters between Solve and FinishTo: these filters need not have
// the size that they should.
class RibbonBuilder {
 public:
  // bits_per_key as in RocksDB: 1 to 100, those of a Bloom filter of the same rate. With
  // uses_actual_bits, a Bloom filter has the k for its size and not for its bits per key, as with
  // optimize_filters_for_memory. With only_bloom, each filter is a Bloom filter, as before the
  // policy's bloom_before_level.
  RibbonBuilder(const RibbonSolver& solver, double bits_per_key, bool uses_actual_bits,
                bool only_bloom = false);

  void AddKey(std::string_view key) {
    if (key.size() <= kMaxShortKeyBytes) {
      AddHash(ShortRocksDBHash64(key));
    } else {
      AddHash(RocksDBHash64(key));
    }
  }
  // A hash like the last one is left out; all others count, also equal ones.
  void AddHash(uint64_t hash) {
    if (!hashes_.AppendIfNewAndEasy(hash)) Append(hash);
  }
  // A key and what stands for it in scans: its prefix (RocksDB 9.6 and later).
  void AddKeyAndAlt(std::string_view key, std::string_view alt);

  // Other threads may call this while keys are added.
  size_t num_entries() const { return hashes_.size(); }

  // Decides which filter it is, and solves a Ribbon filter. Needs num_entries() > 0.
  void Solve();

  // ---- After Solve.

  uint64_t payload_bytes() const { return size_.payload_bytes; }  // as it should be
  // The rate that RocksDB expects of another size, and the next smaller size that is allowed.
  double ExpectedRate(uint64_t payload_bytes) const;
  uint64_t AllowedPayloadBytes(uint64_t at_most) const;

  // Writes the payload, which holds zeros and has an allowed size, and the trailer behind it.
  void FinishTo(uint64_t payload_bytes, char* filter);

 private:
  bool is_bloom() const { return size_.num_rows == 0; }
  uint32_t num_blocks() const { return size_.num_rows / RibbonShape::kRowsPerBlock; }
  void Append(uint64_t hash);  // unless it is the last one
  int NumProbes(uint64_t payload_bytes) const;
  void WriteBloom(uint64_t payload_bytes, char* filter) const;

  const RibbonSolver solver_;
  const double bits_per_key_;
  const bool uses_actual_bits_;
  const bool only_bloom_;

  filter::HashList hashes_;
  uint64_t first_hash_ = 0;
  std::optional<uint64_t> previous_alt_hash_;

  RibbonSize size_ = {};
  std::optional<RibbonSystem> system_;
};

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_BUILDER_RIBBON_BUILDER_H_

// How large a filter over n keys is, per layout: the writer's rules of docs/format.md.
#ifndef BLOOMLINE_FORMAT_SHAPE_H_
#define BLOOMLINE_FORMAT_SHAPE_H_

#include <cstdint>

#include "bloomline/filter_options.h"
#include "src/format/format.h"

namespace bloomline::core {

// Up to this many keys, LevelDB filters are flat: rounding to lines would cost 14 bits per key at
// 36 keys, and a flat filter of 500 keys at 10 bits touches 10 lines of which the ones in L1 cost
// nothing.
constexpr uint64_t kMaxFlatKeys = 500;

// Whether FilterOptions::Validate takes them; it also has the words, for which memory may be
// missing.
inline bool IsKnown(Format format) {
  return format == Format::kClassic || format == Format::kBlocked || format == Format::kCompact;
}
inline bool IsAllowed(Format format, double bits_per_key) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return IsKnown(format) && bits_per_key >= allowed.min && bits_per_key <= allowed.max;
}

// n counts duplicates. Sizes saturate instead of wrapping.
Shape ClassicShape(uint64_t num_keys, double bits_per_key);
Shape FlatShape(uint64_t num_keys, double bits_per_key, int num_probes);
// `overhead_bytes` of the paid memory go to the container. At least one line; at most max_bytes,
// rounded down.
Shape BlockedShape(uint64_t num_keys, double bits_per_key, int num_probes, uint64_t overhead_bytes,
                   uint64_t max_bytes);

// Lines of 64 bytes, or of 32 below 6.4 bits per key, where lines of 64 would have more keys than
// slots.
Shape CompactShape(uint64_t num_keys, double bits_per_key, uint64_t overhead_bytes,
                   uint64_t max_bytes);

// What FilterBuilder writes: section 5. `format` is kBlocked or kCompact, num_keys > 0; num_probes
// is not used by kCompact.
Shape StandaloneShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                      uint64_t max_payload_bytes);

// What the LevelDB adaptor writes for kBlocked: section 4. num_keys > 0.
Shape SmallSetShape(uint64_t num_keys, double bits_per_key, int flat_num_probes,
                    int blocked_num_probes);

// The compact lines that take the place of a flat or blocked shape of as many bytes or more:
// section 4.1. kAlwaysMatch if there are none.
Shape SmallSetCompactShape(uint64_t num_keys, double bits_per_key);

}  // namespace bloomline::core

#endif  // BLOOMLINE_FORMAT_SHAPE_H_

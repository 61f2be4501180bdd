// Querying and filling a payload of any layout.
#ifndef BLOOMLINE_CORE_PAYLOAD_H_
#define BLOOMLINE_CORE_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/core/format.h"
#include "src/core/hash.h"
#include "src/kernels/kernel.h"

namespace bloomline::core {

// The hash a layout stores, in 64 bits; `seed` is ignored by classic.
inline uint64_t LayoutHash(Layout layout, std::string_view key, uint64_t seed) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : Hash64(key, seed);
}

// `hash` is LayoutHash of the key.
bool HashMayMatch(const Payload& payload, const kernels::Kernel& kernel, uint64_t hash);
void HashesMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                    const uint64_t* hashes, bool* may_match);

// Sets the bits of n keys in `data`, which has shape.payload_bytes > 0 bytes, zeroed before the
// first call.
void InsertHashes(const Shape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_PAYLOAD_H_

// A payload as hashes and kernels see it.
#ifndef BLOOMLINE_FORMAT_PAYLOAD_H_
#define BLOOMLINE_FORMAT_PAYLOAD_H_

#include <cstdint>
#include <string_view>

#include "src/format/format.h"
#include "src/format/hash.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

// The hash a layout stores, in 64 bits; `seed` is ignored by classic.
inline uint64_t LayoutHash(Layout layout, std::string_view key, uint64_t seed) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : Hash64(key, seed);
}
inline uint64_t LayoutHash(Layout layout, std::string_view key, const KeyHasher& hasher) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : hasher(key);
}

// The layouts' views of a Payload or a Shape (then `data` is writable).
template <typename T>
kernels::BlockedFilter AsBlocked(const T& from, const char* data, uint64_t num_bytes) {
  return {data, num_bytes / kernels::kBlockBytes, static_cast<int>(from.parameter)};
}
template <typename T>
kernels::FlatFilter AsFlat(const T& from, const char* data, uint64_t num_bytes) {
  return {data, static_cast<uint32_t>(num_bytes * 8), static_cast<int>(from.parameter)};
}
inline kernels::CompactFilter AsCompact(const Payload& from) {
  return {from.data, from.num_lines, from.line_bytes, from.parameter};
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_FORMAT_PAYLOAD_H_

#include "src/core/payload.h"

#include <algorithm>

#include "src/kernels/lines.h"

namespace bloomline::core {
void HashesMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                    const uint64_t* hashes, bool* may_match) {
  if (payload.layout != Layout::kBlocked || payload.num_bytes == 0) {
    for (size_t i = 0; i < n; ++i) may_match[i] = HashMayMatch(payload, kernel, hashes[i]);
    return;
  }
  const kernels::BlockedLines lines = Lines(payload.data, payload.num_bytes, payload.num_probes);
  for (size_t start = 0; start < n; start += kernels::kBatchKeys) {
    const size_t count = std::min(kernels::kBatchKeys, n - start);
    for (size_t i = start; i < start + count; ++i) kernels::PrefetchLine(lines, hashes[i]);
    kernel.blocked_may_match_many(lines, count, hashes + start, may_match + start);
  }
}

void InsertHashes(const Shape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes) {
  switch (shape.layout) {
    case Layout::kClassic:
      for (size_t i = 0; i < n; ++i) {
        ClassicInsert(data, shape.payload_bytes * 8, shape.num_probes,
                      static_cast<uint32_t>(hashes[i]));
      }
      break;
    case Layout::kBlocked:
      kernel.blocked_insert_many(Lines(data, shape.payload_bytes, shape.num_probes), n, hashes);
      break;
    case Layout::kFlat:
      kernel.flat_insert_many(Bits(data, shape.payload_bytes, shape.num_probes), n, hashes);
      break;
    case Layout::kAlwaysMatch:
      break;
  }
}

}  // namespace bloomline::core

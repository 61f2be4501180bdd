#include "src/core/payload.h"

#include <algorithm>

#include "src/kernels/lines.h"

namespace bloomline::core {
void HashesMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                    const uint64_t* hashes, bool* may_match) {
  const bool lines = payload.layout == Layout::kBlocked || IsCompact(payload.layout);
  if (!lines || payload.num_bytes == 0) {
    for (size_t i = 0; i < n; ++i) may_match[i] = HashMayMatch(payload, kernel, hashes[i]);
    return;
  }
  for (size_t start = 0; start < n; start += kernels::kBatchKeys) {
    const size_t count = std::min(kernels::kBatchKeys, n - start);
    const uint64_t* group = hashes + start;
    for (size_t i = 0; payload.num_bytes > kernels::kCachedBytes && i < count; ++i) {
      kernels::PrefetchLine(payload.data, payload.num_lines, payload.line_bytes, group[i]);
    }
    if (payload.layout == Layout::kBlocked) {
      kernel.blocked_may_match_many(AsBlocked(payload, payload.data, payload.num_bytes), count,
                                    group, may_match + start);
    } else if (payload.layout == Layout::kCompactLanes) {
      kernel.compact->lanes_may_match_many(AsCompact(payload), count, group, may_match + start);
    } else {
      kernel.compact->packed_may_match_many(AsCompact(payload), count, group, may_match + start);
    }
  }
}

void InsertHashes(const Shape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes) {
  switch (shape.layout) {
    case Layout::kClassic:
      for (size_t i = 0; i < n; ++i) {
        ClassicInsert(data, shape.payload_bytes * 8, static_cast<int>(shape.parameter),
                      static_cast<uint32_t>(hashes[i]));
      }
      break;
    case Layout::kBlocked:
      kernel.blocked_insert_many(AsBlocked(shape, data, shape.payload_bytes), n, hashes);
      break;
    case Layout::kFlat:
      kernel.flat_insert_many(AsFlat(shape, data, shape.payload_bytes), n, hashes);
      break;
    case Layout::kCompact:
    case Layout::kCompactHalfLines:
    case Layout::kCompactLanes:
    case Layout::kAlwaysMatch:
      break;
  }
}

}  // namespace bloomline::core

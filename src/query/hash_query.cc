#include "src/query/hash_query.h"

#include <algorithm>

#include "src/kernels/blocked/blocks.h"

namespace bloomline::core {

bool IsWorthRequesting(const Payload& payload) {
  const bool lines = payload.layout == Layout::kBlocked || IsCompact(payload.layout);
  return lines && payload.num_bytes > kernels::kCachedBytes;
}

void RequestLine(const Payload& payload, uint64_t hash) {
  kernels::PrefetchBlock(payload.data, payload.num_lines, payload.line_bytes, hash);
}

void RequestedMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                       const uint64_t* hashes, bool* may_match) {
  const bool no_keys = payload.num_bytes == 0;
  if (payload.layout == Layout::kBlocked && !no_keys) {
    kernel.blocked.may_match_many(AsBlocked(payload, payload.data, payload.num_bytes), n, hashes,
                                  may_match);
  } else if (payload.layout == Layout::kCompactLanes && !no_keys) {
    kernel.compact.lanes_may_match_many(AsCompact(payload), n, hashes, may_match);
  } else if (payload.layout == Layout::kCompact && !no_keys) {
    kernel.compact.packed_may_match_many(AsCompact(payload), n, hashes, may_match);
  } else {
    for (size_t i = 0; i < n; ++i) may_match[i] = HashMayMatch(payload, kernel, hashes[i]);
  }
}

namespace {

void RequestLines(const Payload& payload, size_t n, const uint64_t* hashes) {
  const bool on_line_boundary =
      payload.line_bytes == kernels::kBlockBytes &&
      reinterpret_cast<uintptr_t>(payload.data) % kernels::kBlockBytes == 0;
  if (!on_line_boundary) {
    for (size_t i = 0; i < n; ++i) RequestLine(payload, hashes[i]);
    return;
  }
  const char* const data = payload.data;
  const uint64_t num_lines = payload.num_lines;
  for (size_t i = 0; i < n; ++i) {
    __builtin_prefetch(data + kernels::BlockIndex(hashes[i], num_lines) * kernels::kBlockBytes);
  }
}

}  // namespace

// Not by ForEachGroup, which would copy the hashes: 0.4 ns each.
void HashesMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                    const uint64_t* hashes, bool* may_match) {
  using kernels::kBatchKeys;
  const bool is_large = IsWorthRequesting(payload);
  if (is_large) RequestLines(payload, std::min(kBatchKeys, n), hashes);
  for (size_t first = 0; first < n; first += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, n - first);
    if (is_large && first + count < n) {
      const size_t next = first + count;
      RequestLines(payload, std::min(kBatchKeys, n - next), hashes + next);
    }
    RequestedMayMatch(payload, kernel, count, hashes + first, may_match + first);
  }
}

}  // namespace bloomline::core

#include "src/query/hash_query.h"

#include <algorithm>

#include "src/kernels/blocked/lines.h"

namespace bloomline::core {

bool IsWorthRequesting(const Payload& payload) {
  const bool lines = payload.layout == Layout::kBlocked || IsCompact(payload.layout);
  return lines && payload.num_bytes > kernels::kCachedBytes;
}

void RequestLine(const Payload& payload, uint64_t hash) {
  kernels::PrefetchLine(payload.data, payload.num_lines, payload.line_bytes, hash);
}

void RequestedMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                       const uint64_t* hashes, bool* may_match) {
  const bool no_keys = payload.num_bytes == 0;
  if (payload.layout == Layout::kBlocked && !no_keys) {
    kernel.blocked_may_match_many(AsBlocked(payload, payload.data, payload.num_bytes), n, hashes,
                                  may_match);
  } else if (payload.layout == Layout::kCompactLanes && !no_keys) {
    kernel.compact->lanes_may_match_many(AsCompact(payload), n, hashes, may_match);
  } else if (payload.layout == Layout::kPackedCompact && !no_keys) {
    kernel.compact->packed_may_match_many(AsCompact(payload), n, hashes, may_match);
  } else {
    for (size_t i = 0; i < n; ++i) may_match[i] = HashMayMatch(payload, kernel, hashes[i]);
  }
}

void RequestLines(const Payload& payload, size_t n, const uint64_t* hashes) {
  const bool on_line_boundary =
      payload.line_bytes == kernels::kLineBytes &&
      reinterpret_cast<uintptr_t>(payload.data) % kernels::kLineBytes == 0;
  if (!on_line_boundary) {
    for (size_t i = 0; i < n; ++i) RequestLine(payload, hashes[i]);
    return;
  }
  const char* const data = payload.data;
  const uint64_t num_lines = payload.num_lines;
  for (size_t i = 0; i < n; ++i) {
    __builtin_prefetch(data + kernels::BlockedLine(hashes[i], num_lines) * kernels::kLineBytes);
  }
}

}  // namespace bloomline::core

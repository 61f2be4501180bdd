#include "src/query/hash_query.h"

#include "src/kernels/blocked/blocks.h"

namespace bloomline::core {

bool PrefetchPays(const Payload& payload) {
  const bool one_block_per_query = payload.layout == Layout::kBlocked || IsCompact(payload.layout);
  return one_block_per_query && payload.payload_bytes() > kernels::kCachedBytes;
}

void PrefetchBlock(const Payload& payload, uint64_t hash) {
  kernels::PrefetchBlock(payload.data, payload.num_blocks, payload.block_bytes, hash);
}

void PrefetchBlocks(const Payload& payload, size_t n, const uint64_t* hashes) {
  const bool one_line_per_block =
      payload.block_bytes == kernels::kBlockBytes &&
      reinterpret_cast<uintptr_t>(payload.data) % kernels::kBlockBytes == 0;
  if (!one_line_per_block) {
    for (size_t i = 0; i < n; ++i) PrefetchBlock(payload, hashes[i]);
    return;
  }
  const char* const data = payload.data;
  const uint64_t num_blocks = payload.num_blocks;
  for (size_t i = 0; i < n; ++i) {
    __builtin_prefetch(data + kernels::BlockIndex(hashes[i], num_blocks) * kernels::kBlockBytes);
  }
}

void BatchMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                   const uint64_t* hashes, bool* may_match) {
  const bool no_keys = payload.num_blocks == 0;
  if (payload.layout == Layout::kBlocked && !no_keys) {
    kernel.blocked.may_match_many(AsBlocked(payload, payload.data), n, hashes, may_match);
  } else if (payload.layout == Layout::kCompact && !no_keys) {
    kernel.compact.may_match_many[payload.arrangement](AsCompact(payload, payload.data), n, hashes,
                                                       may_match);
  } else if (payload.layout == Layout::kPackedCompact && !no_keys) {
    kernel.packed.may_match_many(AsPacked(payload, payload.data), n, hashes, may_match);
  } else {
    for (size_t i = 0; i < n; ++i) may_match[i] = HashMayMatch(payload, kernel, hashes[i]);
  }
}

}  // namespace bloomline::core

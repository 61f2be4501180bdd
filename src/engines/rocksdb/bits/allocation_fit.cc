#include "src/engines/rocksdb/bits/allocation_fit.h"

#include <new>

#include "src/support/memory_calls.h"

namespace bloomline {

uint64_t UsableBytes(uint64_t filter_bytes) {
  const uint64_t bytes = filter_bytes + kBlockTrailerBytes;
  char* const memory = new (std::nothrow) char[bytes];
  if (memory == nullptr) return 0;
  const uint64_t usable = support::UsableBytesOf(memory);
  delete[] memory;
  return usable < bytes ? 0 : usable - kBlockTrailerBytes;
}

}  // namespace bloomline

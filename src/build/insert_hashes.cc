#include "src/build/insert_hashes.h"

#include "src/format/payload.h"
#include "src/kernels/leveldb_bloom.h"

namespace bloomline::core {

void InsertHashes(const Shape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes) {
  switch (shape.layout) {
    case Layout::kClassic:
      for (size_t i = 0; i < n; ++i) {
        kernels::LevelDBBloomInsert(data, shape.payload_bytes * 8,
                                    static_cast<int>(shape.parameter),
                                    static_cast<uint32_t>(hashes[i]));
      }
      break;
    case Layout::kBlocked:
      kernel.blocked_insert_many(AsBlocked(shape, data, shape.payload_bytes), n, hashes);
      break;
    case Layout::kFlat:
      kernel.flat_insert_many(AsFlat(shape, data, shape.payload_bytes), n, hashes);
      break;
    case Layout::kPackedCompact:
    case Layout::kCompactLanes:
    case Layout::kAlwaysMatch:
      break;
  }
}

}  // namespace bloomline::core

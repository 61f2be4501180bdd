#include "src/filter/writer/bloom_builder.h"

#include "src/filter/kernels/leveldb_bloom.h"

namespace bloomline::filter {

void InsertHashes(const FilterShape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes) {
  switch (shape.layout) {
    case Layout::kClassic:
      for (size_t i = 0; i < n; ++i) {
        kernels::LevelDBBloomInsert(data, shape.num_blocks * 8, shape.num_probes,
                                    static_cast<uint32_t>(hashes[i]));
      }
      break;
    case Layout::kBlocked:
      kernel.blocked.insert_many(ForKernel(shape, data), n, hashes);
      break;
    case Layout::kFlat:
      kernel.flat.insert_many(ForKernel(shape, data), n, hashes);
      break;
    case Layout::kCompact:
    case Layout::kSmallSet:
    case Layout::kAlwaysMatch:
      break;
  }
}

}  // namespace bloomline::filter

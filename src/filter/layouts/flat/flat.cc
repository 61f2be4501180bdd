// Flat Bloom filters: queries, insertion and their row.
#include "src/filter/layouts/flat/flat.h"

#include <algorithm>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/unrolled.h"

namespace bloomline::kernels {
namespace {

uint32_t NumBits(const PayloadView& filter) { return 8 * static_cast<uint32_t>(filter.num_blocks); }

// Tests every bit, for the reason given in blocked_portable.cc.
struct FlatQuery {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const uint32_t num_bits = NumBits(filter);
    const ProbePair pair = FlatPair(hash);
    bool all_set = true;
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      all_set &= TestBit(filter.data, FlatBit(Probe(pair, j), num_bits));
    }
    return all_set;
  }
};

struct Insert {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const uint32_t num_bits = NumBits(filter);
    char* payload = const_cast<char*>(filter.data);
    for (size_t i = 0; i < n; ++i) {
      const ProbePair pair = FlatPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        SetBit(payload, FlatBit(Probe(pair, j), num_bits));
      }
    }
  }
};

}  // namespace

bool FlatMayMatch(const PayloadView& filter, uint64_t hash) {
  return UnrolledFunction<FlatQuery>(filter.num_probes)(filter, hash);
}

void FlatInsertMany(const PayloadView& filter, size_t n, const uint64_t* hashes) {
  RunForEach<Insert>(filter, n, hashes);
}

}  // namespace bloomline::kernels

// ---- The row of the table of layouts.

namespace bloomline::filter {
namespace {

FilterShape ShapeOfBytes(uint64_t num_bytes, const ShapeRequest& request) {
  return FilterShape::Flat(num_bytes, OptimalStandardNumProbes(request.bits_per_key));
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kFlat;
  row.name = "flat";
  row.long_name = "bloomline flat";
  row.format = Format::kBlocked;
  row.sstable_shape = [](const ShapeRequest& request) {
    // The size of RocksDB's own smallest filter. RocksDB considers smaller partitions pointless.
    constexpr uint64_t kMinBytes = kernels::kBlockBytes;
    return ShapeOfBytes(std::max(kMinBytes, WholeBytes(request)), request);
  };
  row.leveldb_shape = [](const ShapeRequest& request) {
    return ShapeOfBytes(WholeBytes(request), request);
  };
  row.num_probes = OptimalStandardNumProbes;
  row.rate = [](const FilterShape& shape, uint64_t num_keys) {
    return ExactStandardFalsePositiveRate(num_keys, 8 * shape.payload_bytes(), shape.num_probes);
  };
  row.trailer_shape = [](uint32_t k) { return FilterShape::Flat(0, static_cast<int>(k)); };
  row.min_parameter = kMinProbes;
  row.max_parameter = kMaxProbes;
  row.max_payload_bytes = kMaxFlatBytes;
  row.open = [](const Payload&, const kernels::Kernel&, OpenFilter* filter) {
    filter->may_match = kernels::FlatMayMatch;
  };
  row.insert = [](const FilterShape& shape, const kernels::Kernel&, char* data, size_t n,
                  const uint64_t* hashes) {
    kernels::FlatInsertMany(ForKernel(shape, data), n, hashes);
  };
  return row;
}

}  // namespace

constexpr LayoutRow kFlatRow = MakeRow();

}  // namespace bloomline::filter

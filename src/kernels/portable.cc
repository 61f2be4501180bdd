// The portable kernel: the specification that every other kernel must agree with, bit for bit.
#include "src/kernels/all_kernels.h"
#include "src/kernels/blocked/line_counts.h"
#include "src/kernels/blocked/lines.h"
#include "src/kernels/blocked/shared_words.h"
#include "src/kernels/probe_sequence.h"
#include "src/kernels/unrolled.h"

namespace bloomline::kernels {
namespace {

inline bool TestBit(const char* data, uint64_t bit) {
  return (static_cast<unsigned char>(data[bit / 8]) >> (bit % 8) & 1) != 0;
}

inline void SetBit(const char* data, uint64_t bit) {
  char* byte = const_cast<char*>(data) + bit / 8;
  *byte = static_cast<char>(static_cast<unsigned char>(*byte) | 1u << (bit % 8));
}

// Looks at every bit: where the first zero is cannot be predicted, and a wrong guess costs more
// than all bits behind it.
inline bool LineMayMatch(const char* line, int num_probes, uint64_t hash) {
  const ProbePair pair = BlockedPair(hash);
  bool all_set = true;
#pragma GCC unroll 16
  for (int j = 0; j < num_probes; ++j) all_set &= TestBit(line, BlockedBit(Probe(pair, j)));
  return all_set;
}

struct MayMatch {
  template <int K>
  static bool Run(const BlockedLines& filter, uint64_t hash) {
    return LineMayMatch(Line(filter, hash), K == 0 ? filter.num_probes : K, hash);
  }
};

struct MayMatchMany {
  template <int K>
  static void Run(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    for (size_t i = 0; i < n; ++i) may_match[i] = MayMatch::Run<K>(filter, hashes[i]);
  }
};

void BlockedMayMatchMany(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) {
  RunUnrolled<MayMatchMany>(filter.num_probes, filter, n, hashes, may_match);
}

struct InsertBlocked {
  template <int K>
  static void Run(const BlockedLines& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      if (i + kInsertAhead < n) PrefetchLineForWrite(filter, hashes[i + kInsertAhead]);
      const char* line = Line(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) SetBit(line, BlockedBit(Probe(pair, j)));
    }
  }
};

void BlockedInsertMany(const BlockedLines& filter, size_t n, const uint64_t* hashes) {
  RunUnrolled<InsertBlocked>(filter.num_probes, filter, n, hashes);
}

void BlockedAddMany(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* changed) {
  for (size_t i = 0; i < n; ++i) {
    const char* line = Line(filter, hashes[i]);
    changed[i] = !LineMayMatch(line, filter.num_probes, hashes[i]);
    const ProbePair pair = BlockedPair(hashes[i]);
    for (int j = 0; j < filter.num_probes; ++j) SetBit(line, BlockedBit(Probe(pair, j)));
  }
}

uint64_t* SharedLine(const BlockedLines& filter, uint64_t hash) {
  return reinterpret_cast<uint64_t*>(const_cast<char*>(Line(filter, hash)));
}

struct AskShared {
  template <int K>
  static void Run(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t* line = SharedLine(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
      bool all_set = true;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = BlockedBit(Probe(pair, j));
        all_set &= (LoadShared(line + bit / kWordBits) & WordMask(bit)) != 0;
      }
      may_match[i] = all_set;
    }
  }
};

void SharedMayMatchMany(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                        bool* may_match) {
  RunUnrolled<AskShared>(filter.num_probes, filter, n, hashes, may_match);
}

struct AddShared {
  template <int K>
  static void Run(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* changed) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      uint64_t* line = SharedLine(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
      uint64_t masks[kWordsPerLine] = {};
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = BlockedBit(Probe(pair, j));
        masks[bit / kWordBits] |= WordMask(bit);
      }
      uint32_t lacking = 0;
#pragma GCC unroll 8
      for (uint32_t w = 0; w < kWordsPerLine; ++w) {
        lacking |= ((masks[w] & ~LoadShared(line + w)) != 0 ? 1u : 0u) << w;
      }
      changed[i] = lacking != 0;
      OrSharedWords(line, masks, lacking);
    }
  }
};

void SharedAddMany(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* changed) {
  RunUnrolled<AddShared>(filter.num_probes, filter, n, hashes, changed);
}

void SharedCountLines(const char* data, uint64_t num_lines, uint64_t* lines_with) {
  CountLinesByFill(data, num_lines, lines_with);
}

struct AskFlat {
  template <int K>
  static bool Run(const FlatBits& filter, uint64_t hash) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const ProbePair pair = FlatPair(hash);
    bool all_set = true;
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      all_set &= TestBit(filter.data, FlatBit(Probe(pair, j), filter.num_bits));
    }
    return all_set;
  }
};

bool FlatMayMatch(const FlatBits& filter, uint64_t hash) {
  return UnrolledFunction<AskFlat>(filter.num_probes)(filter, hash);
}

struct InsertFlat {
  template <int K>
  static void Run(const FlatBits& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      const ProbePair pair = FlatPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        SetBit(filter.data, FlatBit(Probe(pair, j), filter.num_bits));
      }
    }
  }
};

void FlatInsertMany(const FlatBits& filter, size_t n, const uint64_t* hashes) {
  RunUnrolled<InsertFlat>(filter.num_probes, filter, n, hashes);
}

bool AlwaysSupported() { return true; }

}  // namespace

const Kernel kPortableKernel = {
    "portable",
    "plain C++, one bit at a time; the specification",
    "",
    AlwaysSupported,
    MayMatch::Run<0>,
    UnrolledFunction<MayMatch>,
    BlockedMayMatchMany,
    BlockedInsertMany,
    BlockedAddMany,
    SharedMayMatchMany,
    SharedAddMany,
    SharedCountLines,
    FlatMayMatch,
    FlatInsertMany,
    &kPortableCompact,
    &kPortableCounters,
};

}  // namespace bloomline::kernels

// The entries of a key that the key before it does not have.
#ifndef BLOOMLINE_FILTER_RANGES_NEW_ENTRIES_H_
#define BLOOMLINE_FILTER_RANGES_NEW_ENTRIES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/hash.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// Calls f(cell, hash) for each new entry of these kinds, which have a member `bits`.
template <typename Cell, typename F>
void ForEachNewCell(Cell* begin, Cell* end, const KeyDifference& key, uint64_t seed, F f) {
  for (Cell* kind = begin; kind != end; ++kind) {
    const size_t bits = kind->bits;
    if (bits <= key.common_bits) continue;
    char cell[kMaxCellBytes];
    WriteCell(key.key, bits, cell);
    f(*kind, Hash64({cell, CellBytes(bits)}, CellSeed(bits, seed)));
  }
}

// The same for prefixes. The kinds have members `delimiter` and `depth`, by which they are sorted.
template <typename Prefix, typename F>
void ForEachNewPrefix(Prefix* begin, Prefix* end, const KeyDifference& key, uint64_t seed, F f) {
  for (Prefix* next = begin; next != end;) {
    const unsigned char delimiter = next->delimiter;
    Prefix* kind = next;
    while (next != end && next->delimiter == delimiter) ++next;
    size_t depth = 0;
    size_t at = 0;
    while (kind != next) {
      at = key.key.find(static_cast<char>(delimiter), at);
      if (at == key.key.npos) break;
      depth = std::min(depth + 1, kMaxDepth);
      ++at;
      while (kind != next && kind->depth < depth) ++kind;
      if (kind != next && kind->depth == depth && at > key.common_bytes) {
        f(*kind, Hash64(key.key.substr(0, at), PrefixSeed(seed)));
      }
    }
  }
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_NEW_ENTRIES_H_

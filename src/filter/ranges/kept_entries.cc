#include "src/filter/ranges/kept_entries.h"

#include <algorithm>

#include "src/filter/bits/hash.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

KeptEntries::Kinds KeptEntries::MakeKinds(const KindSet& set) {
  Kinds kinds;
  for (size_t number = 1; number < set.size(); ++number) {
    if (!set[number]) continue;
    const size_t prefix = number - kMaxCellBits - 1;  // if it is one
    const size_t bits = number <= kMaxCellBits ? number : 0;
    kinds.push_back({number, bits, static_cast<char>(prefix / kMaxDepth), prefix % kMaxDepth + 1,
                     std::make_unique<HashList>()});
  }
  return kinds;
}

template <typename F>
void KeptEntries::ForEachNew(const Kinds& kinds, const KeyDifference& key, F f) const {
  const Kind* kind = kinds.data();
  const Kind* const end = kind + kinds.size();
  for (; kind != end && kind->bits != 0; ++kind) {
    const size_t bits = kind->bits;
    if (bits <= key.common_bits) continue;
    char cell[kMaxCellBytes];
    WriteCell(key.key, bits, cell);
    f(kind->hashes.get(), Hash64({cell, CellBytes(bits)}, CellSeed(bits, seed_)));
  }
  while (kind != end) {
    const char delimiter = kind->delimiter;
    const Kind* next = kind;
    while (next != end && next->delimiter == delimiter) ++next;
    size_t depth = 0;
    size_t at = 0;
    while (kind != next) {
      at = key.key.find(delimiter, at);
      if (at == key.key.npos) break;
      depth = std::min(depth + 1, kMaxDepth);
      ++at;
      while (kind != next && kind->depth < depth) ++kind;
      if (kind != next && kind->depth == depth && at > key.common_bytes) {
        f(kind->hashes.get(), Hash64(key.key.substr(0, at), PrefixSeed(seed_)));
      }
    }
    kind = next;
  }
}

void KeptEntries::Start(const KindSet& kinds, KeptKeys* keys) {
  kinds_ = MakeKinds(kinds);
  has_started_ = true;
  keys->TakeAll([this](const KeyDifference& key, size_t) { Add(key); });
}

size_t KeptEntries::MostBytesOfStart(const KindSet& kinds, const KeptKeys& keys) const {
  const Kinds counted = MakeKinds(kinds);
  size_t num_entries = 0;
  size_t most = keys.num_bytes();
  keys.ForEach([&](const KeyDifference& key, size_t bytes_left) {
    ForEachNew(counted, key, [&](HashList*, uint64_t) { ++num_entries; });
    most = std::max(most, bytes_left + sizeof(uint64_t) * num_entries);
  });
  return most;
}

void KeptEntries::Add(const KeyDifference& key) {
  ForEachNew(kinds_, key, [](HashList* hashes, uint64_t hash) { hashes->Append(hash); });
}

size_t KeptEntries::num_bytes() const {
  size_t sum = 0;
  for (const Kind& kind : kinds_) sum += kind.hashes->num_bytes();
  return sum;
}

void KeptEntries::KeepOnly(const KindSet& kinds) {
  const auto is_other = [&](const Kind& kind) { return !kinds[kind.number]; };
  kinds_.erase(std::remove_if(kinds_.begin(), kinds_.end(), is_other), kinds_.end());
}

void KeptEntries::MoveTo(const EntryKinds& kinds, FilterWriter* writer) {
  KeepOnly(KindsOf(kinds));
  const auto give = [&](size_t number, unsigned copies) {
    for (const Kind& kind : kinds_) {
      if (kind.number != number) continue;
      for (unsigned i = 1; i < copies; ++i) {
        kind.hashes->ForEach([&](uint64_t hash) { writer->AddHash(EntryCopy(hash, i)); });
      }
      writer->TakeHashes(kind.hashes.get());
    }
  };
  for (size_t i = 0; i < kinds.num_cells; ++i) give(kinds.cells[i].bits, kinds.cells[i].copies);
  for (size_t i = 0; i < kinds.num_prefixes; ++i) {
    const EntryKinds::Prefix& kind = kinds.prefixes[i];
    give(PrefixKind(kind.delimiter, kind.depth), kind.copies);
  }
  Clear();
}

void KeptEntries::Clear() {
  kinds_.clear();
  has_started_ = false;
}

}  // namespace bloomline::filter

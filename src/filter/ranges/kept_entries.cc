#include "src/filter/ranges/kept_entries.h"

#include <algorithm>

#include "src/filter/ranges/new_entries.h"

namespace bloomline::filter {
namespace {

void GiveCopies(HashList* hashes, unsigned copies, FilterWriter* writer) {
  for (unsigned i = 1; i < copies; ++i) {
    hashes->ForEach([&](uint64_t hash) { writer->AddHash(EntryCopy(hash, i)); });
  }
  writer->TakeHashes(hashes);
}

}  // namespace

KeptEntries::Kinds::Kinds(const KindSet& kinds) {
  for (size_t bits = 1; bits <= kMaxCellBits; ++bits) {
    if (kinds.HasCells(bits)) {
      cells.push_back({static_cast<uint16_t>(bits), std::make_unique<HashList>()});
    }
  }
  for (size_t delimiter = 0; delimiter < kDelimiters.size(); ++delimiter) {
    for (uint8_t depth = 1; depth <= kMaxDepth; ++depth) {
      if (!kinds.HasPrefixes(delimiter, depth)) continue;
      prefixes.push_back({static_cast<unsigned char>(kDelimiters[delimiter]), depth,
                          std::make_unique<HashList>()});
    }
  }
}

template <typename F>
void KeptEntries::Kinds::ForEachNew(const KeyDifference& key, uint64_t seed, F f) {
  const auto call = [&](auto& kind, uint64_t hash) { f(kind.hashes.get(), hash); };
  ForEachNewCell(cells.data(), cells.data() + cells.size(), key, seed, call);
  ForEachNewPrefix(prefixes.data(), prefixes.data() + prefixes.size(), key, seed, call);
}

void KeptEntries::Start(const KindSet& kinds, KeptKeys* keys) {
  kinds_ = Kinds(kinds);
  has_started_ = true;
  keys->TakeAll([this](const KeyDifference& key, size_t) { Add(key); });
}

size_t KeptEntries::MostBytesOfStart(const KindSet& kinds, const KeptKeys& keys) const {
  Kinds counted(kinds);
  size_t num_entries = 0;
  size_t most = keys.num_bytes();
  keys.ForEach([&](const KeyDifference& key, size_t bytes_left) {
    counted.ForEachNew(key, seed_, [&](HashList*, uint64_t) { ++num_entries; });
    most = std::max(most, bytes_left + sizeof(uint64_t) * num_entries);
  });
  return most;
}

void KeptEntries::Add(const KeyDifference& key) {
  kinds_.ForEachNew(key, seed_, [](HashList* hashes, uint64_t hash) { hashes->Append(hash); });
}

size_t KeptEntries::num_bytes() const {
  size_t sum = 0;
  for (const Cells& kind : kinds_.cells) sum += kind.hashes->num_bytes();
  for (const Prefixes& kind : kinds_.prefixes) sum += kind.hashes->num_bytes();
  return sum;
}

void KeptEntries::KeepOnly(const KindSet& kinds) {
  auto& cells = kinds_.cells;
  cells.erase(std::remove_if(cells.begin(), cells.end(),
                             [&](const Cells& kind) { return !kinds.HasCells(kind.bits); }),
              cells.end());
  auto& prefixes = kinds_.prefixes;
  const auto is_other = [&](const Prefixes& kind) {
    const size_t delimiter = kDelimiters.find(static_cast<char>(kind.delimiter));
    return !kinds.HasPrefixes(delimiter, kind.depth);
  };
  prefixes.erase(std::remove_if(prefixes.begin(), prefixes.end(), is_other), prefixes.end());
}

void KeptEntries::MoveTo(const EntryKinds& kinds, FilterWriter* writer) {
  KeepOnly(KindSet::Of(kinds));
  for (const Cells& kept : kinds_.cells) {
    for (size_t i = 0; i < kinds.num_cells; ++i) {
      if (kinds.cells[i].bits != kept.bits) continue;
      GiveCopies(kept.hashes.get(), kinds.cells[i].copies, writer);
    }
  }
  for (const Prefixes& kept : kinds_.prefixes) {
    for (size_t i = 0; i < kinds.num_prefixes; ++i) {
      const EntryKinds::Prefix& kind = kinds.prefixes[i];
      if (kind.delimiter != kept.delimiter || kind.depth != kept.depth) continue;
      GiveCopies(kept.hashes.get(), kind.copies, writer);
    }
  }
  Clear();
}

void KeptEntries::Clear() {
  kinds_ = Kinds(KindSet());
  has_started_ = false;
}

}  // namespace bloomline::filter

// A layout that bloomline does not have, in the tables of a program of its own: an exact list of
// the keys' hashes. Its copies of formats.cc and layout_table.cc have one line more each
// (CMakeLists.txt). An object file comes before the same one in a library.
#include "tests/new_layout/exact_list.h"

#include <algorithm>
#include <cmath>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::filter {
namespace {

constexpr auto kExactList = static_cast<Layout>(42);

// A slot has a hash, or 0 if it is free. A hash lies in the first slot from its own on that was
// free.
constexpr uint32_t kSlotBytes = 8;

uint64_t Stored(uint64_t hash) { return hash == 0 ? 1 : hash; }

FilterShape WithSlots(uint64_t num_slots) { return {kExactList, kSlotBytes, num_slots, 1}; }

FilterShape Shape(const ShapeRequest& request) {
  const uint64_t most = request.max_payload_bytes / kSlotBytes;
  return WithSlots(std::min(most, request.num_keys + request.num_keys / 4 + 1));
}

// Calls f(the bytes of a slot) from the hash's own on, until it returns true. Returns false if it
// never did.
template <typename Slots, typename F>
bool AnySlot(Slots* data, uint64_t num_slots, uint64_t hash, F f) {
  const uint64_t first = kernels::BlockIndex(hash, num_slots);
  for (uint64_t i = 0; i < num_slots; ++i) {
    if (f(data + (first + i) % num_slots * kSlotBytes)) return true;
  }
  return false;
}

bool MayMatch(const kernels::PayloadView& list, uint64_t hash) {
  uint64_t found = 0;
  const bool is_decided = AnySlot(list.data, list.num_blocks, hash, [&](const char* slot) {
    found = kernels::LoadLittleEndian64(slot);
    return found == 0 || found == Stored(hash);
  });
  return !is_decided || found != 0;
}

void Insert(const FilterShape& shape, const kernels::Kernel&, char* data, size_t n,
            const uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) {
    AnySlot(data, shape.num_blocks, hashes[i], [&](char* slot) {
      const uint64_t found = kernels::LoadLittleEndian64(slot);
      if (found != 0 && found != Stored(hashes[i])) return false;
      kernels::StoreLittleEndian64(Stored(hashes[i]), slot);
      return true;
    });
  }
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = kExactList;
  row.name = "exact list";
  row.long_name = "exact list of hashes";
  row.format = kExactFormat;
  row.shape = row.sstable_shape = Shape;
  row.rate = [](const FilterShape&, uint64_t num_keys) {  // of equal hashes
    return std::ldexp(static_cast<double>(num_keys), -64);
  };
  row.trailer_shape = [](uint32_t) { return WithSlots(0); };
  row.min_parameter = row.max_parameter = 1;
  row.open = [](const Payload&, const kernels::Kernel&, OpenFilter* filter) {
    filter->may_match = MayMatch;
  };
  row.insert = Insert;
  return row;
}

}  // namespace

constexpr LayoutRow kExactListRow = MakeRow();
}  // namespace bloomline::filter

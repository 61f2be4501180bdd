#include "src/filter/ranges/range_field.h"

#include <cstring>

#include "src/filter/cpu/little_endian.h"
#include "src/filter/cpu/probe_sequence.h"

namespace bloomline::filter {
namespace {

// The first bytes of the content: the least and the greatest length of a key, 2 bytes each; how
// many cell lengths and delimiters follow.
constexpr size_t kHeadBytes = 6;

uint16_t Load16(const char* p) { return static_cast<uint16_t>(kernels::LoadLittleEndian16(p)); }

char* Store16(unsigned value, char* dst) {
  dst[0] = static_cast<char>(value);
  dst[1] = static_cast<char>(value >> 8);
  return dst + 2;
}

}  // namespace

size_t EncodeRangeField(const RangeField& field, char* dst) {
  const EntryKinds& kinds = field.kinds;
  char* p = Store16(field.max_key_bytes, Store16(field.min_key_bytes, dst));
  *p++ = static_cast<char>(kinds.num_cell_lengths);
  *p++ = static_cast<char>(kinds.num_delimiters);
  for (size_t i = 0; i < kinds.num_cell_lengths; ++i) p = Store16(kinds.cell_bits[i], p);
  for (size_t i = 0; i < kinds.num_delimiters; ++i) {
    *p++ = static_cast<char>(kinds.delimiters[i].byte);
    *p++ = static_cast<char>(kinds.delimiters[i].depths);
  }
  p += field.last_key.copy(p, kMaxLastKeyBytes);
  return static_cast<size_t>(p - dst);
}

bool DecodeRangeField(std::string_view content, RangeField* field) {
  if (content.size() < kHeadBytes) return false;
  const char* p = content.data();
  EntryKinds& kinds = field->kinds;
  field->min_key_bytes = Load16(p);
  field->max_key_bytes = Load16(p + 2);
  kinds.num_cell_lengths = static_cast<uint8_t>(p[4]);
  kinds.num_delimiters = static_cast<uint8_t>(p[5]);
  if (kinds.num_cell_lengths > kMaxCellLengths || kinds.num_delimiters > kMaxDelimiters ||
      field->min_key_bytes > field->max_key_bytes) {
    return false;
  }
  const size_t end =
      kHeadBytes + 2 * size_t{kinds.num_cell_lengths} + 2 * size_t{kinds.num_delimiters};
  if (content.size() < end || content.size() - end > kMaxLastKeyBytes) return false;
  p += kHeadBytes;
  for (unsigned i = 0, last = 0; i < kinds.num_cell_lengths; ++i, p += 2) {
    kinds.cell_bits[i] = Load16(p);
    if (kinds.cell_bits[i] <= last || kinds.cell_bits[i] > kMaxCellBits) return false;
    last = kinds.cell_bits[i];
  }
  for (size_t i = 0; i < kinds.num_delimiters; ++i, p += 2) {
    kinds.delimiters[i] = {static_cast<unsigned char>(p[0]), static_cast<uint8_t>(p[1])};
    if (kinds.delimiters[i].depths == 0) return false;
  }
  field->last_key = content.substr(end);
  return true;
}

uint64_t CellSeed(size_t bits, uint64_t seed) {
  return seed + bits * kernels::kWideProbeMultipliers[0];
}

uint64_t PrefixSeed(uint64_t seed) { return seed + kernels::kWideProbeMultipliers[1]; }

void CellOf(std::string_view key, size_t bits, char* cell) {
  const size_t bytes = CellBytes(bits);
  const size_t copied = key.copy(cell, bytes);
  std::memset(cell + copied, 0, bytes - copied);
  cell[bytes - 1] = static_cast<char>(cell[bytes - 1] & 0xff << (8 * bytes - bits));
}

}  // namespace bloomline::filter

#include "src/filter/ranges/range_field.h"

#include <cstring>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::filter {
namespace {

// The bytes of the content before the kinds of entries.
constexpr size_t kHeadBytes = 8;

uint16_t Load16(const char* p) { return static_cast<uint16_t>(kernels::LoadLittleEndian16(p)); }

char* Store16(unsigned value, char* dst) {
  dst[0] = static_cast<char>(value);
  dst[1] = static_cast<char>(value >> 8);
  return dst + 2;
}

// A cell length: 14 bits, and 2 of copies - 1.
constexpr unsigned kLengthBits = 14;
// A depth: 4 bits, and 2 of copies - 1.
constexpr unsigned kDepthBits = 4;

bool DecodeCells(const char* p, EntryKinds* kinds) {
  for (unsigned i = 0, last = 0; i < kinds->num_cells; ++i, p += 2) {
    const unsigned number = Load16(p);
    EntryKinds::Cell& cell = kinds->cells[i];
    cell.bits = static_cast<uint16_t>(number & ((1U << kLengthBits) - 1));
    cell.copies = static_cast<uint8_t>((number >> kLengthBits) + 1);
    if (cell.bits <= last || cell.bits > kMaxCellBits) return false;
    last = cell.bits;
  }
  return true;
}

bool DecodePrefixes(const char* p, EntryKinds* kinds) {
  for (unsigned i = 0, last = 0; i < kinds->num_prefixes; ++i, p += 2) {
    const auto delimiter = static_cast<unsigned char>(p[0]);
    const unsigned number = static_cast<unsigned char>(p[1]);
    const unsigned depth = number & ((1U << kDepthBits) - 1);
    const unsigned order = unsigned{delimiter} << kDepthBits | depth;
    if (depth == 0 || depth > kMaxDepth || number >> (kDepthBits + 2) != 0 || order <= last) {
      return false;
    }
    kinds->prefixes[i] = {delimiter, static_cast<uint8_t>(depth),
                          static_cast<uint8_t>((number >> kDepthBits) + 1)};
    last = order;
  }
  return true;
}

}  // namespace

size_t EncodeRangeField(const RangeField& field, char* dst) {
  const EntryKinds& kinds = field.kinds;
  char* p = Store16(field.max_key_bytes, Store16(field.min_key_bytes, dst));
  *p++ = static_cast<char>(field.suffix_bytes);
  *p++ = field.suffix_byte;
  *p++ = static_cast<char>(kinds.num_cells);
  *p++ = static_cast<char>(kinds.num_prefixes);
  for (size_t i = 0; i < kinds.num_cells; ++i) {
    p = Store16(kinds.cells[i].bits | (kinds.cells[i].copies - 1U) << kLengthBits, p);
  }
  for (size_t i = 0; i < kinds.num_prefixes; ++i) {
    const EntryKinds::Prefix& prefix = kinds.prefixes[i];
    *p++ = static_cast<char>(prefix.delimiter);
    *p++ = static_cast<char>(prefix.depth | (prefix.copies - 1U) << kDepthBits);
  }
  return static_cast<size_t>(p - dst);
}

bool DecodeRangeField(std::string_view content, RangeField* field) {
  if (content.size() < kHeadBytes) return false;
  const char* const p = content.data();
  EntryKinds& kinds = field->kinds;
  field->min_key_bytes = Load16(p);
  field->max_key_bytes = Load16(p + 2);
  field->suffix_bytes = static_cast<uint8_t>(p[4]);
  field->suffix_byte = p[5];
  kinds.num_cells = static_cast<uint8_t>(p[6]);
  kinds.num_prefixes = static_cast<uint8_t>(p[7]);
  if (kinds.num_cells > kMaxCellLengths || kinds.num_prefixes > kMaxPrefixKinds ||
      field->min_key_bytes > field->max_key_bytes) {
    return false;
  }
  if (field->suffix_bytes != 0 &&
      (!field->has_one_length() || field->suffix_bytes >= field->min_key_bytes)) {
    return false;
  }
  const size_t prefixes = kHeadBytes + 2 * size_t{kinds.num_cells};
  return content.size() == prefixes + 2 * size_t{kinds.num_prefixes} &&
         DecodeCells(p + kHeadBytes, &kinds) && DecodePrefixes(p + prefixes, &kinds);
}

bool DecodeKeyLimits(std::string_view content, RangeField* field) {
  if (content.size() % 2 != 0 || content.size() > 2 * kMaxCellBytes) return false;
  for (size_t i = 0; i < content.size(); i += 2) {
    if (static_cast<unsigned char>(content[i]) > static_cast<unsigned char>(content[i + 1])) {
      return false;
    }
  }
  field->key_limits = content;
  return true;
}

uint64_t CellSeed(size_t bits, uint64_t seed) {
  return seed + bits * kernels::kWideProbeMultipliers[0];
}

uint64_t PrefixSeed(uint64_t seed) { return seed + kernels::kWideProbeMultipliers[1]; }

void WriteCell(std::string_view key, size_t bits, char* cell) {
  const size_t bytes = CellBytes(bits);
  const size_t copied = key.copy(cell, bytes);
  std::memset(cell + copied, 0, bytes - copied);
  cell[bytes - 1] = static_cast<char>(cell[bytes - 1] & 0xff << (8 * bytes - bits));
}

}  // namespace bloomline::filter

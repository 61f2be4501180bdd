// What a range filter records of its keys, beside its entries: docs/format.md, section 12. An entry
// is a cell or a prefix.
//
// A *cell* of L bits is the first L bits of a key, filled with zeros where the key is shorter. A
// filter has an entry for each different cell of its keys, at some lengths L. Cells have the order
// of the keys: if a <= key < b, then cell(a) <= cell(key) <= cell(b). So if no cell from cell(a) to
// cell(b) is in the filter, it has no key in [a, b). A *prefix* is a key up to and including
// one of its first delimiters, such as '/'. It decides a range whose keys all begin with it.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_FIELD_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/filter/bits/bytes.h"

namespace bloomline::filter {

// Longer cells and prefixes are not written.
constexpr size_t kMaxCellBytes = 64;
constexpr size_t kMaxCellBits = 8 * kMaxCellBytes;
constexpr size_t kMaxPrefixBytes = 1024;

constexpr size_t kMaxCellLengths = 8;
constexpr size_t kMaxPrefixKinds = 32;
// A length field holds this for all keys of this many bytes or more.
constexpr uint16_t kLongKey = UINT16_MAX;

constexpr size_t CellBytes(size_t bits) { return (bits + 7) / 8; }

// The depth of a delimiter's occurrence, 1 for the first. All further occurrences share this one.
constexpr size_t kMaxDepth = 8;
// An entry is in the payload this many times at most.
constexpr uint8_t kMaxCopies = 4;

// The entries of a filter: of each key the cells of these lengths, and prefixes up to some of its
// delimiters.
struct EntryKinds {
  struct Cell {
    uint16_t bits;  // 1 to kMaxCellBits
    uint8_t copies = 1;
  };
  struct Prefix {
    unsigned char delimiter;
    uint8_t depth;  // 1 to kMaxDepth
    uint8_t copies = 1;
  };
  uint8_t num_cells = 0;
  uint8_t num_prefixes = 0;
  Cell cells[kMaxCellLengths] = {};       // ascending
  Prefix prefixes[kMaxPrefixKinds] = {};  // by delimiter, then by depth, ascending

  bool empty() const { return num_cells == 0 && num_prefixes == 0; }
};

// Empty keys do not count.
struct RangeField {
  EntryKinds kinds;
  // Limits of the lengths of all keys, in bytes. If the greatest is kLongKey, there is no limit.
  uint16_t min_key_bytes = 0;
  uint16_t max_key_bytes = kLongKey;
  // The number of equal bytes at the end of all keys; 0 if they differ in length.
  uint8_t suffix_bytes = 0;
  char suffix_byte = 0;
  // Encoded apart from the rest: for each of the first positions the least and the greatest byte
  // that keys have there, if they are padded with zeros.
  std::string_view key_limits;

  bool has_one_length() const {
    return min_key_bytes == max_key_bytes && max_key_bytes != kLongKey;
  }
};

constexpr size_t kMaxRangeFieldBytes = 8 + 2 * kMaxCellLengths + 2 * kMaxPrefixKinds;

// Writes the field without the limits, at most kMaxRangeFieldBytes, and returns its length.
size_t EncodeRangeField(const RangeField& field, char* dst);
// Returns false if the content breaks the rules; such a filter answers "may match" to all ranges.
bool DecodeRangeField(std::string_view content, RangeField* field);
// The same for the limits, to which *field then points; without content, there are none.
bool DecodeKeyLimits(std::string_view content, RangeField* field);

// The seeds of the hashes of entries, in a filter with this seed. They separate cells of different
// lengths and prefixes.
uint64_t CellSeed(size_t bits, uint64_t seed);
uint64_t PrefixSeed(uint64_t seed);

// Copy i of an entry. Only the lower half differs, so that copies lie in one block.
constexpr uint64_t EntryCopy(uint64_t hash, unsigned i) {
  return hash ^ static_cast<uint32_t>(i * uint32_t{0xb5c0fbcf});
}

// Eight bytes as a number of which the first byte counts most, and back.
inline uint64_t WordAt(const char* bytes) {
  return __builtin_bswap64(kernels::LoadLittleEndian64(bytes));
}
inline void StoreWord(uint64_t word, char* bytes) {
  kernels::StoreLittleEndian64(__builtin_bswap64(word), bytes);
}

// Bytes [i, i + 8) of a key, with zeros where it ends.
inline uint64_t KeyWord(std::string_view key, size_t i) {
  if (key.size() >= i + 8) return WordAt(key.data() + i);
  if (key.size() <= i) return 0;
  if (key.size() >= 8) return WordAt(key.data() + key.size() - 8) << (8 * (i + 8 - key.size()));
  uint64_t word = 0;
  for (size_t j = i; j < key.size(); ++j) {
    word |= uint64_t{static_cast<unsigned char>(key[j])} << (56 - 8 * (j - i));
  }
  return word;
}

// Copies bytes [begin, end) of a key, and writes up to kCopySlackBytes too many. It copies words,
// because most copies are few bytes, for which a call, or GCC's own loop, takes 10 ns longer.
constexpr size_t kCopySlackBytes = 8;
inline void CopyBytes(std::string_view key, size_t begin, size_t end, char* to) {
  for (size_t i = begin; i < end; i += 8) StoreWord(KeyWord(key, i), to + (i - begin));
}

// Compares `end` with the least key above all that begin with the prefix: 0 if it is that key, more
// if it is above. To get that key, drop the 0xFF at the end of the prefix and add 1 to the last
// byte that is left; without one, there is no such key, and `end` is below.
inline int CompareWithSuccessor(std::string_view end, std::string_view prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.remove_suffix(1);
  if (prefix.empty()) return -1;
  const size_t last = prefix.size() - 1;
  const int order = end.substr(0, last).compare(prefix.substr(0, last));
  if (order != 0) return order;
  if (end.size() <= last) return -1;
  const int byte = static_cast<unsigned char>(end[last]);
  const int limit = static_cast<unsigned char>(prefix[last]) + 1;
  return byte != limit ? byte - limit : static_cast<int>(end.size() != prefix.size());
}

// Writes the CellBytes(bits) bytes of the cell that the key is in.
void WriteCell(std::string_view key, size_t bits, char* cell);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_FIELD_H_

#include "src/filter/ranges/key_interval.h"

#include <algorithm>
#include <cstring>

namespace bloomline::filter {
namespace {

unsigned Byte(char byte) { return static_cast<unsigned char>(byte); }

// The unused bits of the byte at i, which is the last one of a cell or lies before it.
unsigned UnusedBits(size_t bits, size_t i) {
  return static_cast<unsigned>(std::max(8 * (i + 1), bits) - bits);
}

// Upward or downward moves through the numbers of num_bytes bytes.
struct Direction {
  const unsigned char* nearest;   // the limit at which a byte starts
  const unsigned char* farthest;  // after which it carries
  int step;
};

void Fill(const Direction& direction, size_t from, size_t num_bytes, char* number) {
  std::memcpy(number + from, direction.nearest + from, num_bytes - from);
}

// The next number that differs in its first i bytes. Returns false if there is none.
bool Carry(const Direction& direction, size_t i, size_t num_bytes, char* number) {
  while (i-- > 0) {
    if (Byte(number[i]) == direction.farthest[i]) continue;
    number[i] = static_cast<char>(number[i] + direction.step);
    Fill(direction, i + 1, num_bytes, number);
    return true;
  }
  return false;
}

// Moves to the nearest number whose bytes are all within the limits: another one if `must_move`.
bool MoveInto(const KeyLimits& limits, const Direction& direction, bool must_move, size_t num_bytes,
              char* number) {
  size_t i = 0;
  while (i < num_bytes && limits.least[i] <= Byte(number[i]) &&
         Byte(number[i]) <= limits.greatest[i]) {
    ++i;
  }
  if (i == num_bytes) return !must_move || Carry(direction, i, num_bytes, number);
  const bool is_above = Byte(number[i]) > limits.greatest[i];
  if (is_above == (direction.step > 0)) return Carry(direction, i, num_bytes, number);
  Fill(direction, i, num_bytes, number);
  return true;
}

// Whether no key below `end` has the same first num_bytes bytes, padded with zeros. Such a key is
// `end` without some zeros at its end, or `end` has other bytes beyond.
bool HasNoKeyBelow(std::string_view end, size_t num_bytes, size_t min_key_bytes) {
  if (end.size() > num_bytes && end.find_first_not_of('\0', num_bytes) != end.npos) return false;
  return end.size() <= min_key_bytes || end.back() != '\0';
}

}  // namespace

KeyLimits::KeyLimits(const RangeField& field) {
  std::memset(least, 0, sizeof(least));
  std::memset(greatest, UINT8_MAX, sizeof(greatest));
  for (size_t i = 0; i < field.key_limits.size() / 2; ++i) {
    least[i] = static_cast<unsigned char>(field.key_limits[2 * i]);
    greatest[i] = static_cast<unsigned char>(field.key_limits[2 * i + 1]);
  }
  const size_t max_bytes = std::min<size_t>(field.max_key_bytes, kMaxCellBytes);
  std::memset(least + max_bytes, 0, kMaxCellBytes - max_bytes);
  std::memset(greatest + max_bytes, 0, kMaxCellBytes - max_bytes);
  const size_t suffix = std::min<size_t>(field.max_key_bytes - field.suffix_bytes, max_bytes);
  std::memset(least + suffix, field.suffix_byte, max_bytes - suffix);
  std::memset(greatest + suffix, field.suffix_byte, max_bytes - suffix);
}

void Advance(const KeyLimits& limits, size_t bits, char* cell) {
  for (size_t i = CellBytes(bits); i-- > 0;) {
    const unsigned unused = UnusedBits(bits, i);
    if (Byte(cell[i]) >> unused != unsigned{limits.greatest[i]} >> unused) {
      cell[i] = static_cast<char>(Byte(cell[i]) + (1U << unused));
      return;
    }
    cell[i] = static_cast<char>(limits.least[i] >> unused << unused);
  }
}

bool KeyInterval::Set(const KeyLimits& limits, const RangeField& field, std::string_view begin,
                      std::string_view end) {
  if (num_bytes == 0) return true;
  WriteCell(begin, 8 * num_bytes, first);
  WriteCell(end, 8 * num_bytes, last);
  // A key with all these bytes of `begin` is shorter, and so it lies below.
  const bool is_longer = begin.size() > field.max_key_bytes && field.max_key_bytes <= num_bytes;
  return MoveInto(limits, {limits.least, limits.greatest, 1}, is_longer, num_bytes, first) &&
         MoveInto(limits, {limits.greatest, limits.least, -1},
                  HasNoKeyBelow(end, num_bytes, field.min_key_bytes), num_bytes, last) &&
         std::memcmp(first, last, num_bytes) <= 0;
}

size_t KeyInterval::CommonBits() const {
  const auto at = static_cast<size_t>(std::mismatch(first, first + num_bytes, last).first - first);
  if (at == num_bytes) return 8 * num_bytes;
  const unsigned different = Byte(first[at]) ^ Byte(last[at]);
  return 8 * at + static_cast<size_t>(__builtin_clz(different) - 24);
}

uint64_t KeyInterval::NumCells(const KeyLimits& limits, size_t bits) const {
  const size_t size = CellBytes(bits);
  const auto same = std::mismatch(first, first + size, last).first - first;
  uint64_t distance = 0;
  for (auto i = static_cast<size_t>(same); i < size && distance < kMostCounted; ++i) {
    const unsigned unused = UnusedBits(bits, i);
    const unsigned least = limits.least[i] >> unused;
    const unsigned greatest = limits.greatest[i] >> unused;
    // This never falls: the distance so far is at least 1, or the last digit is the greater one.
    distance = distance * (greatest - least + 1) + (Byte(last[i]) >> unused);
    distance -= Byte(first[i]) >> unused;
  }
  return distance + 1;
}

KeyInterval KeyInterval::InCell(const KeyLimits& limits, size_t bits, const char* cell,
                                bool with_first, bool with_last) const {
  KeyInterval part = *this;
  const size_t end = CellBytes(bits) - 1;
  const unsigned mask = (1U << UnusedBits(bits, end)) - 1;
  if (!with_first) {
    std::memcpy(part.first, limits.least, num_bytes);
    std::memcpy(part.first, cell, end);
    part.first[end] = static_cast<char>(std::max<unsigned>(Byte(cell[end]), limits.least[end]));
  }
  if (!with_last) {
    std::memcpy(part.last, limits.greatest, num_bytes);
    std::memcpy(part.last, cell, end);
    part.last[end] =
        static_cast<char>(std::min<unsigned>(Byte(cell[end]) | mask, limits.greatest[end]));
  }
  return part;
}

}  // namespace bloomline::filter

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

// Moves to the least number that is not below: to another one if `must_move`. Returns false if
// there is none.
bool MoveUp(const KeyLimits& limits, bool must_move, size_t num_bytes, char* number) {
  size_t i = 0;
  while (i < num_bytes && limits.least[i] <= Byte(number[i]) &&
         Byte(number[i]) <= limits.greatest[i]) {
    ++i;
  }
  if (i == num_bytes && !must_move) return true;
  if (i == num_bytes || Byte(number[i]) > limits.greatest[i]) {
    if (!Advance(limits, 8 * i, number)) return false;
  }
  std::memcpy(number + i, limits.least + i, num_bytes - i);
  return true;
}

// Moves to the number before this one, if there is one.
void MoveDown(const KeyLimits& limits, size_t num_bytes, char* number) {
  for (size_t i = num_bytes; i-- > 0;) {
    if (Byte(number[i]) != limits.least[i]) {
      --number[i];
      return;
    }
    number[i] = static_cast<char>(limits.greatest[i]);
  }
}

// Whether no key below `end` has the same first num_bytes bytes, padded with zeros. Such a key is
// `end` without some zeros at its end, or `end` has other bytes beyond.
bool HasNoKeyBelow(std::string_view end, size_t num_bytes, size_t min_key_bytes) {
  if (end.size() > num_bytes && end.find_first_not_of('\0', num_bytes) != end.npos) return false;
  return end.size() <= min_key_bytes || end.back() != '\0';
}

}  // namespace

KeyLimits::KeyLimits(const RangeField& field)
    : min_key_bytes(field.min_key_bytes), max_key_bytes(field.max_key_bytes) {
  std::memset(least, 0, sizeof(least));
  std::memset(greatest, UINT8_MAX, sizeof(greatest));
  for (size_t i = 0; i < field.key_limits.size() / 2; ++i) {
    least[i] = static_cast<unsigned char>(field.key_limits[2 * i]);
    greatest[i] = static_cast<unsigned char>(field.key_limits[2 * i + 1]);
  }
  const auto set_all = [this](size_t begin, size_t end, char byte) {
    if (begin >= end) return;
    std::memset(least + begin, byte, end - begin);
    std::memset(greatest + begin, byte, end - begin);
  };
  const size_t end = std::min(max_key_bytes, kMaxCellBytes);
  set_all(max_key_bytes - field.suffix_bytes, end, field.suffix_byte);
  set_all(end, kMaxCellBytes, '\0');
}

bool Advance(const KeyLimits& limits, size_t bits, char* cell) {
  for (size_t i = CellBytes(bits); i-- > 0;) {
    const unsigned unused = UnusedBits(bits, i);
    if (Byte(cell[i]) >> unused != unsigned{limits.greatest[i]} >> unused) {
      cell[i] = static_cast<char>(Byte(cell[i]) + (1U << unused));
      return true;
    }
    cell[i] = static_cast<char>(limits.least[i] >> unused << unused);
  }
  return false;
}

bool KeyInterval::Set(const KeyLimits& limits, std::string_view begin, std::string_view end) {
  if (num_bytes == 0) return true;
  WriteCell(begin, 8 * num_bytes, first);
  WriteCell(end, 8 * num_bytes, last);
  // A key with all these bytes of `begin` is shorter, and so it lies below.
  const bool is_longer = begin.size() > limits.max_key_bytes && limits.max_key_bytes <= num_bytes;
  if (!MoveUp(limits, is_longer, num_bytes, first)) return false;
  const bool is_left_out = HasNoKeyBelow(end, num_bytes, limits.min_key_bytes);
  if (!MoveUp(limits, !is_left_out, num_bytes, last)) {
    std::memcpy(last, limits.greatest, num_bytes);
    return true;
  }
  // `last` is the number after the interval.
  if (std::memcmp(first, last, num_bytes) >= 0) return false;
  MoveDown(limits, num_bytes, last);
  return true;
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

size_t KeyInterval::ResolutionBits(const KeyLimits& limits) const {
  int top = 0;  // the highest digit of last + 1 - first that is not 0
  size_t top_at = 0;
  bool is_power = false;  // all digits below it are 0
  int carry = 1;
  for (size_t i = num_bytes; i-- > 0;) {
    const int radix = limits.greatest[i] - limits.least[i] + 1;
    int digit = static_cast<int>(Byte(last[i])) - static_cast<int>(Byte(first[i])) + carry;
    carry = digit < 0 ? -1 : digit / radix;
    digit -= carry * radix;
    if (digit == 0) continue;
    is_power = top == 0 && (digit & (digit - 1)) == 0;
    top = digit;
    top_at = i;
  }
  if (top == 0) return 0;
  const int zeros = __builtin_clz(static_cast<unsigned>(top)) - 24 + (is_power ? 1 : 0);
  return 8 * top_at + static_cast<size_t>(zeros);
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

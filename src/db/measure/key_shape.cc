#include "src/db/measure/key_shape.h"

#include <algorithm>
#include <tuple>

namespace bloomline::db {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

template <typename Is>
bool All(std::string_view text, Is is) {
  return std::all_of(text.begin(), text.end(), is);
}

bool IsUuid(std::string_view key) {
  if (key.size() != 36) return false;
  for (size_t i = 0; i < key.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? key[i] != '-' : !IsHex(key[i])) return false;
  }
  return true;
}

ShapeKind TextKind(std::string_view key) {
  if (All(key, IsDigit)) return ShapeKind::kDecimal;
  if (IsUuid(key)) return ShapeKind::kUuid;
  if (key.size() >= 16 && All(key, IsHex)) return ShapeKind::kHex;
  constexpr size_t kFewestDigits = 3;
  return key.size() > kFewestDigits && All(key.substr(key.size() - kFewestDigits), IsDigit)
             ? ShapeKind::kTextDecimal
             : ShapeKind::kText;
}

uint16_t Short(size_t n) { return static_cast<uint16_t>(std::min<size_t>(n, 65535)); }

void ClassifyBinary(std::string_view key, std::string_view next, KeyShape* shape) {
  if (key.size() != next.size() || key.empty() || key.size() > 65535) return;
  size_t first = 0;
  while (first < key.size() && key[first] == next[first]) ++first;
  size_t end = key.size();
  while (end > first && key[end - 1] == next[end - 1]) --end;
  if (end - first <= 2) {
    shape->kind = ShapeKind::kCounter;
    shape->counter_end = Short(end);
  } else if (2 * (end - first) >= key.size()) {
    shape->kind = ShapeKind::kRandom;
  }
}

// The digit after c among those that `is` accepts; 0: c is the last, and begins anew.
char NextDigit(char c) { return c == '9' ? '\0' : static_cast<char>(c + 1); }
char NextHex(char c) {
  if (c == '9') return 'a';
  return c == 'f' || c == 'F' ? '\0' : static_cast<char>(c + 1);
}

// Adds 1 to the digits that end the key; false: they are all the last digit.
template <typename Is, typename Next>
bool IncrementText(std::string* key, Is is, Next next) {
  for (size_t i = key->size(); i-- > 0 && is((*key)[i]);) {
    const char after = next((*key)[i]);
    if (after != '\0') {
      (*key)[i] = after;
      return true;
    }
    (*key)[i] = '0';
  }
  return false;
}

bool IncrementBytes(size_t end, std::string* key) {
  for (size_t i = end; i-- > 0;) {
    (*key)[i] = static_cast<char>((*key)[i] + 1);
    if ((*key)[i] != '\0') return true;
  }
  return false;
}

// The next key in the way of its shape, of the same length. False: there is none.
bool Increment(const KeyShape& shape, std::string* key) {
  switch (shape.kind) {
    case ShapeKind::kDecimal:
    case ShapeKind::kTextDecimal:
      return IncrementText(key, IsDigit, NextDigit);
    case ShapeKind::kUuid:
    case ShapeKind::kHex:
      return IncrementText(key, IsHex, NextHex);
    case ShapeKind::kCounter:
      return IncrementBytes(shape.counter_end, key);
    default:
      return IncrementBytes(key->size(), key);
  }
}

}  // namespace

bool KeyShape::operator<(const KeyShape& other) const {
  return std::tie(kind, length, counter_end) <
         std::tie(other.kind, other.length, other.counter_end);
}

KeyShape ShapeOf(std::string_view key, std::string_view next) {
  KeyShape shape;
  shape.length = Short(key.size());
  if (!key.empty() && All(key, IsPrintable)) {
    shape.kind = TextKind(key);
  } else {
    ClassifyBinary(key, next, &shape);
  }
  return shape;
}

std::string ShapeName(const KeyShape& shape) {
  const std::string length = std::to_string(shape.length);
  switch (shape.kind) {
    case ShapeKind::kDecimal:
      return "decimal, " + length + " digits";
    case ShapeKind::kTextDecimal:
      return "text, decimal number, " + length + " bytes";
    case ShapeKind::kUuid:
      return "UUIDs as text";
    case ShapeKind::kHex:
      return "hexadecimal, " + length + " digits";
    case ShapeKind::kText:
      return "text, " + length + " bytes";
    case ShapeKind::kCounter:
      if (shape.counter_end == shape.length) {
        return shape.length <= 8 ? length + "-byte big-endian counters"
                                 : length + " bytes, counter at end";
      }
      return std::to_string(shape.counter_end) + "-byte counters, " +
             std::to_string(shape.length - shape.counter_end) + " bytes more";
    case ShapeKind::kRandom:
      return length + " random bytes";
    case ShapeKind::kBinary:
      break;
  }
  return "binary, " + length + " bytes";
}

bool Neighbour(const KeyShape& shape, std::string_view low, std::string_view high,
               std::string* key) {
  key->assign(low);
  if (Increment(shape, key) && *key > low && *key < high) return true;
  // Numbers without gaps have none; another last byte may still be between them.
  key->assign(low);
  return IncrementBytes(key->size(), key) && *key > low && *key < high;
}

}  // namespace bloomline::db

#include "tests/support/key_shapes.h"

#include <cstdio>
#include <cstring>

namespace bloomline::tests {
namespace {

// splitmix64: a bijection of 64-bit numbers.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

size_t PutBigEndian(uint64_t value, size_t bytes, char* p) {
  for (size_t i = 0; i < bytes; ++i)
    p[i] = static_cast<char>(value >> (8 * (bytes - 1 - i)) & 0xFF);
  return bytes;
}

size_t PutDecimal(uint64_t value, size_t digits, char* p) {
  for (size_t i = digits; i-- > 0; value /= 10) p[i] = static_cast<char>('0' + value % 10);
  return digits;
}

size_t PutText(std::string_view text, char* p) { return text.copy(p, text.size()); }

}  // namespace

const char* Name(KeyShape shape) {
  switch (shape) {
    case KeyShape::kBigEndian64:
      return "BigEndian64";
    case KeyShape::kLittleEndian32:
      return "LittleEndian32";
    case KeyShape::kDecimal16:
      return "Decimal16";
    case KeyShape::kUuid:
      return "Uuid";
    case KeyShape::kPath:
      return "Path";
    case KeyShape::kPrefixCounter:
      return "PrefixCounter";
    case KeyShape::kTimestampId:
      return "TimestampId";
    case KeyShape::kUrl:
      return "Url";
  }
  return "";
}

std::string_view KeyMaker::operator()(uint64_t i) {
  char* p = buffer_;
  switch (shape_) {
    case KeyShape::kBigEndian64:
      p += PutBigEndian(i, 8, p);
      break;
    case KeyShape::kLittleEndian32: {
      const uint32_t value = static_cast<uint32_t>(i);
      for (int b = 0; b < 4; ++b) *p++ = static_cast<char>(value >> (8 * b) & 0xFF);
      break;
    }
    case KeyShape::kDecimal16:
      p += PutDecimal(i, 16, p);
      break;
    case KeyShape::kUuid:
      p += PutBigEndian(Mix(2 * i), 8, p);
      p += PutBigEndian(Mix(2 * i + 1), 8, p);
      break;
    case KeyShape::kPath:
      p += PutText("/usr/share/doc/lib", p);
      p += PutDecimal(i / 64, 8, p);
      p += PutText("-dev/examples/file", p);
      p += PutDecimal(i % 64, 2, p);
      p += PutText(".txt", p);
      break;
    case KeyShape::kPrefixCounter:
      p += PutText("user:", p);
      p += PutDecimal(i, 10, p);
      break;
    case KeyShape::kTimestampId:
      p += PutBigEndian(1700000000000 + i / 4, 8, p);
      p += PutBigEndian(i % 4 * 65536, 4, p);
      break;
    case KeyShape::kUrl:
      p += PutText("https://example.org/item/", p);
      p += PutDecimal(i, 12, p);
      p += PutText("/index.html?lang=en&sort=asc", p);
      break;
  }
  return {buffer_, static_cast<size_t>(p - buffer_)};
}

}  // namespace bloomline::tests

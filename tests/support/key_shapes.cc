#include "tests/support/key_shapes.h"

namespace bloomline::tests {
namespace {

// splitmix64: a bijection of 64-bit numbers.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

size_t PutLittleEndian(uint64_t value, size_t bytes, char* p) {
  for (size_t i = 0; i < bytes; ++i) p[i] = static_cast<char>(value >> 8 * i & 0xFF);
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
    case KeyShape::kLittleEndian32:
      return "LittleEndian32";
    case KeyShape::kDecimal16:
      return "Decimal16";
    case KeyShape::kUuid:
      return "Uuid";
    case KeyShape::kPath:
      return "Path";
  }
  return "";
}

std::string_view KeyMaker::operator()(uint64_t i) {
  char* p = buffer_;
  switch (shape_) {
    case KeyShape::kLittleEndian32:
      p += PutLittleEndian(i, 4, p);
      break;
    case KeyShape::kDecimal16:
      p += PutDecimal(i, 16, p);
      break;
    case KeyShape::kUuid:
      p += PutLittleEndian(Mix(2 * i), 8, p);
      p += PutLittleEndian(Mix(2 * i + 1), 8, p);
      break;
    case KeyShape::kPath:
      p += PutText("/usr/share/doc/lib", p);
      p += PutDecimal(i / 64, 8, p);
      p += PutText("-dev/examples/file", p);
      p += PutDecimal(i % 64, 2, p);
      p += PutText(".txt", p);
      break;
  }
  return {buffer_, static_cast<size_t>(p - buffer_)};
}

}  // namespace bloomline::tests

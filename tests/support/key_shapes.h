// Shapes of keys as in real stores: neighbours differ in the first bytes, in the last, everywhere,
// and behind a long prefix. Filters must work equally well on all of them.
#ifndef BLOOMLINE_TESTS_SUPPORT_KEY_SHAPES_H_
#define BLOOMLINE_TESTS_SUPPORT_KEY_SHAPES_H_

#include <cstdint>
#include <ostream>
#include <string_view>

namespace bloomline::tests {

enum class KeyShape {
  kLittleEndian32,  // 4-byte little-endian counter
  kDecimal16,       // %016d
  kUuid,            // 16 random-looking bytes
  kPath,            // long common prefixes
};
constexpr KeyShape kAllKeyShapes[] = {KeyShape::kLittleEndian32, KeyShape::kDecimal16,
                                      KeyShape::kUuid, KeyShape::kPath};

const char* Name(KeyShape shape);
inline void PrintTo(KeyShape shape, std::ostream* out) { *out << Name(shape); }

// Key number i: distinct for distinct i below 2^31, and neighbours in i are neighbours in shape.
class KeyMaker {
 public:
  explicit KeyMaker(KeyShape shape) : shape_(shape) {}
  // Valid until the next call.
  std::string_view operator()(uint64_t i);

 private:
  KeyShape shape_;
  char buffer_[128];
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_KEY_SHAPES_H_

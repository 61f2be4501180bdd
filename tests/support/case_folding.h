// A canonicalizer, and keys whose spelling varies.
#ifndef BLOOMLINE_TESTS_SUPPORT_CASE_FOLDING_H_
#define BLOOMLINE_TESTS_SUPPORT_CASE_FOLDING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/key_canonicalizer.h"

namespace bloomline::tests {

inline char Folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// As strcmp, without case.
inline int CompareFolded(std::string_view a, std::string_view b) {
  const size_t n = a.size() < b.size() ? a.size() : b.size();
  for (size_t i = 0; i < n; ++i) {
    const auto x = static_cast<unsigned char>(Folded(a[i]));
    const auto y = static_cast<unsigned char>(Folded(b[i]));
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

class CaseFolding : public KeyCanonicalizer {
 public:
  explicit CaseFolding(std::string name = "test.CaseFolding") : name_(std::move(name)) {}
  static std::shared_ptr<const KeyCanonicalizer> Named(std::string name) {
    return std::make_shared<CaseFolding>(std::move(name));
  }

  const char* Name() const noexcept override { return name_.c_str(); }
  std::string_view Canonicalize(std::string_view key, std::string* buffer) const noexcept override {
    buffer->clear();
    for (const char c : key) *buffer += Folded(c);
    return *buffer;
  }

 private:
  const std::string name_;
};

// "Group017/Key0000123": key i, in the spelling that `spelling` chooses, the same for all groups.
inline std::string SpelledKey(uint64_t i, uint64_t spelling, bool is_long = false) {
  std::string group = std::to_string(i % 50), number = std::to_string(i);
  std::string key = "group" + std::string(3 - group.size(), '0') + group + "/key" +
                    std::string(7 - number.size(), '0') + number;
  if (is_long) key += std::string(150, 'x');
  uint64_t bits = spelling * 0x9e3779b97f4a7c15u;
  for (char& c : key) {
    bits = bits << 1 | bits >> 63;
    if (c == '/' && spelling != 0) bits ^= i * 0xc2b2ae3d27d4eb4fu;
    if (c >= 'a' && c <= 'z' && (bits & 1) != 0) c = static_cast<char>(c - 'a' + 'A');
  }
  return key;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_CASE_FOLDING_H_

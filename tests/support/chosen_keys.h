// Keys chosen by an attacker who knows the hash of filters without a seed (docs/chosen_keys.md).
#ifndef BLOOMLINE_TESTS_SUPPORT_CHOSEN_KEYS_H_
#define BLOOMLINE_TESTS_SUPPORT_CHOSEN_KEYS_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bloomline::tests {

// The key of 8 bytes whose 64-bit hash with seed 0 is `hash`: there is one for each hash.
std::string KeyWithHash(uint64_t hash);

// A key of at least 4 bytes, "chosen" in front, whose hash in LevelDB's own Bloom filter is `hash`.
std::string KeyWithLevelDBHash(uint32_t hash);

// Random-looking keys of 16 bytes, different in each stream. A key is valid until the next call.
class RandomKeys {
 public:
  explicit RandomKeys(uint64_t stream) : counter_(stream << 40) {}
  std::string_view Next();

  // The next key for which is_chosen(key) is true: on average every second one, if it tests one
  // bit.
  template <typename IsChosen>
  std::string_view Next(IsChosen is_chosen) {
    for (;;) {
      const std::string_view key = Next();
      if (is_chosen(key)) return key;
    }
  }

 private:
  uint64_t counter_;
  char key_[16];
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_CHOSEN_KEYS_H_

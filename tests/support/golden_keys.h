// The hexadecimal fields of golden vectors.
#ifndef BLOOMLINE_TESTS_SUPPORT_GOLDEN_KEYS_H_
#define BLOOMLINE_TESTS_SUPPORT_GOLDEN_KEYS_H_

#include <sstream>
#include <string>
#include <vector>

namespace bloomline::tests {

inline std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// "none" is no key, "-" the empty one; others are separated by commas.
inline std::vector<std::string> KeysFromHex(const std::string& list) {
  std::vector<std::string> keys;
  std::istringstream fields(list == "none" ? "" : list);
  for (std::string key; std::getline(fields, key, ',');) {
    keys.push_back(key == "-" ? "" : FromHex(key));
  }
  return keys;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_GOLDEN_KEYS_H_

#include "tests/support/golden_keys.h"

#include <sstream>

namespace bloomline::tests {

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<std::string> KeysFromHex(const std::string& list) {
  std::vector<std::string> keys;
  std::istringstream fields(list == "none" ? "" : list);
  for (std::string key; std::getline(fields, key, ',');) {
    keys.push_back(key == "-" ? "" : FromHex(key));
  }
  return keys;
}

}  // namespace bloomline::tests

// The hexadecimal fields of golden vectors.
#ifndef BLOOMLINE_TESTS_SUPPORT_GOLDEN_KEYS_H_
#define BLOOMLINE_TESTS_SUPPORT_GOLDEN_KEYS_H_

#include <string>
#include <vector>

namespace bloomline::tests {

std::string FromHex(const std::string& hex);

// "none" is no key, "-" the empty one; others are separated by commas.
std::vector<std::string> KeysFromHex(const std::string& list);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_GOLDEN_KEYS_H_

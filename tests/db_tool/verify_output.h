// What `bloomline db verify` says of a database.
#ifndef BLOOMLINE_TESTS_DB_TOOL_VERIFY_OUTPUT_H_
#define BLOOMLINE_TESTS_DB_TOOL_VERIFY_OUTPUT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace bloomline::tests {

struct LostKey {
  std::string file;
  std::string key;
  std::string prefix;  // of a lost prefix
  uint64_t block_offset = 0;
};

struct VerifyOutput {
  int exit_code = -1;
  std::string text;  // all that it printed
  std::vector<LostKey> keys;
  std::vector<LostKey> prefixes;
  uint64_t num_lost = 0;
  uint64_t num_keys_checked = 0;
  uint64_t num_prefixes_checked = 0;
  uint64_t num_entries = 0;
  uint64_t num_unchecked = 0;
};

VerifyOutput Verify(const std::string& folder);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_TOOL_VERIFY_OUTPUT_H_

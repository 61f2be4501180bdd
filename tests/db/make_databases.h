// The databases of tests/db/db_tool_test. An engine that this build has not leaves its part out.
#ifndef BLOOMLINE_TESTS_DB_MAKE_DATABASES_H_
#define BLOOMLINE_TESTS_DB_MAKE_DATABASES_H_

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace bloomline::tests {

using Json = nlohmann::json;

void MakeRocksDBs(const std::string& folder, Json* json);
void MakeLevelDBs(const std::string& folder, Json* json);
void RewriteRocksDB(const std::string& path);

// As tests/db/db_tool_test knows it: a line of verify, an escape sequence, control characters of
// one byte, of UTF-8 and of an overlong spelling, and what is no UTF-8.
constexpr char kForgedName[] = "a\nlost: 0\x1b[2K\r\x7f\x9b\xc2\x9b\xe0\x80\x9b\xff\xc3\xa9";

// Stored keys have even numbers.
inline std::string BigEndianKey(uint64_t number) {
  std::string key(8, '\0');
  for (int i = 0; i < 8; ++i) key[static_cast<size_t>(7 - i)] = static_cast<char>(number >> 8 * i);
  return key;
}

inline std::string DecimalKey(uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof(text), "user%012llu", static_cast<unsigned long long>(number));
  return text;
}

// Ends the program if an engine has failed.
template <typename Status>
void Check(const Status& status) {
  if (status.ok()) return;
  std::cerr << "make_databases: " << status.ToString() << '\n';
  std::exit(1);
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_MAKE_DATABASES_H_

// What the makers of the databases of tests/db/db_tool_test share.
#ifndef BLOOMLINE_TESTS_DB_MAKE_DATABASES_H_
#define BLOOMLINE_TESTS_DB_MAKE_DATABASES_H_

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace bloomline::tests {

using Json = nlohmann::json;

void MakeLevelDBs(const std::string& folder, Json* json);
// Has the database open until the end of stdin.
void HoldLevelDB(const std::string& path);

// As tests/db/db_tool_test knows it: a line of verify, an escape sequence, control characters of
// one byte, of UTF-8 and of an overlong spelling, and what is no UTF-8.
constexpr char kForgedName[] = "a\nlost: 0\x1b[2K\r\x7f\x9b\xc2\x9b\xe0\x80\x9b\xff\xc3\xa9";

// Ends the program if an engine has failed.
template <typename Status>
void Check(const Status& status) {
  if (status.ok()) return;
  std::cerr << "make_databases: " << status.ToString() << '\n';
  std::exit(1);
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_MAKE_DATABASES_H_

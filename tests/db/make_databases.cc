// Writes the databases of tests/db/db_tool_test, and prints what their engines say of them.
// Usage: make_databases FOLDER          a database in each subfolder; JSON on stdout
//        make_databases --busy FOLDER   rewrites FOLDER/rocksdb until stdin ends
#include "tests/db/make_databases.h"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

int main(int argc, char** argv) {
  using bloomline::tests::Json;
  if (argc == 3 && std::strcmp(argv[1], "--busy") == 0) {
    bloomline::tests::RewriteRocksDB(std::string(argv[2]) + "/rocksdb");
    return 0;
  }
  if (argc != 2) {
    std::fputs("usage: make_databases [--busy] FOLDER\n", stderr);
    return 2;
  }
  Json json;
  bloomline::tests::MakeRocksDBs(argv[1], &json);
  bloomline::tests::MakeLevelDBs(argv[1], &json);
  std::cout << json.dump() << '\n';
  return 0;
}

// Writes a RocksDB database, for versions of RocksDB that come without db_bench.
//
// Usage: write_rocksdb FOLDER NUM_KEYS OPTIONS
//   OPTIONS  of the column family, as RocksDB's option strings have them
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/engines/rocksdb_open.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: write_rocksdb FOLDER NUM_KEYS OPTIONS\n");
    return 2;
  }
  const auto check = [](const rocksdb::Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(1);
  };
  const unsigned long long num_keys = std::strtoull(argv[2], nullptr, 10);
  rocksdb::Options defaults;
  defaults.create_if_missing = true;
  defaults.write_buffer_size = 2 << 20;
  defaults.target_file_size_base = 2 << 20;
  defaults.max_bytes_for_level_base = 8 << 20;
  rocksdb::Options options;
  check(rocksdb::GetOptionsFromString(rocksdb::ConfigOptions(), defaults, argv[3], &options));
  std::unique_ptr<rocksdb::DB> db;
  check(bloomline::tests::OpenRocksDB(options, argv[1], &db));
  char key[32];
  for (unsigned long long i = 0; i < num_keys; ++i) {
    // In an order that spreads each file over all keys. No number comes twice.
    const unsigned long long number = (i * 0x9e3779b1u) & 0xffffffffu;
    std::snprintf(key, sizeof(key), "%016llu", number);
    check(db->Put({}, key, std::string(100, static_cast<char>('a' + number % 26))));
  }
  check(db->Flush({}));
  check(db->Close());
}

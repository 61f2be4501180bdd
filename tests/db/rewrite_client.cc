// A database of RocksDB for rewrite_command_test, in a process of its own.
// Usage: rewrite_client DB [wal_dir|db_log_dir|db_paths|cf_paths=PATH...] [checksums=none]
// [filters=none] [bits=BITS] [partitions=BYTES] db_paths and cf_paths may be several paths,
// separated by commas. It opens the database, prints "done", and closes it at the end of its input,
// which has commands. Each is answered with a line:
//   put FROM TO      these keys, each on the disk
//   erase FROM TO    these keys, as a range
//   flush
//   move             all tables to the third folder
//   checkpoint PATH
//   missing FROM TO  prints how many of these keys are not found
#include <rocksdb/utilities/checkpoint.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

void Require(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

rocksdb::Options OptionsOf(int argc, char** argv) {
  rocksdb::Options options =
      WithPolicy(std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)));
  for (int i = 2; i < argc; ++i) {
    const std::string value = std::strchr(argv[i], '=') + 1;
    const std::string name(argv[i], std::strlen(argv[i]) - value.size() - 1);
    std::vector<rocksdb::DbPath> paths;
    std::istringstream list(value);
    for (std::string path; std::getline(list, path, ',');) {
      paths.emplace_back(path, std::numeric_limits<uint64_t>::max());
    }
    if (name == "wal_dir") options.wal_dir = value;
    if (name == "db_log_dir") options.db_log_dir = value;
    if (name == "db_paths") options.db_paths = paths;
    if (name == "cf_paths") options.cf_paths = paths;
    auto* const table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    if (name == "filters") table->filter_policy.reset();
    if (name == "bits") table->filter_policy.reset(rocksdb::NewBloomFilterPolicy(std::stod(value)));
    if (name == "partitions") {
      table->partition_filters = true;
      table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table->metadata_block_size = std::stoull(value);
      table->block_size = 512;
    }
    if (name == "checksums") {
      table->checksum = rocksdb::kNoChecksum;
      table->format_version = 5;  // version 6 would compare checksums all the same
    }
  }
  return options;
}

uint64_t ForKeys(rocksdb::DB* db, bool puts) {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t missing = 0;
  std::cin >> begin >> end;
  rocksdb::WriteOptions write;
  write.sync = true;
  std::string value;
  for (; begin < end; ++begin) {
    const std::string key = "key" + std::to_string(begin);
    if (puts) {
      Require(db->Put(write, key, key));
    } else if (!db->Get({}, key, &value).ok() || value != key) {
      ++missing;
    }
  }
  return missing;
}

void Serve(rocksdb::DB* db) {
  for (std::string command; std::cin >> command;) {
    if (command == "put") ForKeys(db, true);
    if (command == "erase") {
      std::string begin, end;
      std::cin >> begin >> end;
      Require(db->DeleteRange({}, db->DefaultColumnFamily(), "key" + begin, "key" + end));
    }
    if (command == "flush") Require(db->Flush({}));
    if (command == "move") {
      rocksdb::CompactRangeOptions compact;
      compact.target_path_id = 2;
      Require(db->CompactRange(compact, nullptr, nullptr));
    }
    if (command == "checkpoint") {
      std::string path;
      std::cin >> path;
      rocksdb::Checkpoint* checkpoint = nullptr;
      Require(rocksdb::Checkpoint::Create(db, &checkpoint));
      constexpr uint64_t kNoFlush = 1 << 30;
      Require(std::unique_ptr<rocksdb::Checkpoint>(checkpoint)->CreateCheckpoint(path, kNoFlush));
    }
    if (command == "missing") {
      std::cout << ForKeys(db, false) << std::endl;
    } else {
      std::cout << "done" << std::endl;
    }
  }
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::unique_ptr<rocksdb::DB> db =
      bloomline::tests::MustOpenRocksDB(bloomline::tests::OptionsOf(argc, argv), argv[1]);
  std::cout << "done" << std::endl;
  bloomline::tests::Serve(db.get());
}

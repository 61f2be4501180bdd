// How long a RocksDB database takes from its opening until its Gets are as fast as they stay.
//
//   start_time write DIR KEYS     a database of 100-byte values and Bloom filters, 10 bits per key
//   start_time open DIR CACHE     opens it with filters and indexes in a block cache of CACHE
//   bytes,
//                                 or, with 0, in the memory of the open tables
//
// `open` asks for missing keys. It prints the milliseconds until DB::Open returns, and until 99 of
// 100 Gets load no filter and no index; and the KiB that are read from the disk until then. From
// then on, only false positives read.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <sys/resource.h>

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

rocksdb::Options OptionsWith(const rocksdb::BlockBasedTableOptions& table) {
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = 16 << 20;
  options.target_file_size_base = 8 << 20;
  options.max_bytes_for_level_base = 32 << 20;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// Stored keys are even, in an order that spreads over all levels; missing ones are odd.
std::string KeyOf(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016" PRIu64, number);
  return text;
}
uint64_t Spread(uint64_t i, uint64_t num_keys) { return i * 11400714819323198485u % num_keys; }

// That this process has read from the disk: ru_inblock counts 512 bytes.
uint64_t KiBRead() {
  rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<uint64_t>(usage.ru_inblock) / 2 : 0;
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "start_time: %s\n", why.c_str());
  return 1;
}

int Write(const std::string& folder, uint64_t num_keys) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options options = OptionsWith(table);
  options.create_if_missing = true;
  rocksdb::DB* opened;
  rocksdb::Status status = rocksdb::DB::Open(options, folder, &opened);
  if (!status.ok()) return Fail(status.ToString());
  const std::unique_ptr<rocksdb::DB> db(opened);
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  const std::string value(100, 'v');
  for (uint64_t i = 0; i < num_keys && status.ok(); ++i) {
    status = db->Put(write, KeyOf(2 * Spread(i, num_keys)), value);
  }
  if (status.ok()) status = db->Flush(rocksdb::FlushOptions());
  for (const char* work : {"rocksdb.num-running-compactions", "rocksdb.compaction-pending"}) {
    uint64_t count = 1;
    while (status.ok() && db->GetIntProperty(work, &count) && count != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  return status.ok() ? 0 : Fail(status.ToString());
}

int Open(const std::string& folder, uint64_t cache_bytes) {
  constexpr uint64_t kWindow = 1000;  // Gets
  const auto start = Clock::now();
  const auto milliseconds = [&] {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = cache_bytes != 0;
  table.block_cache = rocksdb::NewLRUCache(cache_bytes != 0 ? cache_bytes : 8 << 20);
  rocksdb::Options options = OptionsWith(table);
  options.statistics = rocksdb::CreateDBStatistics();
  options.disable_auto_compactions = true;
  rocksdb::DB* opened;
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(options, folder, &opened);
  if (!status.ok()) return Fail(status.ToString());
  const std::unique_ptr<rocksdb::DB> db(opened);
  const double open = milliseconds();
  uint64_t num_keys;
  if (!db->GetIntProperty("rocksdb.estimate-num-keys", &num_keys)) return Fail("no keys");
  const auto loads = [&] {
    return options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_FILTER_ADD) +
           options.statistics->getTickerCount(rocksdb::BLOCK_CACHE_INDEX_ADD);
  };
  std::string value;
  uint64_t gets = 0;
  double steady = open;
  uint64_t kib_read = KiBRead();
  for (uint64_t before = loads(), quiet = 0; quiet < 10; before = loads()) {
    for (uint64_t i = 0; i < kWindow; ++i, ++gets) {
      db->Get({}, KeyOf(2 * Spread(gets, num_keys) + 1), &value).PermitUncheckedError();
    }
    quiet = loads() - before < kWindow / 100 ? quiet + 1 : 0;
    if (quiet != 0) continue;
    steady = milliseconds();
    kib_read = KiBRead();
  }
  std::printf("open %.0f ms, steady %.0f ms, %" PRIu64 " KiB\n", open, steady, kib_read);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return Fail("usage: start_time write DIR KEYS | open DIR CACHE_BYTES");
  const uint64_t number = std::strtoull(argv[3], nullptr, 10);
  return std::strcmp(argv[1], "write") == 0 ? Write(argv[2], number) : Open(argv[2], number);
}

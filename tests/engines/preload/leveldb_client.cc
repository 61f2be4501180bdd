// A program that knows LevelDB alone: it asks for LevelDB's Bloom filter and checks all answers.
// Usage: leveldb_client write|check FOLDER [BITS_PER_KEY], or leveldb_client threads
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "tests/engines/preload/client.h"

namespace {

// Even numbers are stored, odd ones are their missing neighbours.
std::string Key(int number) {
  std::string key(8, '\0');
  for (size_t i = 0; i < 8; ++i) key[7 - i] = static_cast<char>(i < 4 ? number >> (8 * i) : 0);
  return key;
}
std::string Value(int number) { return std::string(80, 'v') + std::to_string(number); }

std::atomic<int> num_reads{0};

class CountedFile : public leveldb::RandomAccessFile {
 public:
  explicit CountedFile(leveldb::RandomAccessFile* file) : file_(file) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    ++num_reads;
    return file_->Read(offset, n, result, scratch);
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
};

class CountingEnv : public leveldb::EnvWrapper {
 public:
  CountingEnv() : EnvWrapper(leveldb::Env::Default()) {}
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** file) override {
    const leveldb::Status status = target()->NewRandomAccessFile(name, file);
    if (status.ok()) *file = new CountedFile(*file);
    return status;
  }
};

int UseDatabase(bool write, const char* folder, int bits_per_key) {
  CountingEnv env;
  leveldb::Options options;
  options.env = &env;
  options.create_if_missing = write;
  options.write_buffer_size = 256 << 10;
  const std::unique_ptr<leveldb::Cache> no_cache(leveldb::NewLRUCache(0));
  options.block_cache = no_cache.get();
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      leveldb::NewBloomFilterPolicy(bits_per_key));
  options.filter_policy = policy.get();
  leveldb::DB* opened = nullptr;
  Require(leveldb::DB::Open(options, folder, &opened));
  const std::unique_ptr<leveldb::DB> db(opened);
  if (write) {
    for (int i = 0; i < kNumKeys; ++i) {
      Require(db->Put(leveldb::WriteOptions(), Key(2 * i), Value(i)));
    }
    db->CompactRange(nullptr, nullptr);
  }
  int wrong = 0;
  std::string value;
  for (int i = 0; i < kNumKeys; ++i) {
    const leveldb::Status status = db->Get(leveldb::ReadOptions(), Key(2 * i), &value);
    wrong += !status.ok() || value != Value(i);
  }
  num_reads = 0;
  for (int i = 0; i < kNumKeys; ++i) {
    wrong += !db->Get(leveldb::ReadOptions(), Key(2 * i + 1), &value).IsNotFound();
  }
  std::printf("wrong %d, reads per 1000 missing keys %d\n", wrong, num_reads / (kNumKeys / 1000));
  return wrong != 0;
}

int MakeAndUsePolicies() {
  std::string storage[100];
  leveldb::Slice keys[100];
  for (int i = 0; i < 100; ++i) {
    storage[i] = Key(i);
    keys[i] = storage[i];
  }
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    const std::unique_ptr<const leveldb::FilterPolicy> policy(leveldb::NewBloomFilterPolicy(10));
    std::string filter;
    policy->CreateFilter(keys, 100, &filter);
    for (const leveldb::Slice& key : keys) wrong += !policy->KeyMayMatch(key, filter);
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "threads") == 0)
    return UseThreadsAndFork(MakeAndUsePolicies);
  if (argc < 3) return 2;
  return UseDatabase(std::strcmp(argv[1], "write") == 0, argv[2], argc > 3 ? atoi(argv[3]) : 10);
}

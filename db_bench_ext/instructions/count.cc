// The program that run_instructions counts the instructions of. Prints a line for each counted
// piece: the operation, the implementation, the number of calls or keys.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "db_bench_ext/instructions/peers.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/hash_query.h"
#include "src/filter/layouts/kernel.h"

using namespace bloomline::kernels;  // NOLINT: a program of one file

// Between calls of these, instructions are counted. Different bodies, so that they stay two
// functions.
extern "C" __attribute__((noinline)) void CountingBegins() { __asm__ volatile("// begin"); }
extern "C" __attribute__((noinline)) void CountingEnds() { __asm__ volatile("// end"); }

namespace {

constexpr size_t kKeys = 1024;
constexpr uint64_t kBlocks = kKeys * 10 / kBlockBits;  // 10 bits per key
constexpr int kProbes = 6;
constexpr size_t kBatch = 32;
// A filter of LevelDB for 2 KiB of a table.
constexpr size_t kFewKeys = 36;
constexpr uint32_t kFewBytes = 46;
constexpr size_t kKeyBytes = 16;

template <typename F>
void Count(const char* operation, const char* implementation, size_t n, const F& run) {
  CountingBegins();
  run();
  CountingEnds();
  std::printf("%zu\t%s\t%s\n", n, operation, implementation);
}

volatile size_t sink;  // so that no query is dropped

using Hashes = std::vector<uint64_t>;

Hashes RandomHashes(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  Hashes hashes(n);
  for (uint64_t& hash : hashes) hash = random();
  return hashes;
}

const Hashes present = RandomHashes(kKeys, 1);
const Hashes absent = RandomHashes(kKeys, 2);

// may_match(filter, key) for each key.
template <typename MayMatch, typename Filter, typename Keys>
void CountQueries(const char* operation, const char* implementation, MayMatch may_match,
                  const Filter& filter, const Keys& keys) {
  Count(operation, implementation, keys.size(), [&] {
    size_t matches = 0;
    for (const auto& key : keys) matches += may_match(filter, key) ? 1 : 0;
    sink = matches;
  });
}

// batch(filter, 32, hashes, results, more) for each 32 hashes.
template <typename Batch, typename Filter, typename... More>
void CountBatches(const std::string& operation, const Kernel& kernel, const Hashes& hashes,
                  Batch batch, const Filter& filter, More... more) {
  bool out[kBatch];
  Count(operation.c_str(), kernel.name, hashes.size(), [&] {
    for (size_t i = 0; i < hashes.size(); i += kBatch)
      batch(filter, kBatch, hashes.data() + i, out, more...);
  });
}

struct alignas(64) Memory {
  char bytes[kBlocks * kBlockBytes];
};

__attribute__((noinline)) bool Nothing(const PayloadView&, uint64_t) { return false; }

void CountKernel(const Kernel& kernel) {
  static Memory memory;
  std::memset(&memory, 0, sizeof(memory));
  char* data = memory.bytes;
  const PayloadView blocked{data, kBlocks, kProbes};
  Count("blocked: insert", kernel.name, kKeys,
        [&] { kernel.blocked.insert_many(blocked, kKeys, present.data()); });
  const auto may_match = kernel.blocked.may_match_for(kProbes);
  CountQueries("blocked: absent key", kernel.name, may_match, blocked, absent);
  CountQueries("blocked: present key", kernel.name, may_match, blocked, present);
  CountQueries("blocked: absent key, any k", kernel.name, kernel.blocked.may_match, blocked,
               absent);
  CountBatches("blocked: batch of 32, absent", kernel, absent, kernel.blocked.may_match_many,
               blocked);
  CountBatches("blocked: add, present", kernel, present, kernel.blocked.add_many, blocked);
  std::memset(&memory, 0, sizeof(memory));
  CountBatches("blocked: add, absent", kernel, present, kernel.blocked.add_many, blocked);
  CountBatches("shared: batch of 32, absent", kernel, absent, kernel.atomic.may_match_many,
               blocked);
  CountBatches("shared: add, present", kernel, present, kernel.atomic.add_many, blocked);
  CountBatches("shared: add, absent", kernel, absent, kernel.atomic.add_many, blocked);
  std::vector<uint64_t> blocks_with(kBlockBits + 1);
  Count("shared: fill of a block", kernel.name, kBlocks,
        [&] { kernel.atomic.count_blocks(data, kBlocks, blocks_with.data()); });

  std::memset(&memory, 0, sizeof(memory));
  const FlatFilter flat{data, kFewBytes, kProbes};
  const Hashes few(present.begin(), present.begin() + kFewKeys);
  Count("flat, 46 bytes: insert", kernel.name, few.size(),
        [&] { kernel.flat.insert_many(flat, few.size(), few.data()); });
  CountQueries("flat, 46 bytes: absent key", kernel.name, kernel.flat.may_match, flat, absent);
  CountQueries("flat, 46 bytes: present key", kernel.name, kernel.flat.may_match, flat, few);
}

void CountCompact(const Kernel& kernel) {
  const std::vector<double> bits_of_arrangement = {3, 4.5, 6, 7, 9, 12};
  for (const double bits_per_key : bits_of_arrangement) {
    bloomline::FilterOptions options;
    options.format = bloomline::Format::kCompact;
    options.bits_per_key = bits_per_key;
    bloomline::FilterBuilder builder(options);
    for (const uint64_t hash : present) builder.AddHash(hash);
    const std::string filter = builder.Finish();
    const bloomline::filter::Payload payload = bloomline::filter::DecodeTrailer(filter);
    const CompactFilter blocks = bloomline::filter::ForKernel(payload, payload.data);
    const std::string name = "compact, arrangement " + std::to_string(payload.arrangement) + ": ";
    const auto may_match = kernel.compact.may_match[payload.arrangement];
    CountQueries((name + "absent key").c_str(), kernel.name, may_match, blocks, absent);
    CountQueries((name + "present key").c_str(), kernel.name, may_match, blocks, present);
    CountBatches(name + "batch, absent", kernel, absent,
                 kernel.compact.may_match_many[payload.arrangement], blocks);
  }
}

void CountRocksdb() {
  static Memory memory;
  const RocksdbFilter filter{memory.bytes, static_cast<uint32_t>(kBlocks * kBlockBytes), kProbes};
  Count("blocked: insert", "rocksdb", kKeys,
        [&] { RocksdbInsertMany(filter, kKeys, present.data()); });
  CountQueries("blocked: absent key", "rocksdb", RocksdbMayMatch, filter, absent);
  CountQueries("blocked: present key", "rocksdb", RocksdbMayMatch, filter, present);
}

std::vector<std::string> Keys(char first, size_t n) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    keys.push_back(first + std::string(kKeyBytes - 1 - number.size(), '0') + number);
  }
  return keys;
}

// Queries that hash the key, as LevelDB's always do: XXH3 of 16 bytes against LevelDB's own hash.
void CountLeveldb() {
  const std::vector<std::string> present = Keys('p', kFewKeys);
  const std::vector<std::string> absent = Keys('a', kKeys);
  const std::string filter = LeveldbFilter(present, 10);
  LeveldbMayMatch(filter, "");  // makes the policy
  const auto leveldb = [](const std::string& bytes, const std::string& key) {
    return LeveldbMayMatch(bytes, key);
  };
  CountQueries("flat, 46 bytes: absent key, hash too", "leveldb", leveldb, filter, absent);
  CountQueries("flat, 46 bytes: present key, hash too", "leveldb", leveldb, filter, present);

  char data[kFewBytes] = {};
  const FlatFilter flat{data, kFewBytes, kProbes};
  for (const Kernel* kernel : AllKernels()) {
    for (const std::string& key : present) {
      const uint64_t hash = bloomline::HashKey(key, 0);
      kernel->flat.insert_many(flat, 1, &hash);
    }
    const auto may_match = [&](const FlatFilter& bits, const std::string& key) {
      return kernel->flat.may_match(bits, bloomline::HashKey(key, 0));
    };
    CountQueries("flat, 46 bytes: absent key, hash too", kernel->name, may_match, flat, absent);
    CountQueries("flat, 46 bytes: present key, hash too", kernel->name, may_match, flat, present);
  }
}

}  // namespace

int main() {
  CountQueries("empty function", "", Nothing, PayloadView{}, present);
  for (const Kernel* kernel : AllKernels()) CountKernel(*kernel);
  for (const Kernel* kernel : AllKernels()) CountCompact(*kernel);
  CountRocksdb();
  CountLeveldb();
}

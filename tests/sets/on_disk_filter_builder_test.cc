// Filters built in partitions have the bytes of FilterBuilder and take little memory, or fail with
// an error.
#include "bloomline/on_disk_filter_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include "bloomline/filter.h"
#include "src/filter/container/shapes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/writer/block_run_builder.h"
#include "src/filter/writer/payload_builder.h"
#include "src/sets/hash_spill.h"
#include "tests/support/injected_entropy.h"
#include "tests/support/key_shapes.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

#ifndef _WIN32
// While it lives, this process can write files only up to this size.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);  // write then fails with EFBIG
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_;
};
#endif

FilterOptions Options(Format format, double bits_per_key, uint64_t seed = 0) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  options.seed = seed;
  return options;
}

class OnDiskFilterBuilderTest : public testing::Test {
 protected:
  std::unique_ptr<OnDiskFilterBuilder> NewBuilder(const FilterOptions& filter,
                                                  int num_threads = 1) {
    OnDiskFilterOptions options;
    options.filter = filter;
    options.temp_directory = dir_.Path("");
    options.num_threads = num_threads;
    options.memory_bytes = static_cast<uint64_t>(num_threads) * kMinOnDiskMemoryPerThread;
    std::string error;
    auto builder = OnDiskFilterBuilder::Create(options, &error);
    EXPECT_NE(builder, nullptr) << error;
    return builder;
  }

  // for_each_key(f) calls f(key) for all keys. Compares the bytes of both builders.
  template <typename ForEachKey>
  void ExpectSameBytes(const FilterOptions& filter, int num_threads, ForEachKey for_each_key) {
    FilterBuilder in_memory(filter);
    auto builder = NewBuilder(filter, num_threads);
    std::string error;
    for_each_key([&](std::string_view key) {
      in_memory.AddKey(key);
      ASSERT_TRUE(builder->AddKey(key, &error)) << error;
    });
    EXPECT_EQ(builder->num_keys(), in_memory.num_keys());
    const std::string path = dir_.Path("filter");
    ASSERT_TRUE(builder->Finish(path, &error)) << error;
    EXPECT_EQ(builder->num_keys(), 0u);
    // Not EXPECT_EQ, which would print megabytes.
    EXPECT_TRUE(tests::ReadFile(path) == in_memory.Finish(2));
    std::filesystem::remove(path);
#ifdef _WIN32  // a temporary file has a name while it is open
    builder.reset();
#endif
    EXPECT_TRUE(std::filesystem::is_empty(dir_.Path("")));
  }

  tests::TempDir dir_;
};

TEST_F(OnDiskFilterBuilderTest, BytesAreThoseOfFilterBuilder) {
  const FilterOptions all_options[] = {
      Options(Format::kCompact, 7.05),      Options(Format::kCompact, 3.5),
      Options(Format::kCompact, 20, 99),    Options(Format::kBlocked, 10),
      Options(Format::kBlocked, 1.5, 1234),
  };
  for (const FilterOptions& options : all_options) {
    for (const uint64_t num_keys : {0, 1, 2, 60, 500, 7001, 100000}) {
      for (const int num_threads : {1, 3}) {
        SCOPED_TRACE(std::string(FormatName(options.format)) + ", " +
                     std::to_string(options.bits_per_key) + " bits, " + std::to_string(num_keys) +
                     " keys, " + std::to_string(num_threads) + " threads");
        tests::KeyMaker key_maker(tests::KeyShape::kPrefixCounter);
        ExpectSameBytes(options, num_threads, [&](auto add) {
          for (uint64_t i = 0; i < num_keys; ++i) add(key_maker(i));
        });
      }
    }
  }
}

// 8 MB of hashes in 1 MiB of memory, and more partitions than parts.
TEST_F(OnDiskFilterBuilderTest, MemoryMayBeMuchLessThanTheHashesTake) {
  for (const FilterOptions& options :
       {Options(Format::kCompact, 7.05), Options(Format::kBlocked, 10)}) {
    for (const int num_threads : {1, 2}) {
      tests::KeyMaker key_maker(tests::KeyShape::kBigEndian64);
      ExpectSameBytes(options, num_threads, [&](auto add) {
        for (uint64_t i = 0; i < 1000000; ++i) add(key_maker(i));
      });
    }
  }
}

// One block has many times more hashes than fit into memory.
TEST_F(OnDiskFilterBuilderTest, DuplicatesGiveTheBytesOfFilterBuilder) {
  for (const FilterOptions& options :
       {Options(Format::kCompact, 7.05), Options(Format::kCompact, 4),
        Options(Format::kBlocked, 10)}) {
    for (const uint64_t num_different : {1, 2, 3, 40, 1000, 30000}) {
      SCOPED_TRACE(num_different);
      tests::KeyMaker key_maker(tests::KeyShape::kUuid);
      ExpectSameBytes(options, 1, [&](auto add) {
        for (uint64_t i = 0; i < 200000; ++i) {
          add(key_maker(i % num_different));
          if (i % 5 == 0) add(key_maker(i % num_different));
        }
        for (uint64_t i = 0; i < 20000; ++i) add(key_maker(i));
      });
    }
  }
}

// The payload that a run builder makes of `hashes`, run by run, in buffers of least capacity.
std::string PayloadInRuns(const filter::FilterShape& shape, const std::vector<uint64_t>& hashes) {
  constexpr size_t kCapacity = filter::BlockRunBuilder::kMinCapacity;
  filter::BlockRunBuilder runs(shape, kernels::ActiveKernel(), kCapacity);
  std::string payload;
  for (uint64_t first = 0; first < shape.num_blocks;) {
    const size_t count = std::min<size_t>(runs.max_blocks(), shape.num_blocks - first);
    runs.Start({first, count});
    for (size_t i = 0; i < hashes.size(); i += kCapacity) {
      runs.Add(hashes.data() + i, std::min<size_t>(kCapacity, hashes.size() - i));
    }
    payload.append(runs.Finish(), count * shape.block_bytes);
    first += count;
  }
  EXPECT_EQ(runs.num_taken(), hashes.size());
  return payload;
}

constexpr uint64_t kNumBlocks = 50;

// Hashes of all kNumBlocks blocks: `in_block` of one block, `different` of which are different, and
// then, or mixed with them, a usual number in the others.
std::vector<uint64_t> HashesThatOverload(uint64_t block, uint64_t in_block, uint64_t different,
                                         bool mixed) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < in_block; ++i) {
    hashes.push_back(filter::FirstHashOfBlock(block, kNumBlocks) + (i % different) * 0x123456789ab);
  }
  for (uint64_t i = 1; i < 3000; ++i) {
    const uint64_t random = i * 0x9e3779b97f4a7c15;
    if (kernels::BlockIndex(random, kNumBlocks) != block) hashes.push_back(random);
  }
  if (mixed) std::shuffle(hashes.begin(), hashes.end(), std::mt19937_64(different));
  return hashes;
}

void ExpectTheBlocksOfTheWholePayload(filter::FilterShape shape,
                                      const std::vector<uint64_t>& hashes) {
  shape.num_blocks = kNumBlocks;
  const std::string parts = PayloadInRuns(shape, hashes);
  const kernels::Kernel& kernel = kernels::ActiveKernel();
  std::string whole(shape.payload_bytes(), '\0');
  filter::HashList list;
  for (const uint64_t hash : hashes) list.Append(hash);
  std::optional<filter::HashGroups> groups;
  filter::BuildPayload(&list, shape, kernel, 1, whole.data(), &groups);
  EXPECT_TRUE(parts == whole);
  const kernels::CompactFilter filter = filter::ForKernel(shape, parts.data());
  const auto may_match = kernel.compact.may_match[shape.arrangement];
  for (const uint64_t hash : hashes) ASSERT_TRUE(may_match(filter, hash));
}

// Any loads of a block, also loads that no set of keys gives: in the first run or in a later one.
TEST_F(OnDiskFilterBuilderTest, AnyHashesGiveTheBlocksOfTheWholePayload) {
  constexpr uint64_t kCapacity = filter::BlockRunBuilder::kMinCapacity;
  for (const uint64_t different : {1, 5, 115, 116, 117, 118, 500, 5000}) {
    for (const uint64_t in_block : {kCapacity, kCapacity - 1, 3 * kCapacity + 700}) {
      for (const uint64_t block : {7, 30}) {
        SCOPED_TRACE(std::to_string(different) + " different ones of " + std::to_string(in_block) +
                     " in block " + std::to_string(block));
        // Both block sizes.
        const auto shape = filter::kCompactRow.shape({1000, in_block == kCapacity ? 4 : 7.05});
        for (const bool mixed : {false, true}) {
          ExpectTheBlocksOfTheWholePayload(shape,
                                           HashesThatOverload(block, in_block, different, mixed));
        }
      }
    }
  }
}

TEST_F(OnDiskFilterBuilderTest, BadOptionsAreNamed) {
  const auto error_of = [&](auto change) {
    OnDiskFilterOptions options;
    options.temp_directory = dir_.Path("");
    change(&options);
    std::string error;
    EXPECT_EQ(OnDiskFilterBuilder::Create(options, &error), nullptr);
    EXPECT_EQ(OnDiskFilterBuilder::Create(options, nullptr), nullptr);
    return error;
  };
  const auto expect_in = [](const std::string& part, const std::string& error) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect_in("classic", error_of([](auto* o) { o->filter.format = Format::kClassic; }));
  expect_in("500", error_of([](auto* o) { o->filter.bits_per_key = 500; }));
  expect_in("num_threads is 0", error_of([](auto* o) { o->num_threads = 0; }));
  expect_in("1 to 1024", error_of([](auto* o) { o->num_threads = 1025; }));
  expect_in("memory_bytes is 1048575", error_of([](auto* o) { o->memory_bytes = 1048575; }));
  expect_in("2097152", error_of([](auto* o) {
              o->num_threads = 2;
              o->memory_bytes = 2097151;
            }));
  expect_in("nowhere", error_of([&](auto* o) { o->temp_directory = dir_.Path("nowhere"); }));
  std::ofstream(dir_.Path("file")) << "x";
  expect_in("file", error_of([&](auto* o) { o->temp_directory = dir_.Path("file"); }));
}

#ifndef _WIN32
TEST_F(OnDiskFilterBuilderTest, AFullDiskFailsAddKeyAndThenFinish) {
  auto builder = NewBuilder(Options(Format::kCompact, 7.05));
  std::string add_error;
  std::string finish_error;
  {
    const FileSizeLimit limit(100000);
    uint64_t i = 0;
    while (i < 1000000 && builder->AddKey(std::to_string(i), &add_error)) ++i;
    EXPECT_GT(i, 10000u);
    EXPECT_LT(i, 1000000u);
    EXPECT_EQ(builder->num_keys(), i);
  }
  EXPECT_NE(add_error.find(dir_.Path("")), std::string::npos) << add_error;
  EXPECT_NE(add_error.find("cannot write 4096 bytes"), std::string::npos) << add_error;
  // Also when there is space again: a key is missing.
  EXPECT_FALSE(builder->AddKey("another", nullptr));
  std::string keys_error;
  EXPECT_FALSE(builder->AddKeys(std::vector<int>{1, 2}, &keys_error));
  EXPECT_EQ(keys_error, add_error);
  EXPECT_FALSE(builder->Finish(dir_.Path("filter"), &finish_error));
  EXPECT_EQ(finish_error, add_error);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.Path("")));
}

TEST_F(OnDiskFilterBuilderTest, AHashThatMeetsAFullDiskIsNotIn) {
  sets::HashSpill spill;
  std::string error;
  ASSERT_TRUE(spill.Open(dir_.Path(""), uint64_t{512} << 10, &error)) << error;
  constexpr uint64_t kHash = 0;  // all in one bucket
  const uint64_t fitting = spill.max_batch_hashes();
  {
    const FileSizeLimit limit(0);
    for (uint64_t i = 0; i < fitting; ++i) ASSERT_TRUE(spill.Add(kHash, &error)) << i;
    EXPECT_FALSE(spill.Add(kHash, &error));
    EXPECT_FALSE(spill.Flush(&error));
    EXPECT_EQ(spill.size(), fitting);
  }
  EXPECT_TRUE(spill.Add(kHash, &error)) << error;
  EXPECT_TRUE(spill.Flush(&error)) << error;
  uint64_t written = 0;
  for (const auto& batch : spill.Batches(spill.BucketOf(kHash))) written += batch.num_hashes;
  EXPECT_EQ(written, fitting + 1);
}
#endif

#ifdef __linux__
TEST_F(OnDiskFilterBuilderTest, DamageToTheTemporaryFileIsNoticed) {
  auto builder = NewBuilder(Options(Format::kCompact, 7.05));
  for (int i = 0; i < 200000; ++i) ASSERT_TRUE(builder->AddKey(std::to_string(i), nullptr));
  int num_damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const std::string target = std::filesystem::read_symlink(entry, ignored).string();
    if (target.find("bloomline.tmp") == std::string::npos) continue;
    const int file = open(entry.path().c_str(), O_WRONLY);
    ASSERT_GE(file, 0);
    EXPECT_EQ(pwrite(file, "\x01", 1, 40000), 1);
    close(file);
    ++num_damaged;
  }
  EXPECT_EQ(num_damaged, 1);
  std::string error;
  EXPECT_FALSE(builder->Finish(dir_.Path("filter"), &error));
  EXPECT_NE(error.find("does not hold the hashes"), std::string::npos) << error;
  EXPECT_TRUE(std::filesystem::is_empty(dir_.Path("")));
}
#endif

TEST_F(OnDiskFilterBuilderTest, EachFilterDrawsItsOwnSeed) {
  FilterOptions options = Options(Format::kCompact, 7.1);
  options.random_seed = true;
  auto builder = NewBuilder(options);
  std::set<uint64_t> seeds;
  std::string error;
  for (int reuse = 0; reuse < 4; ++reuse) {
    for (int i = 0; i < 3000; ++i) ASSERT_TRUE(builder->AddKey(std::to_string(i), &error)) << error;
    const std::string path = dir_.Path("filter");
    EXPECT_FALSE(builder->Finish(dir_.Path("no folder/filter"), &error));
    ASSERT_TRUE(builder->Finish(path, &error)) << "and with the seed of before: " << error;
    const std::string filter = tests::ReadFile(path);
    FilterOptions fixed = Options(Format::kCompact, 7.1, filter::DecodeTrailer(filter).seed);
    FilterBuilder in_memory(fixed);
    for (int i = 0; i < 3000; ++i) in_memory.AddKey(std::to_string(i));
    EXPECT_TRUE(filter == in_memory.Finish());
    seeds.insert(fixed.seed);
  }
  EXPECT_EQ(seeds.size(), 4u);
}

#ifndef _WIN32
TEST_F(OnDiskFilterBuilderTest, WithoutAGeneratorNoSeedAndNoFilter) {
  OnDiskFilterOptions options;
  options.filter.random_seed = true;
  options.temp_directory = dir_.Path("");
  std::string error;
  auto builder = OnDiskFilterBuilder::Create(options, &error);
  ASSERT_NE(builder, nullptr) << error;
  ASSERT_TRUE(builder->AddKey("a", &error));
  const tests::InjectedEntropy failing;
  EXPECT_EQ(OnDiskFilterBuilder::Create(options, &error), nullptr);
  EXPECT_NE(error.find("generator failed"), std::string::npos) << error;
  ASSERT_TRUE(builder->Finish(dir_.Path("filter"), &error)) << "it has its seed: " << error;
  error.clear();
  EXPECT_FALSE(builder->AddKey("b", &error));
  EXPECT_NE(error.find("generator failed"), std::string::npos) << error;
  EXPECT_FALSE(builder->Finish(dir_.Path("filter"), &error));
  const std::string filter = tests::ReadFile(dir_.Path("filter"));
  EXPECT_TRUE(FilterView::Open(filter).MayMatch("a"));
  EXPECT_FALSE(FilterView::Open(filter).AlwaysMatches());
}
#endif

}  // namespace
}  // namespace bloomline

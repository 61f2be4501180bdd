// Filters built in partitions have the bytes of FilterBuilder and take little memory, or fail with
// an error.
#include "bloomline/on_disk_filter_builder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "src/filter/container/shapes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/writer/block_run_builder.h"
#include "src/filter/writer/payload_builder.h"
#include "tests/support/injected_entropy.h"
#include "tests/support/key_shapes.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

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

// Any loads of blocks, also loads that no set of keys gives.
TEST_F(OnDiskFilterBuilderTest, AnyHashesGiveTheBlocksOfTheWholePayload) {
  const uint64_t num_lines = 50;
  const size_t capacity = filter::BlockRunBuilder::kMinCapacity;
  for (const uint64_t different_in_line : {1, 5, 115, 116, 117, 118, 500, 5000}) {
    // The first hash fills the buffer: when the others follow, the block is overloaded and takes no
    // more.
    for (const uint64_t in_line : {capacity, capacity - 1, 3 * capacity + 700}) {
      SCOPED_TRACE(std::to_string(different_in_line) + " in a line, " + std::to_string(in_line));
      // Both block sizes.
      filter::FilterShape shape = filter::kCompactRow.shape({1000, in_line == capacity ? 4 : 7.05});
      shape.num_blocks = num_lines;
      std::vector<uint64_t> hashes;
      for (uint64_t i = 0; i < in_line; ++i) {
        hashes.push_back(filter::FirstHashOfBlock(7, num_lines) +
                         (i % different_in_line) * 0x123456789ab);
      }
      for (uint64_t i = 1; i < 3000; ++i) {
        const uint64_t random = i * 0x9e3779b97f4a7c15;
        if (kernels::BlockIndex(random, num_lines) != 7) hashes.push_back(random);
      }
      const kernels::Kernel& kernel = kernels::ActiveKernel();
      filter::BlockRunBuilder lines(shape, kernel, capacity);
      std::string parts;
      for (uint64_t first = 0; first < num_lines;) {
        const size_t count = std::min<size_t>(lines.max_blocks(), num_lines - first);
        lines.Start({first, count});
        for (size_t i = 0; i < hashes.size(); i += capacity) {
          lines.Add(hashes.data() + i, std::min<size_t>(capacity, hashes.size() - i));
        }
        parts.append(lines.Finish(), count * shape.block_bytes);
        first += count;
      }
      EXPECT_EQ(lines.num_taken(), hashes.size());
      std::string whole(shape.payload_bytes(), '\0');
      filter::HashList list;
      for (const uint64_t hash : hashes) ASSERT_TRUE(list.Append(hash));
      std::optional<filter::HashGroups> groups;
      ASSERT_TRUE(filter::BuildPayload(&list, shape, kernel, 1, whole.data(), &groups));
      EXPECT_TRUE(parts == whole);
      const kernels::CompactFilter filter = filter::ForKernel(shape, parts.data());
      const auto may_match = kernel.compact.may_match[shape.arrangement];
      for (const uint64_t hash : hashes) ASSERT_TRUE(may_match(filter, hash));
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

}  // namespace
}  // namespace bloomline

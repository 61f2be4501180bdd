// How much memory builders use, and what they do without. Not under sanitizers, because the
// process's memory includes theirs.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "src/filter/writer/payload_builder.h"

namespace bloomline {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct ProcessBytes {
  size_t mapped = 0;
  size_t resident = 0;
};

// Zeros if the system does not say.
ProcessBytes BytesOfProcess() {
  size_t mapped = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return {};
  if (std::fscanf(file, "%zu %zu", &mapped, &resident) != 2) mapped = resident = 0;
  std::fclose(file);
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return {mapped * page, resident * page};
}

// While it lives, the process can allocate no more than so many additional bytes.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = BytesOfProcess().mapped + bytes;
    setrlimit(RLIMIT_AS, &limit);
    void* more = mmap(nullptr, 2 * bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    is_kept_ = more == MAP_FAILED;
    if (!is_kept_) munmap(more, 2 * bytes);
  }
  // Emulators ignore the limit, because it would limit themselves.
  bool IsKept() const { return is_kept_; }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
  bool is_kept_ = false;
};

// So that a limit holds for the heap, too.
void ReturnFreeHeap() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

class BuilderMemoryTest : public testing::TestWithParam<Format> {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "under a sanitizer";
    if (BytesOfProcess().mapped == 0) GTEST_SKIP() << "no /proc here";
  }
  static FilterOptions Options() {
    FilterOptions options;
    options.format = GetParam();
    options.bits_per_key = 10;
    return options;
  }
};

void AddKeys(uint64_t num_keys, FilterBuilder* builder) {
  for (uint64_t i = 0; i < num_keys; ++i) {
    builder->AddKey(std::string_view(reinterpret_cast<const char*>(&i), sizeof(i)));
  }
}

size_t LostKeys(uint64_t num_keys, const std::string& filter) {
  const FilterView view = FilterView::Open(filter);
  size_t lost = 0;
  for (uint64_t i = 0; i < num_keys; ++i) {
    lost += view.MayMatch(std::string_view(reinterpret_cast<const char*>(&i), sizeof(i))) ? 0 : 1;
  }
  return lost;
}

constexpr uint64_t kKeys = 4000000;  // 32 MB of hashes

TEST_P(BuilderMemoryTest, ExhaustedWhileAddingMatchesEverything) {
  FilterBuilder builder(Options());
  {
    const MemoryLimit limit(24 << 20);
    if (!limit.IsKept()) GTEST_SKIP() << "no limit on memory here";
    AddKeys(2 * kKeys, &builder);
  }
  EXPECT_EQ(builder.error(), "out of memory");
  EXPECT_TRUE(FilterView::Open(builder.Finish()).AlwaysMatches());
  AddKeys(1000, &builder);  // the builder can be used again
  EXPECT_EQ(builder.error(), "");
  const std::string filter = builder.Finish();
  EXPECT_FALSE(FilterView::Open(filter).AlwaysMatches());
  EXPECT_EQ(LostKeys(1000, filter), 0u);
}

TEST_P(BuilderMemoryTest, ExhaustedInFinishLosesNoKey) {
  FilterBuilder builder(Options());
  AddKeys(kKeys, &builder);
  std::string filter(builder.FinishedBytes(), 'x');
  ReturnFreeHeap();
  {
    const MemoryLimit limit(64 << 10);
    if (!limit.IsKept()) GTEST_SKIP() << "no limit on memory here";
    builder.FinishTo(filter.data());
  }
  EXPECT_EQ(LostKeys(kKeys, filter), 0u);
  EXPECT_EQ(builder.error(), GetParam() == Format::kCompact ? "out of memory" : "");
  // Compact blocks that could not be solved match every key. Setting bits takes no memory.
  EXPECT_EQ(FilterView::Open(filter).MayMatch("absent") && FilterView::Open(filter).MayMatch("x") &&
                FilterView::Open(filter).MayMatch("absent, too"),
            GetParam() == Format::kCompact);
}

// A payload large enough that keys are ordered first, which takes memory.
TEST_P(BuilderMemoryTest, ExhaustedForOrderingLosesNoKey) {
  if (GetParam() != Format::kBlocked) GTEST_SKIP() << "only blocked filters are filled in order";
  FilterOptions options = Options();
  options.bits_per_key = 100;
  FilterBuilder builder(options);
  AddKeys(kKeys, &builder);
  std::string filter(builder.FinishedBytes(), 'x');
  ASSERT_GE(filter.size(), filter::kGroupedFromBytes);
  ReturnFreeHeap();
  {
    const MemoryLimit limit(64 << 10);
    if (!limit.IsKept()) GTEST_SKIP() << "no limit on memory here";
    builder.FinishTo(filter.data());
  }
  EXPECT_EQ(LostKeys(kKeys, filter), 0u);
  EXPECT_FALSE(FilterView::Open(filter).AlwaysMatches());
}

INSTANTIATE_TEST_SUITE_P(Formats, BuilderMemoryTest,
                         testing::Values(Format::kBlocked, Format::kCompact), [](const auto& info) {
                           return info.param == Format::kBlocked ? "Blocked" : "Compact";
                         });

}  // namespace
}  // namespace bloomline

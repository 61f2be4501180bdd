// LevelDB's filters out of memory. LevelDB is built without exceptions, so none may escape, and it
// takes a filter of no bytes as a filter of no keys.
#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"

namespace {

// What operator new below does. GoogleTest allocates only while nothing fails.
constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
uint64_t allocations = 0;
uint64_t first_failing = kNever;
uint64_t last_failing = kNever;

void FailAllocations(uint64_t first, uint64_t last) {
  allocations = 0;
  first_failing = first;
  last_failing = last;
}

bool ThisOneFails() {
  ++allocations;
  return allocations >= first_failing && allocations <= last_failing;
}

}  // namespace

// Not inlined: otherwise GCC warns of free() on memory of operator new.
__attribute__((noinline)) void* operator new(size_t size) {
  void* memory = ThisOneFails() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace bloomline {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;

Policy NewPolicy(Format format) {
  FilterOptions options;
  options.format = format;
  return Policy(NewLevelDBFilterPolicy(options));
}

constexpr Format kFormats[] = {Format::kClassic, Format::kBlocked, Format::kCompact};

struct Keys {
  std::vector<std::string> texts;
  std::vector<leveldb::Slice> slices;

  Keys(const std::string& prefix, size_t n) {
    for (size_t i = 0; i < n; ++i) texts.push_back(prefix + std::to_string(i));
    slices.assign(texts.begin(), texts.end());
  }
};

enum class Outcome { kReturned, kThrew };

Outcome CreateFilter(const leveldb::FilterPolicy& policy, const Keys& keys, std::string* dst) {
  try {
    policy.CreateFilter(keys.slices.data(), static_cast<int>(keys.slices.size()), dst);
  } catch (const std::bad_alloc&) {
    return Outcome::kThrew;
  }
  return Outcome::kReturned;
}

size_t Lost(const leveldb::FilterPolicy& policy, const Keys& keys, const leveldb::Slice& filter) {
  size_t lost = 0;
  for (const leveldb::Slice& key : keys.slices) lost += policy.KeyMayMatch(key, filter) ? 0 : 1;
  return lost;
}

// Uses a policy like LevelDB's FilterBlockBuilder and FilterBlockReader.
class FilterBlock {
 public:
  Outcome Add(const leveldb::FilterPolicy& policy, const Keys& keys) {
    offsets_.push_back(result_.size());
    return CreateFilter(policy, keys, &result_);
  }
  leveldb::Slice Filter(size_t index) const {
    const size_t end = index + 1 < offsets_.size() ? offsets_[index + 1] : result_.size();
    return {result_.data() + offsets_[index], end - offsets_[index]};
  }
  void Reserve(size_t filters) { offsets_.reserve(filters); }

 private:
  std::string result_;
  std::vector<size_t> offsets_;
};

class LevelDBMemoryTest : public testing::TestWithParam<Format> {};

// One failure at each allocation of a call, then failures from each one on. LevelDB may pass an
// empty string, or one that holds earlier filters.
TEST_P(LevelDBMemoryTest, EveryFailureGivesAFilterThatMatches) {
  const Policy policy = NewPolicy(GetParam());
  const Policy stock(leveldb::NewBloomFilterPolicy(10));
  uint64_t failures = 0;
  for (const size_t num_keys : {1, 36, 62, 500, 501, 5000}) {
    const Keys keys("key", num_keys);
    for (const size_t filters_before : {0, 1, 7}) {
      for (const bool only_one : {true, false}) {
        for (uint64_t failing = 1;; ++failing) {
          SCOPED_TRACE(testing::Message()
                       << num_keys << " keys after " << filters_before << " filters, allocation "
                       << failing << (only_one ? " fails" : " and later ones fail"));
          FilterBlock block;
          block.Reserve(filters_before + 1);
          const Keys before("before", 30);
          for (size_t i = 0; i < filters_before; ++i) block.Add(*policy, before);
          FailAllocations(failing, only_one ? failing : kNever);
          const Outcome outcome = block.Add(*policy, keys);
          const uint64_t done = allocations;
          FailAllocations(kNever, kNever);
          ASSERT_EQ(outcome, Outcome::kReturned);
          ASSERT_EQ(Lost(*policy, keys, block.Filter(filters_before)), 0u);
          if (done >= failing) {
            ++failures;
            ASSERT_EQ(Lost(*stock, keys, block.Filter(filters_before)), 0u);
          }
          for (size_t i = 0; i < filters_before; ++i) {
            ASSERT_EQ(Lost(*policy, before, block.Filter(i)), 0u) << i;
          }
          if (done < failing) break;
        }
      }
    }
  }
  EXPECT_GT(failures, 0u);
}

// The caller's string is full, and there is no memory at all.
TEST_P(LevelDBMemoryTest, WithoutRoomForTwoBytesTheProcessEnds) {
  const Policy policy = NewPolicy(GetParam());
  const Keys keys("key", 36);
  std::string full(1000, 'x');
  full.shrink_to_fit();
  full.resize(full.capacity(), 'x');
  EXPECT_DEATH(
      {
        FailAllocations(1, kNever);
        CreateFilter(*policy, keys, &full);
      },
      "bloomline: out of memory for two bytes of a filter");
  // One failure, then memory is available.
  const size_t start = full.size();
  FailAllocations(1, 1);
  const Outcome outcome = CreateFilter(*policy, keys, &full);
  FailAllocations(kNever, kNever);
  ASSERT_EQ(outcome, Outcome::kReturned);
  EXPECT_EQ(full.substr(0, start), std::string(start, 'x'));
  EXPECT_EQ(Lost(*policy, keys, {full.data() + start, full.size() - start}), 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, LevelDBMemoryTest, testing::ValuesIn(kFormats),
                         [](const auto& info) { return std::string(FormatName(info.param)); });

}  // namespace
}  // namespace bloomline

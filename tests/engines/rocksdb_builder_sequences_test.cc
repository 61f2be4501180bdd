// The RocksDB builder with generated sequences of AddKey and AddKeyAndAlt, over all kernels: every
// entry must be found, alone and in batches of every size, and the builder may only drop what it
// has.
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/bits_builder.h"
#include "src/engines/rocksdb/bits/verified_builder.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline {
namespace {

using Reader = std::unique_ptr<rocksdb::FilterBitsReader>;

// One builder's sequences. Entries come from a small pool, so they repeat: a key may be its own
// prefix, the key or the prefix before it, or that of the partition before.
class Sequence {
 public:
  Sequence(const FilterOptions& options, uint64_t seed)
      : builder_(options), policy_(NewRocksDBFilterPolicy(options)), random_(seed) {
    for (size_t i = 0; i < 40 + Below(2000); ++i) pool_.push_back(Entry());
    if (Below(2) == 0) std::sort(pool_.begin(), pool_.end());
  }

  void AddPartition() {
    entries_.clear();
    num_added_ = 0;
    constexpr size_t kSizes[] = {0, 1, 2, 40, 300, 1200};
    const size_t size = kSizes[Below(6)];
    size_t place = Below(pool_.size());
    for (size_t i = 0; i < size; ++i) {
      if (Below(4) != 0) place = (place + 1) % pool_.size();
      const std::string& key = pool_[place];
      if (Below(2) == 0) {
        Add(key);
        continue;
      }
      const size_t kind = Below(5);
      const std::string alt = kind == 0   ? key
                              : kind == 1 ? last_key_
                              : kind == 2 ? last_alt_
                              : kind == 3 ? pool_[Below(pool_.size())]
                                          : key.substr(0, Below(5));
      builder_.AddKeyAndAlt(key, alt);
      num_added_ += 2;
      entries_.insert(key);
      entries_.insert(alt);
      last_key_ = key;
      last_alt_ = alt;
    }
  }

  void CheckPartition() {
    const size_t estimate = builder_.EstimateEntriesAdded();
    EXPECT_GE(estimate, entries_.size());
    EXPECT_LE(estimate, num_added_);
    std::unique_ptr<const char[]> buffer;
    rocksdb::Status status;
    const rocksdb::Slice filter = builder_.Finish(&buffer, &status);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(builder_.MaybePostVerify(filter).ok());
    EXPECT_EQ(builder_.EstimateEntriesAdded(), 0u);
    const Reader reader(policy_->GetFilterBitsReader(filter));
    for (const std::string& entry : entries_) {
      ASSERT_TRUE(reader->MayMatch(entry)) << "'" << entry << "' of " << entries_.size();
    }
    for (size_t n = 1; n <= 40; ++n) CheckBatch(reader.get(), n);
    for (int i = 0; i < 200; ++i) {
      ++num_missing_;
      num_false_positives_ += reader->MayMatch("missing" + std::to_string(random_())) ? 1 : 0;
    }
  }

  // So that no filter of the test matches everything. 0.82 % is expected at 10 bits per key.
  double false_positive_rate() const {
    return static_cast<double>(num_false_positives_) / static_cast<double>(num_missing_);
  }

 private:
  size_t Below(size_t n) { return random_() % n; }

  std::string Entry() {
    constexpr char kBytes[] = {'a', 'b', '\0', '\xff'};
    std::string entry(Below(8) == 0 ? Below(100) : Below(12), ' ');
    for (char& byte : entry) byte = kBytes[Below(4)];
    return entry;
  }

  void Add(const std::string& key) {
    builder_.AddKey(key);
    ++num_added_;
    entries_.insert(key);
    last_key_ = key;
  }

  // Half of the keys are entries; some batches have keys of one length, which are hashed together.
  void CheckBatch(rocksdb::FilterBitsReader* reader, size_t n) {
    const std::vector<std::string> entries(entries_.begin(), entries_.end());
    const size_t length = Below(3) == 0 ? 1 + Below(20) : 0;
    std::vector<std::string> keys;
    for (size_t tries = 0; keys.size() < n; ++tries) {
      const bool is_entry = !entries.empty() && tries < 1000 && Below(2) == 0;
      std::string key = is_entry ? entries[Below(entries.size())] : std::to_string(random_());
      if (length != 0 && is_entry && key.size() != length) continue;
      if (length != 0) key.resize(length, 'x');
      keys.push_back(key);
    }
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::Slice*> pointers;
    for (rocksdb::Slice& slice : slices) pointers.push_back(&slice);
    const std::unique_ptr<bool[]> answers(new bool[n]);
    reader->MayMatch(static_cast<int>(n), pointers.data(), answers.get());
    for (size_t i = 0; i < n; ++i) {
      ASSERT_EQ(answers[i], reader->MayMatch(slices[i])) << i << " of " << n;
      ASSERT_TRUE(answers[i] || entries_.count(keys[i]) == 0) << i << " of " << n;
    }
  }

  VerifiedBuilder<RocksDBBitsBuilder> builder_;
  const std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  std::mt19937_64 random_;
  std::vector<std::string> pool_;
  std::set<std::string> entries_;  // of the partition
  size_t num_added_ = 0;
  std::string last_key_;
  std::string last_alt_;
  size_t num_missing_ = 0;
  size_t num_false_positives_ = 0;
};

TEST(RocksDBBuilderSequencesTest, EveryEntryIsFoundInEveryPartition) {
  const bool is_forced = std::getenv("BLOOMLINE_KERNEL") != nullptr;
  const std::string before = ActiveKernelName();
  for (const kernels::Kernel* kernel : kernels::AllKernels()) {
    if (!kernel->supported() || (is_forced && kernel->name != before)) continue;
    ASSERT_TRUE(ForceKernel(kernel->name, nullptr));
    for (const Format format : {Format::kBlocked, Format::kCompact}) {
      for (uint64_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(testing::Message() << kernel->name << ", format " << static_cast<int>(format)
                                        << ", seed " << seed);
        FilterOptions options;
        options.format = format;
        options.seed = seed / 4;
        Sequence sequence(options, seed);
        for (int partition = 0; partition < 12; ++partition) {
          sequence.AddPartition();
          sequence.CheckPartition();
          if (HasFatalFailure()) return;
        }
        EXPECT_LT(sequence.false_positive_rate(), 0.03);
      }
    }
  }
  ASSERT_TRUE(ForceKernel(before, nullptr));
}

}  // namespace
}  // namespace bloomline

// What needs memory, with each of its allocations failing once, alone or with all that follow. A
// C++ function returns or throws bad_alloc, a C function returns its error. No filter lacks a key
// then, and the builder can be used again. AddressSanitizer finds what leaks.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/c.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "tests/faults/failing_new.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

// One run of a body.
class Attempt {
 public:
  explicit Attempt(const FailurePlan& plan) : plan_(plan) {}

  // Runs f, which is only the call under test, with the failure armed. True: f returned. False: it
  // threw bad_alloc, as memory had failed.
  template <typename F>
  bool Call(F f) {
    Arm(plan_, counts_.seen);
    bool returned = true;
    try {
      f();
    } catch (const std::bad_alloc&) {
      returned = false;
    }
    const AllocationCounts counts = Disarm();
    counts_.seen = counts.seen;
    counts_.failed += counts.failed;
    EXPECT_TRUE(returned || HasFailed());
    return returned;
  }

  // The same for calls of C.
  template <typename F>
  void CallC(F f) {
    EXPECT_TRUE(Call(f)) << "an exception passed the border";
  }

  // An allocation was made to fail.
  bool HasFailed() const { return counts_.failed != 0; }

 private:
  const FailurePlan plan_;
  AllocationCounts counts_;
};

// Runs the body first without a failure, then with each one, until a run meets no failure.
void FailEachAllocation(const std::function<void(Attempt*)>& body) {
  constexpr uint64_t kMaxAllocations = 20000;  // more mean that the body never ends
  Attempt none{FailurePlan()};
  body(&none);  // allocations made once per process happen here
  for (const bool all_after : {false, true}) {
    bool has_failed = true;
    // Where each takes long, a part of the later ones.
    for (uint64_t n = 1; has_failed; n += kIsSlow && n > 16 ? 1 + n / 12 : 1) {
      SCOPED_TRACE((all_after ? "from this allocation on: " : "this allocation: ") +
                   std::to_string(n));
      ASSERT_LT(n, kMaxAllocations);
      Attempt attempt(FailurePlan{n, all_after});
      body(&attempt);
      has_failed = attempt.HasFailed();
      if (testing::Test::HasFailure()) return;
    }
  }
}

// n different keys.
class ManyKeys {
 public:
  explicit ManyKeys(size_t n) {
    for (size_t i = 0; i < n; ++i) stored_.push_back("key " + std::to_string(i));
    views.assign(stored_.begin(), stored_.end());
    for (const std::string_view key : views) {
      starts.push_back(key.data());
      lengths.push_back(key.size());
    }
  }

  template <typename MayMatch>
  void ExpectPresent(MayMatch may_match) const {
    size_t num_lost = 0;
    for (const std::string_view key : views) num_lost += may_match(key) ? 0 : 1;
    EXPECT_EQ(num_lost, 0u) << "keys were lost";
  }

 private:
  std::vector<std::string> stored_;

 public:
  std::vector<std::string_view> views;
  std::vector<const char*> starts;
  std::vector<size_t> lengths;
};

constexpr Format kFormats[] = {Format::kBlocked, Format::kRibbon};

void AddAll(const ManyKeys& keys, FilterBuilder* builder) {
  const size_t half = keys.views.size() / 2;
  builder->AddKeys(half, keys.views.data());
  for (size_t i = half; i < keys.views.size(); ++i) builder->AddKey(keys.views[i]);
}

std::string FilterOf(Format format, const ManyKeys& keys) {
  FilterBuilder builder({format});
  AddAll(keys, &builder);
  return builder.Finish();
}

void ExpectAllMatch(const ManyKeys& keys, const std::string& filter) {
  const FilterView view = FilterView::Open(filter);
  keys.ExpectPresent([&](std::string_view key) { return view.MayMatch(key); });
}

// A key for which memory was missing is in the next filter, which then matches every key, and
// error() says why. The builder can be used again.
TEST(FilterBuilder, LosesNoKey) {
  for (const size_t num_keys : {3000, 60000}) {  // ordered in a copy; in the memory of the hashes
    const ManyKeys keys(num_keys);
    for (const Format format : kFormats) {
      const std::string expected = FilterOf(format, keys);
      FailEachAllocation([&](Attempt* attempt) {
        std::optional<FilterBuilder> builder;
        std::string filter;
        if (!attempt->Call([&] { builder.emplace(FilterOptions{format}); })) return;
        const bool added = attempt->Call([&] { AddAll(keys, &*builder); });
        const bool finished = added && attempt->Call([&] { filter = builder->Finish(); });
        if (finished) {
          EXPECT_TRUE(filter == expected);
        } else {
          filter = builder->Finish();
          ExpectAllMatch(keys, filter);
          EXPECT_EQ(filter == expected, builder->error().empty());
          EXPECT_EQ(FilterView::Open(filter).AlwaysMatches(), builder->error() == "out of memory");
        }
        EXPECT_EQ(builder->num_keys(), 0u);
        AddAll(keys, &*builder);
        EXPECT_TRUE(builder->Finish() == expected);
        EXPECT_EQ(builder->error(), "");
      });
    }
  }
}

// Hashes, prefixes, moves, and keys taken from another builder.
TEST(FilterBuilder, OtherWaysToAddLoseNoKey) {
  const ManyKeys keys(1000), prefixes(100);  // "key 12" is a prefix of "key 123"
  for (const Format format : kFormats) {
    FailEachAllocation([&](Attempt* attempt) {
      FilterBuilder first({format}), other({format});
      attempt->Call([&] {
        for (size_t i = 0; i < 100; ++i) {
          first.AddHash(first.HashOf(keys.views[i]));
          const uint64_t hash = first.HashOf(keys.views[100 + i]);
          first.AddHashes(1, &hash);
        }
      });
      attempt->Call([&] {
        for (size_t i = 200; i < 1000; ++i) {
          other.AddKeyAndPrefix(keys.views[i], keys.views[i].substr(0, 6));
        }
      });
      FilterBuilder builder = std::move(first);
      attempt->Call([&] { EXPECT_TRUE(builder.TakeKeysFrom(&other)); });
      std::string filter(builder.FinishedBytes(), 'x');
      if (!attempt->Call([&] { builder.FinishTo(filter.data()); })) filter = builder.Finish();
      ExpectAllMatch(keys, filter);
      ExpectAllMatch(prefixes, filter);
    });
  }
}

// Threads that cannot start, and those that find no memory.
TEST(FilterBuilder, LosesNoKeyOnThreads) {
  // Threads fill blocked filters of 32 MiB and more.
  const ManyKeys keys(2700000);
  const FilterOptions options{Format::kBlocked, kMaxBitsPerKey};
  FilterBuilder without_failure(options);
  AddAll(keys, &without_failure);
  const std::string expected = without_failure.Finish();
  ASSERT_GE(expected.size(), size_t{32} << 20);
  FailEachAllocation([&](Attempt* attempt) {
    FilterBuilder builder(options);
    AddAll(keys, &builder);
    std::string filter;
    const bool finished = attempt->Call([&] { filter = builder.Finish(4); });
    if (!finished) filter = builder.Finish(4);
    ExpectAllMatch(keys, filter);
    EXPECT_TRUE(filter == expected || !finished);
  });
}

TEST(FilterView, NeedsNoMemory) {
  const ManyKeys keys(3000);
  for (const Format format : kFormats) {
    const std::string filter = FilterOf(format, keys);
    Attempt attempt(FailurePlan{1, true});
    bool answers[3000];
    EXPECT_TRUE(attempt.Call([&] {
      const FilterView view = FilterView::Open(filter);
      view.MayMatch(keys.views.size(), keys.views.data(), answers);
      answers[0] &= view.MayMatch(keys.views[0]);
    }));
    EXPECT_FALSE(attempt.HasFailed());
    for (const bool answer : answers) EXPECT_TRUE(answer);
  }
}

// A filter of each type is made, filled, saved, and read again, from a file and from bytes.
template <typename Filter, typename Options>
void TrySavedFilter(const Options& options) {
  const ManyKeys keys(300);
  const TempDir dir;
  const std::string path = dir.Path("a file whose name needs memory");
  FailEachAllocation([&](Attempt* attempt) {
    std::unique_ptr<Filter> filter;
    if (!attempt->Call([&] { filter = Filter::Create(options, nullptr); })) return;
    if (filter == nullptr) {
      EXPECT_TRUE(attempt->HasFailed());
      return;
    }
    if (!attempt->Call([&] { filter->AddKeys(keys.views.size(), keys.views.data()); })) {
      filter->AddKeys(keys.views.size(), keys.views.data());
    }
    keys.ExpectPresent([&](std::string_view key) { return filter->MayMatch(key); });
    const auto load = [&](const auto& save, const auto& read) {
      bool saved = false;
      attempt->Call([&] { saved = save(); });
      EXPECT_TRUE(saved || attempt->HasFailed());
      ASSERT_TRUE(saved || save());
      std::unique_ptr<Filter> copy;
      attempt->Call([&] { copy = read(); });
      EXPECT_TRUE(copy != nullptr || attempt->HasFailed());
      if (copy == nullptr) copy = read();
      ASSERT_NE(copy, nullptr);
      keys.ExpectPresent([&](std::string_view key) { return copy->MayMatch(key); });
    };
    load([&] { return filter->Save(path, nullptr); }, [&] { return Filter::Load(path, nullptr); });
    std::string bytes;
    load([&] { return filter->ToBytes(&bytes, nullptr); },
         [&] { return Filter::FromBytes(bytes, nullptr); });
  });
}

TEST(SavedFilters, LoseNoKey) {
  TrySavedFilter<BloomFilter>(BloomFilterOptions{300});
  TrySavedFilter<CountingBloomFilter>(CountingBloomFilterOptions{300});
  TrySavedFilter<ScalableBloomFilter>(ScalableBloomFilterOptions{10});
}

// c.h, whose functions call the C++ above: one of each kind.
class CTest : public testing::Test {
 protected:
  static constexpr size_t kKeys = 300;

  // Fails each allocation of make(errptr), which returns a handle or a bool. If `succeeds`, check
  // gets what was made without a failure, and destroys it. Convention 3 of c.h: a success leaves
  // *errptr alone, a failure frees it and sets it to a new message, or to null without memory for
  // one.
  template <typename Make, typename Check>
  static void Try(bool succeeds, Make make, Check check) {
    FailEachAllocation([&](Attempt* attempt) {
      char* const old = static_cast<char*>(std::malloc(4));
      std::strcpy(old, "old");
      char* error = old;
      decltype(make(nullptr)) made{};
      attempt->CallC([&] { made = make(&error); });
      EXPECT_TRUE(bool(made) == succeeds || attempt->HasFailed()) << (error ? error : "?");
      EXPECT_TRUE(succeeds || !made);
      EXPECT_TRUE(made ? error == old : error == nullptr || std::strcmp(error, "old") != 0);
      EXPECT_TRUE(made || error != nullptr || attempt->HasFailed());
      bloomline_free(error);
      if (made) check(made);
    });
  }
  template <typename Make>
  static void ExpectRefused(Make make) {
    Try(false, make, [](auto) {});
  }

  const ManyKeys keys_{kKeys};
};

TEST_F(CTest, BuilderLosesNoKey) {
  auto* const options = bloomline_filteroptions_create();
  FailEachAllocation([&](Attempt* attempt) {
    bloomline_builder_t *builder = nullptr, *other = nullptr;
    bloomline_view_t* view = nullptr;
    char* filter = nullptr;
    size_t length = 0;
    attempt->CallC([&] {
      builder = bloomline_builder_create(options, nullptr);
      other = bloomline_builder_create(options, nullptr);
      if (builder == nullptr || other == nullptr) return;
      bloomline_builder_add_keys(builder, kKeys / 2, keys_.starts.data(), keys_.lengths.data());
      for (size_t i = kKeys / 2; i < kKeys; ++i) {
        bloomline_builder_add_key_and_prefix(other, keys_.starts[i], keys_.lengths[i], "k", 1);
      }
      bloomline_builder_take_keys_from(builder, other);
      filter = bloomline_builder_finish(builder, 1, &length, nullptr);
      if (filter != nullptr) view = bloomline_view_open(filter, length);
    });
    EXPECT_TRUE(view != nullptr || attempt->HasFailed());
    if (view != nullptr) {
      keys_.ExpectPresent([&](std::string_view key) {
        return bloomline_view_may_match(view, key.data(), key.size());
      });
    }
    bloomline_view_destroy(view);
    bloomline_free(filter);
    bloomline_builder_destroy(builder);
    bloomline_builder_destroy(other);
  });
  bloomline_filteroptions_set_bits_per_key(options, 0);
  ExpectRefused([&](char** error) { return bloomline_builder_create(options, error); });
  bloomline_filteroptions_destroy(options);
}

TEST_F(CTest, BloomFilterLosesNoKey) {
  FailEachAllocation([](Attempt* attempt) {
    attempt->CallC([] { bloomline_bloomoptions_destroy(bloomline_bloomoptions_create()); });
  });
  auto* const options = bloomline_bloomoptions_create();
  ExpectRefused([&](char** error) { return bloomline_bloom_create(options, error); });
  bloomline_bloomoptions_set_capacity(options, kKeys);
  const auto destroy = [](const bloomline_bloom_t* filter) { bloomline_bloom_destroy(filter); };
  const auto check = [&](const bloomline_bloom_t* filter) {
    keys_.ExpectPresent([&](std::string_view key) {
      return bloomline_bloom_may_match(filter, key.data(), key.size());
    });
    bloomline_bloom_destroy(filter);
  };
  Try(
      true, [&](char** error) { return bloomline_bloom_create(options, error); }, destroy);
  bloomline_bloom_t* const bloom = bloomline_bloom_create(options, nullptr);
  bloomline_bloomoptions_destroy(options);
  FailEachAllocation([&](Attempt* attempt) {
    attempt->CallC([&] {
      bloomline_bloom_add_keys(bloom, kKeys, keys_.starts.data(), keys_.lengths.data(), nullptr);
    });
  });
  Try(
      true, [&](char** error) { return bloomline_bloom_copy(bloom, error); }, check);

  const TempDir dir;
  const std::string path = dir.Path("a file whose name needs memory");
  const char* const name = path.c_str();
  Try(
      true, [&](char** error) { return bloomline_bloom_save(bloom, name, error); }, [](uint8_t) {});
  Try(
      true, [&](char** error) { return bloomline_bloom_load(name, error); }, check);
  Try(
      true, [&](char** error) { return bloomline_bloom_open_mapped(name, 1, error); }, check);
  ExpectRefused([&](char** error) { return bloomline_bloom_load("not there", error); });
  size_t length = 0;
  Try(
      true, [&](char** error) { return bloomline_bloom_to_bytes(bloom, &length, error); },
      bloomline_free);
  char* const bytes = bloomline_bloom_to_bytes(bloom, &length, nullptr);
  Try(
      true, [&](char** error) { return bloomline_bloom_from_bytes(bytes, length, error); }, check);
  bloomline_free(bytes);

  FailEachAllocation([&](Attempt* attempt) {
    bloomline_bloom_t* plain = bloomline_bloom_copy(bloom, nullptr);
    bloomline_atomic_t* atomic = nullptr;
    attempt->CallC([&] {
      atomic = bloomline_atomic_from_bloom(plain);
      if (atomic == nullptr) return;
      plain = bloomline_atomic_to_bloom(atomic);
      if (plain != nullptr) atomic = nullptr;
    });
    EXPECT_TRUE((atomic == nullptr && plain != nullptr) || attempt->HasFailed());
    if (atomic == nullptr) {
      check(plain);
    } else {
      keys_.ExpectPresent([&](std::string_view key) {
        return bloomline_atomic_may_match(atomic, key.data(), key.size());
      });
      EXPECT_TRUE(bloomline_atomic_add_key(atomic, "new", 3));
      EXPECT_TRUE(bloomline_atomic_may_match(atomic, "new", 3));
    }
    bloomline_atomic_destroy(atomic);
  });
  bloomline_bloom_destroy(bloom);
}

TEST_F(CTest, ScalableFilterLosesNoKey) {
  auto* const options = bloomline_scalableoptions_create();
  bloomline_scalableoptions_set_initial_capacity(options, 10);
  FailEachAllocation([&](Attempt* attempt) {
    bloomline_scalable_t* const filter = bloomline_scalable_create(options, nullptr);
    const auto add = [&](size_t first, size_t count) {
      bloomline_scalable_add_keys(filter, count, keys_.starts.data() + first,
                                  keys_.lengths.data() + first, nullptr);
    };
    attempt->CallC([&] {
      add(0, kKeys / 2);
      for (size_t i = kKeys / 2; i < kKeys; ++i) add(i, 1);
    });
    EXPECT_EQ(bloomline_scalable_is_past_capacity(filter), attempt->HasFailed());
    keys_.ExpectPresent([&](std::string_view key) {
      return bloomline_scalable_may_match(filter, key.data(), key.size());
    });
    bloomline_scalable_destroy(filter);
  });
  bloomline_scalableoptions_destroy(options);
}

TEST_F(CTest, ComparingAndSizingThrowNothing) {
  auto* const options = bloomline_bloomoptions_create();
  bloomline_bloomoptions_set_capacity(options, 100);
  bloomline_bloom_t* const small = bloomline_bloom_create(options, nullptr);
  bloomline_bloomoptions_set_capacity(options, 100000);
  bloomline_bloom_t* const large = bloomline_bloom_create(options, nullptr);
  bloomline_bloomoptions_destroy(options);
  FailEachAllocation([&](Attempt* attempt) {
    uint8_t equal = 1;
    attempt->CallC([&] { equal = bloomline_bloom_equal(small, large); });
    EXPECT_EQ(equal, 0);
  });
  bloomline_bloom_destroy(small);
  bloomline_bloom_destroy(large);

  const int format = bloomline_format_ribbon;
  const double keys[] = {1, 10, 100};
  double bits[3] = {};
  Try(
      true,
      [&](char** error) {
        return bloomline_spread_bits_by_level(format, 10, keys, nullptr, 3, bits, error);
      },
      [](uint8_t) {});
  FailEachAllocation([&](Attempt* attempt) {
    double of_bits = 0, for_reads = 0;
    attempt->CallC([&] {
      of_bits = bloomline_wasted_reads(format, bits, nullptr, 3);
      for_reads = bloomline_bits_per_key_for_wasted_reads(format, 0.01, keys, nullptr, 3);
    });
    EXPECT_GT(of_bits, 0);
    EXPECT_TRUE(for_reads > 0 || attempt->HasFailed());
  });
}

}  // namespace
}  // namespace bloomline::tests

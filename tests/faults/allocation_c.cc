// c.h. Its functions call C++, whose own behaviour without memory the other files test: here each
// kind of function is called once, to see that nothing passes the border.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "bloomline/c.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = 300;

char* OldMessage() {
  char* const message = static_cast<char*>(std::malloc(4));
  return std::strcpy(message, "old");
}

template <typename F>
void CallC(Attempt* attempt, F f) {
  EXPECT_TRUE(attempt->Call(f)) << "an exception passed the border";
}

// Fails each allocation of make(errptr), which returns a handle or a bool; check(made) destroys it.
// Convention 3 of c.h: a success leaves *errptr alone, a failure frees it (or it leaks) and sets it
// to a new message, or to null without memory for one.
template <typename Make, typename Check>
void ExpectMade(Make make, Check check) {
  check(make(nullptr));
  FailEachAllocation([&](Attempt* attempt) {
    char* const old = OldMessage();
    char* error = old;
    decltype(make(nullptr)) made{};
    CallC(attempt, [&] { made = make(&error); });
    EXPECT_TRUE(made || attempt->HasFailed()) << (error == nullptr ? "?" : error);
    EXPECT_TRUE(made ? error == old : error == nullptr || std::strcmp(error, "old") != 0);
    bloomline_free(error);
    if (made) check(made);
  });
}

template <typename Make>
void ExpectRefused(Make make) {
  EXPECT_FALSE(bool(make(nullptr)));
  FailEachAllocation([&](Attempt* attempt) {
    char* error = OldMessage();
    bool made = false;
    CallC(attempt, [&] { made = bool(make(&error)); });
    EXPECT_FALSE(made);
    EXPECT_TRUE(error != nullptr || attempt->HasFailed());
    EXPECT_TRUE(error == nullptr || std::strcmp(error, "old") != 0);
    EXPECT_TRUE(error == nullptr || std::strchr(error, '\n') == nullptr) << error;
    bloomline_free(error);
  });
}

template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

class CTest : public testing::Test {
 protected:
  // A filter of each kind: made, saved, read and written again, with all of its keys.
  template <typename Options, typename Filter>
  void TryFilter(Options* options, Filter* (*create)(const Options*, char**),
                 void (*destroy_options)(Options*), void (*destroy)(Filter*),
                 size_t (*add_keys)(Filter*, size_t, const char* const*, const size_t*, uint8_t*),
                 uint8_t (*may_match)(const Filter*, const char*, size_t),
                 uint8_t (*save)(const Filter*, const char*, char**),
                 Filter* (*load)(const char*, char**),
                 char* (*to_bytes)(const Filter*, size_t*, char**),
                 Filter* (*from_bytes)(const char*, size_t, char**)) {
    const auto check = [&](Filter* filter) {
      keys_.ExpectPresent(
          [&](std::string_view key) { return may_match(filter, key.data(), key.size()); });
      destroy(filter);
    };
    ExpectMade([&](char** error) { return create(options, error); },
               [&](Filter* filter) {
                 add_keys(filter, kKeys, keys_.starts.data(), keys_.lengths.data(), nullptr);
                 check(filter);
               });
    Filter* const filter = create(options, nullptr);
    destroy_options(options);
    FailEachAllocation([&](Attempt* attempt) {
      CallC(attempt,
            [&] { add_keys(filter, kKeys, keys_.starts.data(), keys_.lengths.data(), nullptr); });
    });
    ExpectMade([&](char** error) { return save(filter, path_.c_str(), error); }, [](uint8_t) {});
    ExpectMade([&](char** error) { return load(path_.c_str(), error); }, check);
    ExpectRefused([&](char** error) { return load("a file that is not there", error); });
    size_t length = 0;
    ExpectMade([&](char** error) { return to_bytes(filter, &length, error); }, bloomline_free);
    char* const bytes = to_bytes(filter, &length, nullptr);
    ExpectMade([&](char** error) { return from_bytes(bytes, length, error); }, check);
    ExpectRefused([&](char** error) { return from_bytes(bytes, length - 1, error); });
    bloomline_free(bytes);
    check(filter);
  }

  const ManyKeys keys_{kKeys};
  const TempDir dir_;
  const std::string path_ = dir_.Path("a file whose name needs memory");
};

TEST_F(CTest, OptionsAreCreatedOrNull) {
  FailEachAllocation([](Attempt* attempt) {
    CallC(attempt, [] {
      bloomline_filteroptions_destroy(bloomline_filteroptions_create());
      bloomline_bloomoptions_destroy(bloomline_bloomoptions_create());
      bloomline_scalableoptions_destroy(bloomline_scalableoptions_create());
      bloomline_countingoptions_destroy(bloomline_countingoptions_create());
    });
  });
}

TEST_F(CTest, SizesAndKernelsAreRefusedWithoutMemory) {
  ExpectRefused([](char** error) {
    const double keys[] = {1, 10};
    double bits[2];
    return bloomline_spread_bits_by_level(bloomline_format_compact, 99, keys, nullptr, 2, bits,
                                          error);
  });
  ExpectRefused([](char** error) { return bloomline_validate_false_positive_rate(1, 2, error); });
  ExpectRefused([](char** error) { return bloomline_force_kernel("no kernel has this", error); });
  ExpectRefused(
      [](char** error) { return bloomline_view_validate("bLnCount, and other bytes", 25, error); });
}

TEST_F(CTest, BuilderLosesNoKey) {
  const Owned<bloomline_filteroptions_t> options(bloomline_filteroptions_create(),
                                                 bloomline_filteroptions_destroy);
  FailEachAllocation([&](Attempt* attempt) {
    bloomline_builder_t *builder = nullptr, *other = nullptr;
    bloomline_view_t* view = nullptr;
    char* filter = nullptr;
    size_t length = 0;
    CallC(attempt, [&] {
      builder = bloomline_builder_create(options.get(), nullptr);
      other = bloomline_builder_create(options.get(), nullptr);
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
  bloomline_filteroptions_set_bits_per_key(options.get(), 0);
  ExpectRefused([&](char** error) { return bloomline_builder_create(options.get(), error); });
}

TEST_F(CTest, BloomFilters) {
  auto* const options = bloomline_bloomoptions_create();
  ExpectRefused([&](char** error) { return bloomline_bloom_create(options, error); });
  bloomline_bloomoptions_set_capacity(options, kKeys);
  auto* const bloom = bloomline_bloom_create(options, nullptr);
  const auto destroy = [](const bloomline_bloom_t* one) { bloomline_bloom_destroy(one); };
  TryFilter<bloomline_bloomoptions_t, bloomline_bloom_t>(
      options, bloomline_bloom_create, bloomline_bloomoptions_destroy,
      [](bloomline_bloom_t* filter) { bloomline_bloom_destroy(filter); }, bloomline_bloom_add_keys,
      bloomline_bloom_may_match, bloomline_bloom_save, bloomline_bloom_load,
      bloomline_bloom_to_bytes, bloomline_bloom_from_bytes);
  ExpectMade([&](char** error) { return bloomline_bloom_copy(bloom, error); }, destroy);
  auto* const other_options = bloomline_bloomoptions_create();
  bloomline_bloomoptions_set_capacity(other_options, 10 * kKeys);
  auto* const other = bloomline_bloom_create(other_options, nullptr);
  bloomline_bloomoptions_destroy(other_options);
  ExpectRefused([&](char** error) { return bloomline_bloom_merge(bloom, other, error); });
  ExpectRefused([&](char** error) { return bloomline_bloom_intersect(bloom, other, error); });
  bloomline_bloom_destroy(other);
  ASSERT_TRUE(bloomline_bloom_save(bloom, path_.c_str(), nullptr));
  ExpectMade([&](char** error) { return bloomline_bloom_open_mapped(path_.c_str(), 1, error); },
             destroy);
  FailEachAllocation([&](Attempt* attempt) {
    bloomline_bloom_t* plain = bloomline_bloom_copy(bloom, nullptr);
    bloomline_bloom_t* snapshot = nullptr;
    bloomline_atomic_t* atomic = nullptr;
    CallC(attempt, [&] {
      atomic = bloomline_atomic_from_bloom(plain);
      if (atomic == nullptr) return;
      snapshot = bloomline_atomic_snapshot(atomic, nullptr);
      plain = bloomline_atomic_to_bloom(atomic);
      if (plain != nullptr) atomic = nullptr;
    });
    EXPECT_TRUE((atomic == nullptr && snapshot != nullptr) || attempt->HasFailed());
    if (atomic == nullptr) bloomline_bloom_destroy(plain);
    bloomline_bloom_destroy(snapshot);
    bloomline_atomic_destroy(atomic);
  });
  bloomline_bloom_destroy(bloom);
}

TEST_F(CTest, ScalableFilters) {
  auto* const options = bloomline_scalableoptions_create();
  bloomline_scalableoptions_set_initial_capacity(options, 10);
  TryFilter(options, bloomline_scalable_create, bloomline_scalableoptions_destroy,
            bloomline_scalable_destroy, bloomline_scalable_add_keys, bloomline_scalable_may_match,
            bloomline_scalable_save, bloomline_scalable_load, bloomline_scalable_to_bytes,
            bloomline_scalable_from_bytes);
}

TEST_F(CTest, CountingFilters) {
  auto* const options = bloomline_countingoptions_create();
  bloomline_countingoptions_set_capacity(options, kKeys);
  auto* const counting = bloomline_counting_create(options, nullptr);
  TryFilter(options, bloomline_counting_create, bloomline_countingoptions_destroy,
            bloomline_counting_destroy, bloomline_counting_add_keys, bloomline_counting_may_match,
            bloomline_counting_save, bloomline_counting_load, bloomline_counting_to_bytes,
            bloomline_counting_from_bytes);
  ExpectMade([&](char** error) { return bloomline_counting_create_bloom(counting, error); },
             [](bloomline_bloom_t* filter) { bloomline_bloom_destroy(filter); });
  bloomline_counting_destroy(counting);
}

}  // namespace
}  // namespace bloomline::tests

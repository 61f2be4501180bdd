// c.h. Functions that only call C++ are listed together: they must not allocate, or pass the same
// tests as their C++ counterparts.
#include "bloomline/c.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/allocation_failure/c_attempts.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = kCKeys;

TEST_F(CTest, OptionsAreCreatedOrNull) {
  FailEachAllocation({"bloomline_filteroptions_create", "bloomline_bloomoptions_create",
                      "bloomline_countingoptions_create", "bloomline_filteroptions_destroy",
                      "bloomline_bloomoptions_destroy", "bloomline_countingoptions_destroy"},
                     [](Attempt* attempt) {
                       attempt->Call([] {
                         bloomline_filteroptions_destroy(bloomline_filteroptions_create());
                         bloomline_bloomoptions_destroy(bloomline_bloomoptions_create());
                         bloomline_countingoptions_destroy(bloomline_countingoptions_create());
                       });
                     });
  auto* filter = bloomline_filteroptions_create();
  auto* bloom = bloomline_bloomoptions_create();
  auto* counting = bloomline_countingoptions_create();
  ExpectNoAllocation(
      {"bloomline_filteroptions_set_format", "bloomline_filteroptions_set_bits_per_key",
       "bloomline_filteroptions_set_seed", "bloomline_filteroptions_set_random_seed",
       "bloomline_bloomoptions_set_capacity", "bloomline_bloomoptions_set_false_positive_rate",
       "bloomline_bloomoptions_set_num_bits", "bloomline_bloomoptions_set_num_probes",
       "bloomline_bloomoptions_set_layout", "bloomline_bloomoptions_set_seed",
       "bloomline_countingoptions_set_capacity",
       "bloomline_countingoptions_set_false_positive_rate",
       "bloomline_countingoptions_set_num_counters", "bloomline_countingoptions_set_num_probes",
       "bloomline_countingoptions_set_counter_bits", "bloomline_countingoptions_set_seed"},
      [&] {
        bloomline_filteroptions_set_format(filter, 2);
        bloomline_filteroptions_set_bits_per_key(filter, 8);
        bloomline_filteroptions_set_seed(filter, 1);
        bloomline_filteroptions_set_random_seed(filter, 0);
        bloomline_bloomoptions_set_capacity(bloom, 1);
        bloomline_bloomoptions_set_false_positive_rate(bloom, 0.1);
        bloomline_bloomoptions_set_num_bits(bloom, 1);
        bloomline_bloomoptions_set_num_probes(bloom, 1);
        bloomline_bloomoptions_set_layout(bloom, 1);
        bloomline_bloomoptions_set_seed(bloom, 1);
        bloomline_countingoptions_set_capacity(counting, 1);
        bloomline_countingoptions_set_false_positive_rate(counting, 0.1);
        bloomline_countingoptions_set_num_counters(counting, 1);
        bloomline_countingoptions_set_num_probes(counting, 1);
        bloomline_countingoptions_set_counter_bits(counting, 8);
        bloomline_countingoptions_set_seed(counting, 1);
      });
  bloomline_filteroptions_destroy(filter);
  bloomline_bloomoptions_destroy(bloom);
  bloomline_countingoptions_destroy(counting);
}

TEST_F(CTest, SizingAndSettersNeedNoMemory) {
  ExpectNoAllocation(
      {"bloomline_false_positive_rate", "bloomline_bits_per_key_for_false_positive_rate",
       "bloomline_filter_bytes", "bloomline_keys_of_levels", "bloomline_wasted_reads",
       "bloomline_bits_per_key_for_wasted_reads", "bloomline_active_kernel_name",
       "bloomline_version", "bloomline_draw_seed", "bloomline_free"},
      [] {
        for (const int format : {0, 1, 2, 3}) {
          bloomline_false_positive_rate(format, 10);
          bloomline_bits_per_key_for_false_positive_rate(format, 0.01);
          bloomline_filter_bytes(format, 1000, 10);
          bloomline_filter_bytes(format, 1000, -1);  // refused, without the words
          double keys[3], bits[3];
          bloomline_keys_of_levels(3, 10, keys);
          bloomline_spread_bits_by_level(format % 3, 10, keys, nullptr, 3, bits, nullptr);
          bloomline_wasted_reads(format, bits, nullptr, 3);
          bloomline_bits_per_key_for_wasted_reads(format, 0.1, keys, nullptr, 3);
        }
        bloomline_active_kernel_name();
        bloomline_version();
        bloomline_draw_seed(nullptr);
        bloomline_free(nullptr);
      });
  FailEachAllocation({"bloomline_spread_bits_by_level"}, [](Attempt* attempt) {
    CError error;
    const double keys[] = {1, 10};
    double bits[2];
    uint8_t spread = 1;
    attempt->Call([&] {
      spread = bloomline_spread_bits_by_level(bloomline_format_compact, 99, keys, nullptr, 2, bits,
                                              error.out());
    });
    EXPECT_FALSE(spread);
  });
  FailEachAllocation({"bloomline_force_kernel"}, [](Attempt* attempt) {
    CError error;
    uint8_t forced = 0;
    attempt->Call([&] {
      forced = bloomline_force_kernel("a kernel of a name that needs memory", error.out());
    });
    error.CheckRefusal(*attempt, forced != 0);
  });
}

TEST_F(CTest, BuilderLosesNoKey) {
  for (const int format : {bloomline_format_blocked, bloomline_format_compact}) {
    auto* options = bloomline_filteroptions_create();
    bloomline_filteroptions_set_format(options, format);
    FailEachAllocation(
        {"bloomline_builder_create", "bloomline_builder_destroy", "bloomline_builder_add_key",
         "bloomline_builder_add_key_and_prefix", "bloomline_builder_num_keys",
         "bloomline_builder_take_keys_from", "bloomline_builder_finish", "bloomline_builder_error",
         "bloomline_builder_hash_of", "bloomline_builder_add_hash", "bloomline_builder_add_keys",
         "bloomline_view_open", "bloomline_view_destroy"},
        [&](Attempt* attempt) {
          CError error, other_error, finish_error;
          bloomline_builder_t *builder = nullptr, *other = nullptr;
          bloomline_view_t* view = nullptr;
          char* filter = nullptr;
          size_t length = 0, num_keys = 0;
          attempt->Call([&] { builder = bloomline_builder_create(options, error.out()); });
          error.Check(*attempt, builder != nullptr);
          if (builder != nullptr) {
            attempt->Call([&] {
              other = bloomline_builder_create(options, other_error.out());
              for (size_t i = 0; i < kKeys; ++i) {
                bloomline_builder_add_hash(
                    builder, bloomline_builder_hash_of(builder, k_.keys[i], k_.lengths[i]));
                bloomline_builder_add_key(builder, k_.keys[i], k_.lengths[i]);
              }
              bloomline_builder_add_keys(builder, kKeys, k_.keys.data(), k_.lengths.data());
              if (other != nullptr) {
                bloomline_builder_add_key_and_prefix(other, "other", 5, "o", 1);
                bloomline_builder_take_keys_from(builder, other);
              }
              num_keys = bloomline_builder_num_keys(builder);
              filter = bloomline_builder_finish(builder, 1, &length, finish_error.out());
            });
            finish_error.Check(*attempt, filter != nullptr);
            EXPECT_EQ(length == 0, filter == nullptr);
            if (filter == nullptr && bloomline_builder_num_keys(builder) != 0) {
              EXPECT_EQ(bloomline_builder_num_keys(builder), num_keys) << "all or none";
            }
          }
          if (filter != nullptr) {
            attempt->Call([&] { view = bloomline_view_open(filter, length); });
            EXPECT_TRUE(view != nullptr || attempt->HasFailed());
          }
          if (view != nullptr) {
            for (size_t i = 0; i < kKeys; ++i) {
              attempt->CheckPresent(bloomline_view_may_match(view, k_.keys[i], k_.lengths[i]));
            }
            if (other != nullptr) attempt->CheckPresent(bloomline_view_may_match(view, "other", 5));
            EXPECT_EQ(bloomline_view_always_matches(view), 0);
            const bool some_lines_match_all = bloomline_builder_error(builder) != nullptr;
            EXPECT_EQ(some_lines_match_all && !attempt->HasFailed(), false);
          }
          bloomline_view_destroy(view);
          bloomline_free(filter);
          bloomline_builder_destroy(builder);
          bloomline_builder_destroy(other);
        });
    bloomline_filteroptions_set_bits_per_key(options, 0);
    FailEachAllocation({"bloomline_builder_create"}, [&](Attempt* attempt) {
      CError error;
      bloomline_builder_t* builder = nullptr;
      attempt->Call([&] { builder = bloomline_builder_create(options, error.out()); });
      error.CheckRefusal(*attempt, builder != nullptr);
    });
    bloomline_filteroptions_destroy(options);
  }
}

TEST_F(CTest, ViewNeedsNoMemory) {
  auto* view = bloomline_view_open("", 0);
  ExpectNoAllocation(
      {"bloomline_view_may_match", "bloomline_view_may_match_keys", "bloomline_view_always_matches",
       "bloomline_view_num_probes", "bloomline_view_hash_of", "bloomline_hash_key",
       "bloomline_view_may_match_hash", "bloomline_view_may_match_hashes"},
      [&] {
        bloomline_view_may_match(view, "key", 3);
        bloomline_view_may_match_keys(view, kKeys, k_.keys.data(), k_.lengths.data(), k_.answers);
        bloomline_hash_key("key", 3, 7);
        const uint64_t hash = bloomline_view_hash_of(view, "key", 3);
        bloomline_view_may_match_hash(view, hash);
        bloomline_view_may_match_hashes(view, 1, &hash, k_.answers);
        bloomline_view_always_matches(view);
        bloomline_view_num_probes(view);
      });
  bloomline_view_destroy(view);
}

TEST_F(CTest, ViewsAreValidated) {
  FailEachAllocation({"bloomline_view_validate"}, [&](Attempt* attempt) {
    CError error;
    bool is_filter = true;
    attempt->Call(
        [&] { is_filter = bloomline_view_validate("bLnCount, and other bytes", 25, error.out()); });
    error.CheckRefusal(*attempt, is_filter);
  });
}

TEST_F(CTest, BloomFiltersAreCreatedOrNull) {
  auto* options = bloomline_bloomoptions_create();
  bloomline_bloomoptions_set_capacity(options, kKeys);
  FailEachAllocation(
      {"bloomline_bloom_create", "bloomline_bloom_copy", "bloomline_bloom_destroy",
       "bloomline_bloom_save", "bloomline_bloom_load", "bloomline_bloom_open_mapped",
       "bloomline_bloom_to_bytes", "bloomline_bloom_from_bytes"},
      [&](Attempt* attempt) {
        const bloomline_bloom_t* filters[5] = {};
        bloomline_bloom_t* first = nullptr;
        CError errors[7];
        attempt->Call([&] { first = bloomline_bloom_create(options, errors[0].out()); });
        errors[0].Check(*attempt, first != nullptr);
        if (first == nullptr) return;
        filters[0] = first;
        bloomline_bloom_add_keys(first, kKeys, k_.keys.data(), k_.lengths.data(), k_.answers);
        bool saved = false;
        attempt->Call([&] {
          filters[1] = bloomline_bloom_copy(first, errors[1].out());
          saved = bloomline_bloom_save(first, path_.c_str(), errors[2].out());
        });
        errors[1].Check(*attempt, filters[1] != nullptr);
        errors[2].Check(*attempt, saved);
        if (saved) {
          attempt->Call([&] {
            filters[2] = bloomline_bloom_load(path_.c_str(), errors[3].out());
            filters[3] = bloomline_bloom_open_mapped(path_.c_str(), 1, errors[4].out());
          });
          errors[3].Check(*attempt, filters[2] != nullptr);
          errors[4].Check(*attempt, filters[3] != nullptr);
        }
        char* bytes = nullptr;
        size_t length = 1;
        attempt->Call([&] {
          bytes = bloomline_bloom_to_bytes(first, &length, errors[5].out());
          if (bytes == nullptr) return;
          filters[4] = bloomline_bloom_from_bytes(bytes, length, errors[6].out());
        });
        errors[5].Check(*attempt, bytes != nullptr);
        EXPECT_EQ(length == 0, bytes == nullptr);
        errors[6].Check(*attempt, bytes == nullptr || filters[4] != nullptr);
        bloomline_free(bytes);
        for (const bloomline_bloom_t* filter : filters) {
          for (size_t i = 0; filter != nullptr && i < kKeys; ++i) {
            attempt->CheckPresent(bloomline_bloom_may_match(filter, k_.keys[i], k_.lengths[i]));
          }
          bloomline_bloom_destroy(filter);
        }
      });
  bloomline_bloomoptions_set_capacity(options, 0);
  FailEachAllocation(
      {"bloomline_bloom_create", "bloomline_bloom_load", "bloomline_bloom_open_mapped"},
      [&](Attempt* attempt) {
        const std::string missing = dir_.Path("a missing file whose name needs memory");
        CError errors[3];
        const bloomline_bloom_t* filters[3] = {};
        attempt->Call([&] {
          filters[0] = bloomline_bloom_create(options, errors[0].out());
          filters[1] = bloomline_bloom_load(missing.c_str(), errors[1].out());
          filters[2] = bloomline_bloom_open_mapped(missing.c_str(), 0, errors[2].out());
        });
        for (int i = 0; i < 3; ++i) errors[i].CheckRefusal(*attempt, filters[i] != nullptr);
      });
  bloomline_bloomoptions_destroy(options);
}

TEST_F(CTest, OtherBloomFunctionsNeedNoMemory) {
  auto* options = bloomline_bloomoptions_create();
  bloomline_bloomoptions_set_capacity(options, kKeys);
  auto* bloom = bloomline_bloom_create(options, nullptr);
  auto* same = bloomline_bloom_create(options, nullptr);
  bloomline_bloomoptions_set_capacity(options, 10 * kKeys);
  auto* larger = bloomline_bloom_create(options, nullptr);
  ExpectNoAllocation(
      {"bloomline_bloom_add_key",
       "bloomline_bloom_add_keys",
       "bloomline_bloom_may_match",
       "bloomline_bloom_may_match_keys",
       "bloomline_bloom_hash_of",
       "bloomline_bloom_add_hash",
       "bloomline_bloom_may_match_hash",
       "bloomline_bloom_merge",
       "bloomline_bloom_intersect",
       "bloomline_bloom_clear",
       "bloomline_bloom_equal",
       "bloomline_bloom_layout",
       "bloomline_bloom_num_bits",
       "bloomline_bloom_num_probes",
       "bloomline_bloom_seed",
       "bloomline_bloom_capacity",
       "bloomline_bloom_num_keys",
       "bloomline_bloom_is_past_capacity",
       "bloomline_bloom_estimated_num_keys",
       "bloomline_bloom_estimated_false_positive_rate"},
      [&] {
        bloomline_bloom_add_key(bloom, "key", 3);
        bloomline_bloom_add_keys(bloom, kKeys, k_.keys.data(), k_.lengths.data(), k_.answers);
        bloomline_bloom_may_match(bloom, "key", 3);
        bloomline_bloom_may_match_keys(bloom, kKeys, k_.keys.data(), k_.lengths.data(), k_.answers);
        const uint64_t hash = bloomline_bloom_hash_of(bloom, "key", 3);
        bloomline_bloom_add_hash(bloom, hash);
        bloomline_bloom_may_match_hash(bloom, hash);
        bloomline_bloom_merge(bloom, same, nullptr);
        bloomline_bloom_equal(bloom, same);
        bloomline_bloom_equal(bloom, larger);
        bloomline_bloom_layout(bloom);
        bloomline_bloom_num_bits(bloom);
        bloomline_bloom_num_probes(bloom);
        bloomline_bloom_seed(bloom);
        bloomline_bloom_capacity(bloom);
        bloomline_bloom_num_keys(bloom);
        bloomline_bloom_is_past_capacity(bloom);
        bloomline_bloom_estimated_num_keys(bloom);
        bloomline_bloom_estimated_false_positive_rate(bloom);
        bloomline_bloom_intersect(bloom, same, nullptr);
        bloomline_bloom_clear(bloom);
      });
  FailEachAllocation({"bloomline_bloom_merge", "bloomline_bloom_intersect"}, [&](Attempt* attempt) {
    CError errors[2];
    bool done[2] = {true, true};
    attempt->Call([&] {
      done[0] = bloomline_bloom_merge(bloom, larger, errors[0].out());
      done[1] = bloomline_bloom_intersect(bloom, larger, errors[1].out());
    });
    for (int i = 0; i < 2; ++i) errors[i].CheckRefusal(*attempt, done[i]);
  });
  bloomline_bloom_destroy(bloom);
  bloomline_bloom_destroy(same);
  bloomline_bloom_destroy(larger);
  bloomline_bloomoptions_destroy(options);
}

TEST_F(CTest, CountingFiltersAreCreatedOrNull) {
  auto* options = bloomline_countingoptions_create();
  bloomline_countingoptions_set_capacity(options, kKeys);
  FailEachAllocation(
      {"bloomline_counting_create", "bloomline_counting_destroy", "bloomline_counting_save",
       "bloomline_counting_load", "bloomline_counting_create_bloom", "bloomline_counting_to_bytes",
       "bloomline_counting_from_bytes"},
      [&](Attempt* attempt) {
        CError errors[6];
        bloomline_counting_t *counting = nullptr, *loaded = nullptr, *from_bytes = nullptr;
        bloomline_bloom_t* bloom = nullptr;
        attempt->Call([&] { counting = bloomline_counting_create(options, errors[0].out()); });
        errors[0].Check(*attempt, counting != nullptr);
        if (counting == nullptr) return;
        bloomline_counting_add_keys(counting, kKeys, k_.keys.data(), k_.lengths.data(), k_.answers);
        bool saved = false;
        attempt->Call([&] {
          bloom = bloomline_counting_create_bloom(counting, errors[1].out());
          saved = bloomline_counting_save(counting, path_.c_str(), errors[2].out());
        });
        errors[1].Check(*attempt, bloom != nullptr);
        errors[2].Check(*attempt, saved);
        if (saved) {
          attempt->Call([&] { loaded = bloomline_counting_load(path_.c_str(), errors[3].out()); });
          errors[3].Check(*attempt, loaded != nullptr);
        }
        char* bytes = nullptr;
        size_t num_bytes = 1;
        attempt->Call([&] {
          bytes = bloomline_counting_to_bytes(counting, &num_bytes, errors[4].out());
          if (bytes == nullptr) return;
          from_bytes = bloomline_counting_from_bytes(bytes, num_bytes, errors[5].out());
        });
        errors[4].Check(*attempt, bytes != nullptr);
        EXPECT_EQ(num_bytes == 0, bytes == nullptr);
        errors[5].Check(*attempt, bytes == nullptr || from_bytes != nullptr);
        bloomline_free(bytes);
        for (size_t i = 0; i < kKeys; ++i) {
          const char* const key = k_.keys[i];
          const size_t length = k_.lengths[i];
          attempt->CheckPresent(bloomline_counting_may_match(counting, key, length));
          if (loaded != nullptr) {
            attempt->CheckPresent(bloomline_counting_may_match(loaded, key, length));
          }
          if (from_bytes != nullptr) {
            attempt->CheckPresent(bloomline_counting_may_match(from_bytes, key, length));
          }
          if (bloom != nullptr) {
            attempt->CheckPresent(bloomline_bloom_may_match(bloom, key, length));
          }
        }
        bloomline_counting_destroy(counting);
        bloomline_counting_destroy(loaded);
        bloomline_counting_destroy(from_bytes);
        bloomline_bloom_destroy(bloom);
      });
  auto* counting = bloomline_counting_create(options, nullptr);
  auto* same = bloomline_counting_create(options, nullptr);
  bloomline_countingoptions_set_counter_bits(options, 8);
  auto* other = bloomline_counting_create(options, nullptr);
  ExpectNoAllocation(
      {"bloomline_counting_add_key", "bloomline_counting_remove_key",
       "bloomline_counting_may_match", "bloomline_counting_estimated_count",
       "bloomline_counting_add_keys", "bloomline_counting_remove_keys",
       "bloomline_counting_may_match_keys", "bloomline_counting_merge", "bloomline_counting_clear",
       "bloomline_counting_equal", "bloomline_counting_num_counters",
       "bloomline_counting_counter_bits", "bloomline_counting_num_probes",
       "bloomline_counting_seed", "bloomline_counting_capacity", "bloomline_counting_max_count",
       "bloomline_counting_num_keys", "bloomline_counting_num_saturated_counters"},
      [&] {
        bloomline_counting_add_key(counting, "key", 3);
        bloomline_counting_remove_key(counting, "key", 3);
        bloomline_counting_may_match(counting, "key", 3);
        bloomline_counting_estimated_count(counting, "key", 3);
        bloomline_counting_add_keys(counting, kKeys, k_.keys.data(), k_.lengths.data(), nullptr);
        bloomline_counting_remove_keys(counting, kKeys, k_.keys.data(), k_.lengths.data(), nullptr);
        bloomline_counting_may_match_keys(counting, kKeys, k_.keys.data(), k_.lengths.data(),
                                          k_.answers);
        bloomline_counting_merge(counting, same, nullptr);
        bloomline_counting_equal(counting, same);
        bloomline_counting_equal(counting, other);
        bloomline_counting_num_counters(counting);
        bloomline_counting_counter_bits(counting);
        bloomline_counting_num_probes(counting);
        bloomline_counting_seed(counting);
        bloomline_counting_capacity(counting);
        bloomline_counting_max_count(counting);
        bloomline_counting_num_keys(counting);
        bloomline_counting_num_saturated_counters(counting);
        bloomline_counting_clear(counting);
      });
  bloomline_countingoptions_set_counter_bits(options, 5);
  FailEachAllocation(
      {"bloomline_counting_create", "bloomline_counting_load", "bloomline_counting_merge"},
      [&](Attempt* attempt) {
        const std::string missing = dir_.Path("a missing file whose name needs memory");
        CError errors[3];
        bool done[3] = {true, true, true};
        attempt->Call([&] {
          done[0] = bloomline_counting_create(options, errors[0].out()) != nullptr;
          done[1] = bloomline_counting_load(missing.c_str(), errors[1].out()) != nullptr;
          done[2] = bloomline_counting_merge(counting, other, errors[2].out());
        });
        for (int i = 0; i < 3; ++i) errors[i].CheckRefusal(*attempt, done[i]);
      });
  bloomline_counting_destroy(counting);
  bloomline_counting_destroy(same);
  bloomline_counting_destroy(other);
  bloomline_countingoptions_destroy(options);
}

}  // namespace
}  // namespace bloomline::tests

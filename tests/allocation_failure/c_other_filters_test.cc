// c.h: atomic and scalable filters, filters larger than RAM, validation.
#include <string>

#include "bloomline/c.h"
#include "tests/allocation_failure/c_attempts.h"

namespace bloomline::tests {
namespace {

TEST_F(CTest, OptionsOfOtherFiltersAreCreatedOrNull) {
  FailEachAllocation({"bloomline_scalableoptions_create", "bloomline_scalableoptions_destroy",
                      "bloomline_ondiskoptions_create", "bloomline_ondiskoptions_destroy"},
                     [](Attempt* attempt) {
                       attempt->Call([] {
                         bloomline_scalableoptions_destroy(bloomline_scalableoptions_create());
                         bloomline_ondiskoptions_destroy(bloomline_ondiskoptions_create());
                       });
                     });
  auto* filter = bloomline_filteroptions_create();
  auto* scalable = bloomline_scalableoptions_create();
  auto* on_disk = bloomline_ondiskoptions_create();
  ExpectNoAllocation(
      {"bloomline_scalableoptions_set_initial_capacity",
       "bloomline_scalableoptions_set_false_positive_rate", "bloomline_scalableoptions_set_growth",
       "bloomline_scalableoptions_set_tightening", "bloomline_scalableoptions_set_layout",
       "bloomline_scalableoptions_set_seed", "bloomline_ondiskoptions_set_filter",
       "bloomline_ondiskoptions_set_memory_bytes", "bloomline_ondiskoptions_set_num_threads"},
      [&] {
        bloomline_scalableoptions_set_initial_capacity(scalable, 1);
        bloomline_scalableoptions_set_false_positive_rate(scalable, 0.1);
        bloomline_scalableoptions_set_growth(scalable, 2);
        bloomline_scalableoptions_set_tightening(scalable, 0.5);
        bloomline_scalableoptions_set_layout(scalable, 1);
        bloomline_scalableoptions_set_seed(scalable, 1);
        bloomline_ondiskoptions_set_filter(on_disk, filter);
        bloomline_ondiskoptions_set_memory_bytes(on_disk, 1 << 20);
        bloomline_ondiskoptions_set_num_threads(on_disk, 1);
      });
  FailEachAllocation({"bloomline_ondiskoptions_set_temp_directory"}, [&](Attempt* attempt) {
    uint8_t set = 0;
    attempt->Call([&] {
      set = bloomline_ondiskoptions_set_temp_directory(
          on_disk, "a folder whose name needs memory, and more than any before");
    });
    EXPECT_TRUE(set || attempt->HasFailed());
    bloomline_ondiskoptions_destroy(on_disk);
    on_disk = bloomline_ondiskoptions_create();
  });
  bloomline_filteroptions_destroy(filter);
  bloomline_scalableoptions_destroy(scalable);
  bloomline_ondiskoptions_destroy(on_disk);
}

TEST_F(CTest, ValidationRefusesWithOrWithoutMemory) {
  auto* options = bloomline_filteroptions_create();
  bloomline_filteroptions_set_bits_per_key(options, 1000);
  FailEachAllocation({"bloomline_filteroptions_validate", "bloomline_validate_false_positive_rate"},
                     [&](Attempt* attempt) {
                       CError errors[2];
                       uint8_t valid[2] = {1, 1};
                       attempt->Call([&] {
                         valid[0] = bloomline_filteroptions_validate(options, errors[0].out());
                         valid[1] = bloomline_validate_false_positive_rate(1, 2, errors[1].out());
                       });
                       for (int i = 0; i < 2; ++i) errors[i].CheckRefusal(*attempt, valid[i] != 0);
                     });
  bloomline_filteroptions_destroy(options);
}

TEST_F(CTest, AtomicFiltersLoseNoKey) {
  auto* options = bloomline_bloomoptions_create();
  bloomline_bloomoptions_set_capacity(options, kCKeys);
  FailEachAllocation(
      {"bloomline_atomic_create", "bloomline_atomic_destroy", "bloomline_atomic_from_bloom",
       "bloomline_atomic_to_bloom", "bloomline_atomic_snapshot"},
      [&](Attempt* attempt) {
        CError errors[2];
        bloomline_atomic_t* atomic = nullptr;
        attempt->Call([&] { atomic = bloomline_atomic_create(options, errors[0].out()); });
        errors[0].Check(*attempt, atomic != nullptr);
        if (atomic == nullptr) return;
        bloomline_atomic_add_keys(atomic, kCKeys, k_.keys.data(), k_.lengths.data(), nullptr);
        bloomline_bloom_t *snapshot = nullptr, *bloom = nullptr;
        attempt->Call([&] { snapshot = bloomline_atomic_snapshot(atomic, errors[1].out()); });
        errors[1].Check(*attempt, snapshot != nullptr);
        attempt->Call([&] { bloom = bloomline_atomic_to_bloom(atomic); });
        EXPECT_TRUE(bloom != nullptr || attempt->HasFailed());
        if (bloom != nullptr) {
          atomic = nullptr;
          attempt->Call([&] { atomic = bloomline_atomic_from_bloom(bloom); });
          EXPECT_TRUE(atomic != nullptr || attempt->HasFailed());
          if (atomic != nullptr) bloom = nullptr;
        }
        ASSERT_NE(atomic == nullptr, bloom == nullptr) << "exactly one of the two has the keys";
        for (size_t i = 0; i < kCKeys; ++i) {
          const char* const key = k_.keys[i];
          const size_t length = k_.lengths[i];
          if (atomic != nullptr) {
            attempt->CheckPresent(bloomline_atomic_may_match(atomic, key, length));
          }
          for (const bloomline_bloom_t* plain : {bloom, snapshot}) {
            if (plain != nullptr) {
              attempt->CheckPresent(bloomline_bloom_may_match(plain, key, length));
            }
          }
        }
        bloomline_atomic_destroy(atomic);
        bloomline_bloom_destroy(bloom);
        bloomline_bloom_destroy(snapshot);
      });
  auto* atomic = bloomline_atomic_create(options, nullptr);
  ExpectNoAllocation(
      {"bloomline_atomic_add_key", "bloomline_atomic_add_keys", "bloomline_atomic_may_match",
       "bloomline_atomic_may_match_keys", "bloomline_atomic_hash_of", "bloomline_atomic_add_hash",
       "bloomline_atomic_may_match_hash", "bloomline_atomic_layout", "bloomline_atomic_num_bits",
       "bloomline_atomic_num_probes", "bloomline_atomic_seed", "bloomline_atomic_capacity",
       "bloomline_atomic_estimated_num_keys", "bloomline_atomic_estimated_false_positive_rate"},
      [&] {
        bloomline_atomic_add_key(atomic, "key", 3);
        bloomline_atomic_add_keys(atomic, kCKeys, k_.keys.data(), k_.lengths.data(), k_.answers);
        bloomline_atomic_may_match(atomic, "key", 3);
        bloomline_atomic_may_match_keys(atomic, kCKeys, k_.keys.data(), k_.lengths.data(),
                                        k_.answers);
        const uint64_t hash = bloomline_atomic_hash_of(atomic, "key", 3);
        bloomline_atomic_add_hash(atomic, hash);
        bloomline_atomic_may_match_hash(atomic, hash);
        bloomline_atomic_layout(atomic);
        bloomline_atomic_num_bits(atomic);
        bloomline_atomic_num_probes(atomic);
        bloomline_atomic_seed(atomic);
        bloomline_atomic_capacity(atomic);
        bloomline_atomic_estimated_num_keys(atomic);
        bloomline_atomic_estimated_false_positive_rate(atomic);
      });
  bloomline_atomic_destroy(atomic);
  bloomline_bloomoptions_destroy(options);
}

TEST_F(CTest, ScalableFiltersLoseNoKey) {
  auto* options = bloomline_scalableoptions_create();
  bloomline_scalableoptions_set_initial_capacity(options, 10);
  FailEachAllocation(
      {"bloomline_scalable_create", "bloomline_scalable_destroy", "bloomline_scalable_add_key",
       "bloomline_scalable_add_keys", "bloomline_scalable_save", "bloomline_scalable_load",
       "bloomline_scalable_to_bytes", "bloomline_scalable_from_bytes"},
      [&](Attempt* attempt) {
        CError errors[5];
        bloomline_scalable_t* filters[3] = {};
        attempt->Call([&] { filters[0] = bloomline_scalable_create(options, errors[0].out()); });
        errors[0].Check(*attempt, filters[0] != nullptr);
        if (filters[0] == nullptr) return;
        bool saved = false;
        attempt->Call([&] {
          bloomline_scalable_add_key(filters[0], k_.keys[0], k_.lengths[0]);
          bloomline_scalable_add_keys(filters[0], kCKeys, k_.keys.data(), k_.lengths.data(),
                                      k_.answers);
          saved = bloomline_scalable_save(filters[0], path_.c_str(), errors[1].out());
        });
        errors[1].Check(*attempt, saved);
        if (saved) {
          attempt->Call(
              [&] { filters[1] = bloomline_scalable_load(path_.c_str(), errors[2].out()); });
          errors[2].Check(*attempt, filters[1] != nullptr);
        }
        char* bytes = nullptr;
        size_t length = 1;
        attempt->Call([&] {
          bytes = bloomline_scalable_to_bytes(filters[0], &length, errors[3].out());
          if (bytes == nullptr) return;
          filters[2] = bloomline_scalable_from_bytes(bytes, length, errors[4].out());
        });
        errors[3].Check(*attempt, bytes != nullptr);
        EXPECT_EQ(length == 0, bytes == nullptr);
        errors[4].Check(*attempt, bytes == nullptr || filters[2] != nullptr);
        bloomline_free(bytes);
        for (bloomline_scalable_t* filter : filters) {
          for (size_t i = 0; filter != nullptr && i < kCKeys; ++i) {
            attempt->CheckPresent(bloomline_scalable_may_match(filter, k_.keys[i], k_.lengths[i]));
          }
          bloomline_scalable_destroy(filter);
        }
      });
  auto* scalable = bloomline_scalable_create(options, nullptr);
  ExpectNoAllocation(
      {"bloomline_scalable_may_match", "bloomline_scalable_may_match_keys",
       "bloomline_scalable_clear", "bloomline_scalable_num_stages", "bloomline_scalable_num_bits",
       "bloomline_scalable_capacity", "bloomline_scalable_num_keys",
       "bloomline_scalable_estimated_num_keys", "bloomline_scalable_estimated_false_positive_rate",
       "bloomline_scalable_is_past_capacity"},
      [&] {
        bloomline_scalable_may_match(scalable, "key", 3);
        bloomline_scalable_may_match_keys(scalable, kCKeys, k_.keys.data(), k_.lengths.data(),
                                          k_.answers);
        bloomline_scalable_num_stages(scalable);
        bloomline_scalable_num_bits(scalable);
        bloomline_scalable_capacity(scalable);
        bloomline_scalable_num_keys(scalable);
        bloomline_scalable_estimated_num_keys(scalable);
        bloomline_scalable_estimated_false_positive_rate(scalable);
        bloomline_scalable_is_past_capacity(scalable);
        bloomline_scalable_clear(scalable);
      });
  bloomline_scalable_destroy(scalable);
  bloomline_scalableoptions_destroy(options);
}

TEST_F(CTest, OnDiskFiltersHaveAllKeysOrFail) {
  auto* filter = bloomline_filteroptions_create();
  auto* options = bloomline_ondiskoptions_create();
  bloomline_ondiskoptions_set_filter(options, filter);
  bloomline_ondiskoptions_set_memory_bytes(options, 1 << 20);
  bloomline_ondiskoptions_set_temp_directory(options, dir_.Path("").c_str());
  FailEachAllocation(
      {"bloomline_ondisk_create", "bloomline_ondisk_destroy", "bloomline_ondisk_add_key",
       "bloomline_ondisk_add_keys", "bloomline_ondisk_num_keys", "bloomline_ondisk_finish"},
      [&](Attempt* attempt) {
        CError errors[4];
        bloomline_ondisk_t* on_disk = nullptr;
        attempt->Call([&] { on_disk = bloomline_ondisk_create(options, errors[0].out()); });
        errors[0].Check(*attempt, on_disk != nullptr);
        if (on_disk == nullptr) return;
        bool added[2] = {}, finished = false;
        attempt->Call([&] {
          added[0] = bloomline_ondisk_add_key(on_disk, k_.keys[0], k_.lengths[0], errors[1].out());
          added[1] = bloomline_ondisk_add_keys(on_disk, kCKeys, k_.keys.data(), k_.lengths.data(),
                                               errors[2].out());
          bloomline_ondisk_num_keys(on_disk);
          finished = bloomline_ondisk_finish(on_disk, path_.c_str(), errors[3].out());
        });
        for (int i = 0; i < 2; ++i) {
          errors[1 + i].Check(*attempt, added[i]);
          EXPECT_TRUE(added[i] || !finished) << "keys are missing";
        }
        errors[3].Check(*attempt, finished);
        bloomline_ondisk_destroy(on_disk);
      });
  bloomline_ondiskoptions_destroy(options);
  bloomline_filteroptions_destroy(filter);
}

}  // namespace
}  // namespace bloomline::tests

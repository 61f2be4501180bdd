/* The filters in memory in C: memory, NULL, and what other languages lack. Python replays
   behaviours.json by the same functions. Usage: c_filters_test DIRECTORY */
#include <stdint.h>

#include "bloomline/c.h"

enum { kNumKeys = 2000 };
#include "tests/bindings/c_keys.h"

/* Adds the stored keys and an empty one to a new filter. */
#define FILTER_TESTS(NAME)                                                                   \
  static void NAME##_CheckContent(const bloomline_##NAME##_t* filter) {                      \
    uint8_t found[kNumKeys];                                                                 \
    bloomline_##NAME##_may_match_keys(filter, kNumKeys, keys, lengths, found);               \
    CheckFound(found);                                                                       \
    CHECK(bloomline_##NAME##_may_match(filter, "", 0));                                      \
  }                                                                                          \
  static void NAME##_AddKeys(bloomline_##NAME##_t* filter) {                                 \
    StartPhase(#NAME);                                                                       \
    CheckNoError();                                                                          \
    CHECK(filter != NULL);                                                                   \
    CHECK(bloomline_##NAME##_add_keys(filter, 0, NULL, NULL, NULL) == 0);                    \
    bloomline_##NAME##_may_match_keys(filter, 0, NULL, NULL, NULL);                          \
    CHECK(bloomline_##NAME##_add_key(filter, NULL, 0));                                      \
    CHECK(bloomline_##NAME##_add_key(filter, keys[0], lengths[0]));                          \
    uint8_t added[kNumPresent];                                                              \
    size_t num_new = bloomline_##NAME##_add_keys(filter, kNumPresent, keys, lengths, added); \
    CHECK(!added[0] && added[1]);                                                            \
    for (int i = 0; i < kNumPresent; ++i) num_new -= added[i];                               \
    CHECK(num_new == 0);                                                                     \
    CHECK(bloomline_##NAME##_add_keys(filter, kNumPresent, keys, lengths, NULL) == 0);       \
    NAME##_CheckContent(filter);                                                             \
    bloomline_##NAME##_destroy(NULL);                                                        \
  }

#define HASH_TESTS(NAME)                                                             \
  static void NAME##_TestHashes(bloomline_##NAME##_t* filter) {                      \
    for (int i = 0; i < kNumKeys; ++i) {                                             \
      const uint64_t hash = bloomline_##NAME##_hash_of(filter, keys[i], lengths[i]); \
      CHECK(bloomline_##NAME##_may_match_hash(filter, hash) ==                       \
            bloomline_##NAME##_may_match(filter, keys[i], lengths[i]));              \
    }                                                                                \
    const uint64_t more = bloomline_##NAME##_hash_of(filter, "more", 4);             \
    CHECK(bloomline_##NAME##_add_hash(filter, more));                                \
    CHECK(!bloomline_##NAME##_add_hash(filter, more));                               \
    CHECK(bloomline_##NAME##_may_match(filter, "more", 4));                          \
  }

#define SAVED_TESTS(NAME)                                                                    \
  static void NAME##_TestSaved(const bloomline_##NAME##_t* filter, const char* directory) {  \
    const char* path = PathIn(directory, #NAME);                                             \
    CHECK(bloomline_##NAME##_save(filter, path, &error));                                    \
    bloomline_##NAME##_t* loaded = bloomline_##NAME##_load(path, &error);                    \
    CHECK(loaded != NULL);                                                                   \
    size_t length = 0;                                                                       \
    char* bytes = bloomline_##NAME##_to_bytes(loaded, &length, &error);                      \
    bloomline_##NAME##_destroy(loaded);                                                      \
    bloomline_##NAME##_t* copy = bloomline_##NAME##_from_bytes(bytes, length, &error);       \
    CheckNoError();                                                                          \
    CHECK_REFUSED(bloomline_##NAME##_from_bytes(bytes, length - 1, &error), "bytes");        \
    bloomline_free(bytes);                                                                   \
    NAME##_CheckContent(copy);                                                               \
    bloomline_##NAME##_clear(copy);                                                          \
    CHECK(bloomline_##NAME##_num_keys(copy) == 0);                                           \
    bloomline_##NAME##_destroy(copy);                                                        \
    CHECK_REFUSED(bloomline_##NAME##_load(NULL, &error), "path is NULL; allowed: a string"); \
    CHECK_REFUSED(bloomline_##NAME##_save(filter, NULL, &error), "path is NULL");            \
    path = PathIn(directory, "absent/file");                                                 \
    CHECK_REFUSED(bloomline_##NAME##_save(filter, path, &error), path);                      \
    CHECK_REFUSED(bloomline_##NAME##_load(path, &error), path);                              \
  }

FILTER_TESTS(bloom)
HASH_TESTS(bloom)
SAVED_TESTS(bloom)
FILTER_TESTS(atomic)
HASH_TESTS(atomic)
FILTER_TESTS(scalable)
SAVED_TESTS(scalable)
FILTER_TESTS(counting)
SAVED_TESTS(counting)

static bloomline_bloomoptions_t* BloomOptions(uint64_t capacity) {
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  CHECK(options != NULL);
  bloomline_bloomoptions_set_capacity(options, capacity);
  bloomline_bloomoptions_set_false_positive_rate(options, 0.02);
  bloomline_bloomoptions_set_layout(options, bloomline_bloom_blocked128);
  bloomline_bloomoptions_set_seed(options, 5);
  return options;
}

static bloomline_bloom_t* MakeBloom(uint64_t capacity) {
  bloomline_bloomoptions_t* options = BloomOptions(capacity);
  bloomline_bloom_t* bloom = bloomline_bloom_create(options, &error);
  bloomline_bloomoptions_destroy(options);
  return bloom;
}

static void TestBloom(const char* directory) {
  bloomline_bloom_t* bloom = MakeBloom(kNumPresent);
  bloom_AddKeys(bloom);
  bloom_TestSaved(bloom, directory);
  const char* const path = PathIn(directory, "bloom");
  for (uint8_t verify = 0; verify <= 1; ++verify) {
    const bloomline_bloom_t* mapped = bloomline_bloom_open_mapped(path, verify, &error);
    bloom_CheckContent(mapped);
    bloomline_bloom_t* copy = bloomline_bloom_copy(mapped, &error);
    CHECK(bloomline_bloom_merge(copy, mapped, &error));
    CHECK(bloomline_bloom_intersect(copy, mapped, &error));
    CHECK(bloomline_bloom_equal(copy, bloom));
    bloomline_bloom_destroy(copy);
    bloomline_bloom_destroy(mapped);
  }
  CheckNoError();
  CHECK_REFUSED(bloomline_bloom_open_mapped(NULL, 1, &error), "path is NULL");
  bloomline_bloom_t* strange = MakeBloom(9 * kNumPresent);
  CHECK_REFUSED(bloomline_bloom_merge(strange, bloom, &error), "num_bits");
  CHECK_REFUSED(bloomline_bloom_intersect(strange, bloom, &error), "num_bits");
  bloomline_bloom_destroy(strange);
  bloom_TestHashes(bloom);
  bloomline_bloom_destroy(bloom);
  CHECK_REFUSED(MakeBloom(0), "capacity is 0");
  bloomline_bloomoptions_destroy(NULL);
}

static void TestAtomic(void) {
  bloomline_bloomoptions_t* options = BloomOptions(kNumPresent);
  bloomline_atomic_t* atomic = bloomline_atomic_create(options, &error);
  atomic_AddKeys(atomic);
  bloomline_bloom_t* snapshot = bloomline_atomic_snapshot(atomic, &error);
  bloomline_bloom_t* plain = bloomline_atomic_to_bloom(atomic); /* destroys `atomic` */
  CHECK(bloomline_bloom_equal(plain, snapshot));
  bloomline_bloom_destroy(snapshot);
  atomic = bloomline_atomic_from_bloom(plain); /* destroys `plain` */
  atomic_CheckContent(atomic);
  atomic_TestHashes(atomic);
  bloomline_atomic_destroy(atomic);
  bloomline_bloomoptions_set_capacity(options, 0);
  CHECK_REFUSED(bloomline_atomic_create(options, &error), "capacity is 0");
  bloomline_bloomoptions_destroy(options);
}

static void TestScalable(const char* directory) {
  bloomline_scalableoptions_t* options = bloomline_scalableoptions_create();
  bloomline_scalableoptions_set_initial_capacity(options, 50);
  bloomline_scalable_t* scalable = bloomline_scalable_create(options, &error);
  scalable_AddKeys(scalable);
  scalable_TestSaved(scalable, directory);
  bloomline_scalable_destroy(scalable);
  bloomline_scalableoptions_set_growth(options, 17);
  CHECK_REFUSED(bloomline_scalable_create(options, &error), "growth is 17");
  bloomline_scalableoptions_destroy(options);
  bloomline_scalableoptions_destroy(NULL);
}

static void TestCounting(const char* directory) {
  bloomline_countingoptions_t* options = bloomline_countingoptions_create();
  bloomline_countingoptions_set_capacity(options, kNumPresent);
  bloomline_counting_t* counting = bloomline_counting_create(options, &error);
  bloomline_counting_t* other = bloomline_counting_create(options, &error);
  counting_AddKeys(counting); /* each stored key twice, and once more the first */
  counting_TestSaved(counting, directory);
  bloomline_bloom_t* bloom = bloomline_counting_create_bloom(counting, &error);
  bloom_CheckContent(bloom);
  bloomline_bloom_destroy(bloom);
  CHECK(bloomline_counting_merge(other, counting, &error));
  CHECK(bloomline_counting_equal(other, counting));
  CHECK(bloomline_counting_estimated_count(other, keys[0], lengths[0]) >= 3);
  uint8_t removed[kNumPresent];
  CHECK(bloomline_counting_remove_keys(other, kNumPresent, keys, lengths, removed) == kNumPresent);
  CHECK(removed[0] == 1);
  for (int i = 0; i < 2; ++i) {
    bloomline_counting_remove_keys(other, kNumPresent, keys, lengths, NULL);
    CHECK(bloomline_counting_remove_key(counting, keys[0], lengths[0]));
  }
  CHECK(!bloomline_counting_remove_key(other, keys[0], lengths[0]));
  bloomline_counting_destroy(counting);
  bloomline_counting_destroy(other);
  bloomline_countingoptions_set_counter_bits(options, 5);
  CHECK_REFUSED(bloomline_counting_create(options, &error), "counter_bits is 5");
  bloomline_countingoptions_destroy(options);
  bloomline_countingoptions_destroy(NULL);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  MakeKeys();
  TestBloom(argv[1]);
  TestAtomic();
  TestScalable(argv[1]);
  TestCounting(argv[1]);
  fprintf(stderr, "PASS\n");
  return 0;
}

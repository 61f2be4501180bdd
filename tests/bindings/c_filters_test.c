/* The C bindings of the filters in memory, in C. Usage: c_filters_test DIRECTORY */
#include <math.h>
#include <stdint.h>

#include "bloomline/c.h"

enum { kNumKeys = 2000 };
#include "tests/bindings/c_keys.h"

/* Tests of what all types have. NAME_AddKeys adds the stored keys to a filter that MakeNAME has
   just made, and returns how many were certainly new. */
#define FILTER_TESTS(NAME)                                                             \
  static void NAME##_CheckContent(const bloomline_##NAME##_t* filter) {                \
    uint8_t found[kNumKeys];                                                           \
    bloomline_##NAME##_may_match_keys(filter, kNumKeys, keys, lengths, found);         \
    CheckFound(found);                                                                 \
    for (int i = 0; i < kNumKeys; ++i) {                                               \
      CHECK(found[i] == bloomline_##NAME##_may_match(filter, keys[i], lengths[i]));    \
    }                                                                                  \
  }                                                                                    \
  static size_t NAME##_AddKeys(bloomline_##NAME##_t* filter) {                         \
    StartPhase(#NAME ", keys");                                                        \
    CheckNoError();                                                                    \
    CHECK(filter != NULL);                                                             \
    CHECK(bloomline_##NAME##_add_keys(filter, 0, NULL, NULL, NULL) == 0);              \
    bloomline_##NAME##_may_match_keys(filter, 0, NULL, NULL, NULL);                    \
    CHECK(!bloomline_##NAME##_may_match(filter, keys[0], lengths[0]));                 \
    CHECK(bloomline_##NAME##_add_key(filter, keys[0], lengths[0]));                    \
    uint8_t added[kNumKeys];                                                           \
    const size_t num_new =                                                             \
        bloomline_##NAME##_add_keys(filter, kNumPresent, keys, lengths, added) + 1;    \
    CHECK(num_new > kNumPresent * 9 / 10 && num_new <= kNumPresent);                   \
    CHECK(!added[0] && added[1]);                                                      \
    CHECK(!bloomline_##NAME##_add_key(filter, keys[0], lengths[0]));                   \
    CHECK(bloomline_##NAME##_add_keys(filter, kNumPresent, keys, lengths, NULL) == 0); \
    NAME##_CheckContent(filter);                                                       \
    bloomline_##NAME##_destroy(NULL);                                                  \
    return num_new;                                                                    \
  }

/* Tests of the estimates of a filter of the stored keys, with a rate of 2 %. */
#define ESTIMATE_TESTS(NAME)                                                       \
  static void NAME##_TestEstimates(const bloomline_##NAME##_t* filter) {           \
    StartPhase(#NAME ", estimates");                                               \
    CHECK(bloomline_##NAME##_num_bits(filter) > 8 * kNumPresent);                  \
    const double num_keys = (double)bloomline_##NAME##_estimated_num_keys(filter); \
    CHECK(fabs(num_keys / kNumPresent - 1) < 0.1);                                 \
    const double rate = bloomline_##NAME##_estimated_false_positive_rate(filter);  \
    CHECK(rate > 0.005 && rate < 0.03);                                            \
  }

/* Tests of what the types have that BloomOptions(5) describe: with hashes in the place of keys. */
#define LAID_OUT_TESTS(NAME)                                                         \
  ESTIMATE_TESTS(NAME)                                                               \
  static void NAME##_TestHashes(bloomline_##NAME##_t* filter) {                      \
    StartPhase(#NAME ", hashes");                                                    \
    CHECK(bloomline_##NAME##_layout(filter) == bloomline_bloom_blocked128);          \
    CHECK(bloomline_##NAME##_num_probes(filter) > 0);                                \
    CHECK(bloomline_##NAME##_seed(filter) == 5);                                     \
    CHECK(bloomline_##NAME##_capacity(filter) == kNumPresent);                       \
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

/* Tests of what the types have that can be saved, with a filter of the stored keys. */
#define SAVED_TESTS(NAME)                                                                    \
  static void NAME##_TestSaved(const bloomline_##NAME##_t* filter, const char* directory) {  \
    StartPhase(#NAME ", saved");                                                             \
    const char* path = PathIn(directory, #NAME);                                             \
    CHECK(bloomline_##NAME##_save(filter, path, &error));                                    \
    bloomline_##NAME##_t* loaded = bloomline_##NAME##_load(path, &error);                    \
    CHECK(loaded != NULL);                                                                   \
    size_t length = 0;                                                                       \
    char* bytes = bloomline_##NAME##_to_bytes(loaded, &length, &error);                      \
    CheckFileHolds(path, bytes, length);                                                     \
    bloomline_##NAME##_destroy(loaded);                                                      \
    bloomline_##NAME##_t* copy = bloomline_##NAME##_from_bytes(bytes, length, &error);       \
    CHECK(copy != NULL);                                                                     \
    NAME##_CheckContent(copy);                                                               \
    CHECK(bloomline_##NAME##_num_keys(copy) == bloomline_##NAME##_num_keys(filter));         \
    CheckNoError();                                                                          \
    CHECK_REFUSED(bloomline_##NAME##_from_bytes(bytes, length - 1, &error), "bytes");        \
    bloomline_free(bytes);                                                                   \
    bloomline_##NAME##_clear(copy);                                                          \
    CHECK(bloomline_##NAME##_num_keys(copy) == 0);                                           \
    CHECK(!bloomline_##NAME##_may_match(copy, keys[0], lengths[0]));                         \
    bloomline_##NAME##_destroy(copy);                                                        \
    CHECK_REFUSED(bloomline_##NAME##_load(NULL, &error), "path is NULL; allowed: a string"); \
    CHECK_REFUSED(bloomline_##NAME##_save(filter, NULL, &error), "path is NULL");            \
    path = PathIn(directory, "absent/file");                                                 \
    CHECK_REFUSED(bloomline_##NAME##_save(filter, path, &error), path);                      \
    CHECK_REFUSED(bloomline_##NAME##_load(path, &error), path);                              \
  }

FILTER_TESTS(bloom)
LAID_OUT_TESTS(bloom)
SAVED_TESTS(bloom)
FILTER_TESTS(atomic)
LAID_OUT_TESTS(atomic)
FILTER_TESTS(scalable)
ESTIMATE_TESTS(scalable)
SAVED_TESTS(scalable)
FILTER_TESTS(counting)
SAVED_TESTS(counting)

static bloomline_bloomoptions_t* BloomOptions(uint64_t seed) {
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  CHECK(options != NULL);
  bloomline_bloomoptions_set_capacity(options, kNumPresent);
  bloomline_bloomoptions_set_false_positive_rate(options, 0.02);
  bloomline_bloomoptions_set_layout(options, bloomline_bloom_blocked128);
  bloomline_bloomoptions_set_seed(options, seed);
  return options;
}

static bloomline_bloom_t* MakeBloom(uint64_t seed) {
  bloomline_bloomoptions_t* options = BloomOptions(seed);
  bloomline_bloom_t* bloom = bloomline_bloom_create(options, &error);
  CHECK(bloom != NULL && error == NULL);
  bloomline_bloomoptions_destroy(options);
  return bloom;
}

static void TestMapped(const bloomline_bloom_t* bloom, const char* directory) {
  StartPhase("mapped");
  const char* path = PathIn(directory, "bloom");
  for (int verify = 0; verify <= 1; ++verify) {
    const bloomline_bloom_t* mapped = bloomline_bloom_open_mapped(path, (uint8_t)verify, &error);
    CHECK(mapped != NULL);
    bloom_CheckContent(mapped);
    CHECK(bloomline_bloom_equal(mapped, bloom));
    bloomline_bloom_t* copy = bloomline_bloom_copy(mapped, &error);
    CHECK(bloomline_bloom_merge(copy, mapped, &error));
    CHECK(bloomline_bloom_equal(copy, bloom));
    bloomline_bloom_destroy(copy);
    bloomline_bloom_destroy(mapped);
  }
  CheckNoError();
  CHECK_REFUSED(bloomline_bloom_open_mapped(NULL, 1, &error), "path is NULL");
  path = PathIn(directory, "absent/file");
  CHECK_REFUSED(bloomline_bloom_open_mapped(path, 1, &error), path);
}

static void TestBloom(const char* directory) {
  bloomline_bloom_t* bloom = MakeBloom(5);
  const size_t num_new = bloom_AddKeys(bloom);
  CHECK(bloomline_bloom_num_keys(bloom) == num_new);
  CHECK(!bloomline_bloom_is_past_capacity(bloom));
  bloom_TestEstimates(bloom);
  bloom_TestSaved(bloom, directory);
  TestMapped(bloom, directory);

  StartPhase("union and intersection");
  bloomline_bloom_t* other = MakeBloom(5);
  CHECK(!bloomline_bloom_equal(bloom, other));
  CHECK(bloomline_bloom_add_key(other, NULL, 0));
  CHECK(bloomline_bloom_merge(other, bloom, &error));
  bloom_CheckContent(other);
  CHECK(bloomline_bloom_may_match(other, "", 0));
  CHECK(bloomline_bloom_intersect(other, bloom, &error));
  CHECK(bloomline_bloom_equal(bloom, other));
  CheckNoError();
  bloomline_bloom_t* strange = MakeBloom(6);
  CHECK_REFUSED(bloomline_bloom_merge(other, strange, &error), "seed");
  CHECK_REFUSED(bloomline_bloom_intersect(other, strange, &error), "seed");
  bloomline_bloom_destroy(strange);
  bloomline_bloom_destroy(other);
  bloom_TestHashes(bloom);
  bloomline_bloom_destroy(bloom);
}

static void TestAtomic(void) {
  bloomline_bloomoptions_t* options = BloomOptions(5);
  bloomline_atomic_t* atomic = bloomline_atomic_create(options, &error);
  bloomline_bloomoptions_destroy(options);
  atomic_AddKeys(atomic);
  bloomline_bloom_t* expected = MakeBloom(5);
  bloomline_bloom_add_keys(expected, kNumPresent, keys, lengths, NULL);
  atomic_TestEstimates(atomic);

  StartPhase("atomic and back");
  bloomline_bloom_t* snapshot = bloomline_atomic_snapshot(atomic, &error);
  CHECK(snapshot != NULL && error == NULL);
  CHECK(bloomline_bloom_equal(snapshot, expected));
  bloomline_bloom_t* plain = bloomline_atomic_to_bloom(atomic); /* destroys `atomic` */
  CHECK(plain != NULL);
  CHECK(bloomline_bloom_equal(plain, expected));
  CHECK(bloomline_bloom_num_keys(plain) == bloomline_bloom_estimated_num_keys(expected));
  atomic = bloomline_atomic_from_bloom(plain); /* destroys `plain` */
  CHECK(atomic != NULL);
  atomic_CheckContent(atomic);
  atomic_TestHashes(atomic);
  bloomline_atomic_destroy(atomic);
  bloomline_bloom_destroy(snapshot);
  bloomline_bloom_destroy(expected);
}

static void TestScalable(const char* directory) {
  bloomline_scalableoptions_t* options = bloomline_scalableoptions_create();
  CHECK(options != NULL);
  bloomline_scalableoptions_set_initial_capacity(options, 50);
  bloomline_scalableoptions_set_false_positive_rate(options, 0.02);
  bloomline_scalableoptions_set_growth(options, 3);
  bloomline_scalableoptions_set_tightening(options, 0.25);
  bloomline_scalableoptions_set_layout(options, bloomline_bloom_standard);
  bloomline_scalableoptions_set_seed(options, 5);
  bloomline_scalable_t* scalable = bloomline_scalable_create(options, &error);
  CHECK(bloomline_scalable_num_stages(scalable) == 1);
  const size_t num_new = scalable_AddKeys(scalable);
  CHECK(bloomline_scalable_num_stages(scalable) == 4); /* 50 + 150 + 450 + 1350 keys */
  CHECK(bloomline_scalable_capacity(scalable) == 2000);
  CHECK(bloomline_scalable_num_keys(scalable) == num_new);
  scalable_TestEstimates(scalable);
  CHECK(!bloomline_scalable_is_past_capacity(scalable));
  scalable_TestSaved(scalable, directory);
  bloomline_scalable_destroy(scalable);

  bloomline_scalableoptions_set_growth(options, 17);
  CHECK_REFUSED(bloomline_scalable_create(options, &error), "growth is 17");
  bloomline_scalableoptions_destroy(options);
  bloomline_scalableoptions_destroy(NULL);
}

static bloomline_counting_t* MakeCounting(uint64_t seed) {
  bloomline_countingoptions_t* options = bloomline_countingoptions_create();
  CHECK(options != NULL);
  bloomline_countingoptions_set_capacity(options, kNumPresent);
  bloomline_countingoptions_set_false_positive_rate(options, 0.02);
  bloomline_countingoptions_set_counter_bits(options, 8);
  bloomline_countingoptions_set_seed(options, seed);
  bloomline_counting_t* counting = bloomline_counting_create(options, &error);
  CHECK(counting != NULL && error == NULL);
  bloomline_countingoptions_destroy(options);
  return counting;
}

static void TestCounting(const char* directory) {
  bloomline_counting_t* other = MakeCounting(5);
  counting_AddKeys(other); /* each stored key twice, and two more times the first */
  CHECK(bloomline_counting_num_keys(other) == 2 * kNumPresent + 2);
  for (int i = 0; i < 2; ++i) CHECK(bloomline_counting_remove_key(other, keys[0], lengths[0]));
  CHECK(bloomline_counting_counter_bits(other) == 8);
  CHECK(bloomline_counting_max_count(other) == 255);
  CHECK(bloomline_counting_num_counters(other) % 512 == 0);
  CHECK(bloomline_counting_num_probes(other) > 0);
  CHECK(bloomline_counting_seed(other) == 5);
  CHECK(bloomline_counting_capacity(other) == kNumPresent);
  CHECK(bloomline_counting_num_saturated_counters(other) == 0);
  for (int i = 0; i < kNumKeys; ++i) {
    CHECK((bloomline_counting_estimated_count(other, keys[i], lengths[i]) > 0) ==
          bloomline_counting_may_match(other, keys[i], lengths[i]));
  }
  bloomline_bloom_t* bloom = bloomline_counting_create_bloom(other, &error);
  CHECK(bloom != NULL);
  bloom_CheckContent(bloom);
  bloomline_bloom_destroy(bloom);
  counting_TestSaved(other, directory);

  StartPhase("counting, union and removal");
  bloomline_counting_t* counting = MakeCounting(5);
  for (int i = 0; i < kNumPresent; ++i) bloomline_counting_add_key(counting, keys[i], lengths[i]);
  CHECK(!bloomline_counting_equal(counting, other));
  uint8_t removed[kNumKeys];
  CHECK(bloomline_counting_remove_keys(other, kNumPresent, keys, lengths, removed) == kNumPresent);
  CHECK(removed[0] == 1);
  CHECK(bloomline_counting_equal(counting, other));
  CHECK(bloomline_counting_merge(other, counting, &error));
  CHECK(bloomline_counting_estimated_count(other, keys[0], lengths[0]) >= 2);
  for (int i = 0; i < 2; ++i) {
    bloomline_counting_remove_keys(other, kNumPresent, keys, lengths, NULL);
  }
  CHECK(bloomline_counting_num_keys(other) == 0);
  CHECK(!bloomline_counting_remove_key(other, keys[0], lengths[0]));
  CHECK(bloomline_counting_remove_keys(other, kNumPresent, keys, lengths, NULL) == 0);
  bloomline_counting_clear(counting);
  CHECK(bloomline_counting_equal(counting, other));
  bloomline_counting_t* strange = MakeCounting(6);
  CHECK_REFUSED(bloomline_counting_merge(other, strange, &error), "seed");
  bloomline_counting_destroy(strange);
  bloomline_counting_destroy(other);
  bloomline_counting_destroy(counting);
}

/* Options in the place of a capacity, and those that are refused. */
static void TestOptions(void) {
  StartPhase("options");
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  CHECK_REFUSED(bloomline_bloom_create(options, &error), "capacity is 0");
  CHECK_REFUSED(bloomline_atomic_create(options, &error), "capacity is 0");
  bloomline_bloomoptions_set_num_bits(options, 1024);
  bloomline_bloomoptions_set_num_probes(options, 3);
  bloomline_bloom_t* bloom = bloomline_bloom_create(options, &error);
  CHECK(bloomline_bloom_num_bits(bloom) == 1024);
  CHECK(bloomline_bloom_num_probes(bloom) == 3);
  bloomline_bloom_destroy(bloom);
  bloomline_bloomoptions_destroy(options);
  bloomline_bloomoptions_destroy(NULL);

  bloomline_countingoptions_t* counting_options = bloomline_countingoptions_create();
  bloomline_countingoptions_set_counter_bits(counting_options, 5);
  CHECK_REFUSED(bloomline_counting_create(counting_options, &error), "counter_bits is 5");
  bloomline_countingoptions_set_counter_bits(counting_options, 4);
  bloomline_countingoptions_set_num_counters(counting_options, 1024);
  bloomline_countingoptions_set_num_probes(counting_options, 3);
  bloomline_counting_t* counting = bloomline_counting_create(counting_options, &error);
  CHECK(bloomline_counting_num_counters(counting) == 1024);
  CHECK(bloomline_counting_num_probes(counting) == 3);
  bloomline_counting_destroy(counting);
  bloomline_countingoptions_destroy(counting_options);
  bloomline_countingoptions_destroy(NULL);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  MakeKeys();
  TestBloom(argv[1]);
  TestAtomic();
  TestOptions();
  TestScalable(argv[1]);
  TestCounting(argv[1]);
  fprintf(stderr, "PASS\n");
  return 0;
}

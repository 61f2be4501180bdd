/* The C bindings of the filters in memory, in C. Usage: c_filters_test DIRECTORY */
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>

#include "bloomline/c.h"

enum { kNumKeys = 2000 };
#include "tests/bindings/c_keys.h"

static bloomline_bloom_t* MakeBloom(int layout, uint64_t seed) {
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  CHECK(options != NULL);
  bloomline_bloomoptions_set_capacity(options, kNumPresent);
  bloomline_bloomoptions_set_false_positive_rate(options, 0.02);
  bloomline_bloomoptions_set_layout(options, layout);
  bloomline_bloomoptions_set_seed(options, seed);
  bloomline_bloom_t* bloom = bloomline_bloom_create(options, &error);
  CHECK(error == NULL);
  CHECK(bloom != NULL);
  bloomline_bloomoptions_destroy(options);
  return bloom;
}

/* All stored keys match, and few others. */
static void CheckContent(const bloomline_bloom_t* bloom) {
  uint8_t found[kNumKeys];
  bloomline_bloom_may_match_keys(bloom, kNumKeys, keys, lengths, found);
  CheckFound(found);
  for (int i = 0; i < kNumKeys; ++i) {
    CHECK(found[i] == bloomline_bloom_may_match(bloom, keys[i], lengths[i]));
    const uint64_t hash = bloomline_bloom_hash_of(bloom, keys[i], lengths[i]);
    CHECK(found[i] == bloomline_bloom_may_match_hash(bloom, hash));
  }
}

static void TestBloom(int layout, const char* directory) {
  StartPhase("one by one");
  bloomline_bloom_t* bloom = MakeBloom(layout, 5);
  size_t num_changed = 0;
  for (int i = 0; i < kNumPresent; ++i) {
    num_changed += bloomline_bloom_add_key(bloom, keys[i], lengths[i]);
    CHECK(!bloomline_bloom_add_key(bloom, keys[i], lengths[i]));
  }
  CheckContent(bloom);
  CHECK(bloomline_bloom_layout(bloom) == layout);
  CHECK(bloomline_bloom_seed(bloom) == 5);
  CHECK(bloomline_bloom_capacity(bloom) == kNumPresent);
  CHECK(bloomline_bloom_num_bits(bloom) % 512 == 0);
  CHECK(bloomline_bloom_num_probes(bloom) > 0);
  CHECK(bloomline_bloom_num_keys(bloom) == num_changed);
  CHECK(!bloomline_bloom_is_past_capacity(bloom));
  CHECK(fabs((double)bloomline_bloom_estimated_num_keys(bloom) / kNumPresent - 1) < 0.1);
  const double rate = bloomline_bloom_estimated_false_positive_rate(bloom);
  CHECK(rate > 0.005 && rate < 0.03);

  StartPhase("many at once");
  bloomline_bloom_t* other = MakeBloom(layout, 5);
  uint8_t changed[kNumKeys];
  CHECK(bloomline_bloom_add_keys(other, kNumPresent, keys, lengths, changed) == num_changed);
  CHECK(changed[0] == 1);
  CHECK(bloomline_bloom_add_keys(other, kNumPresent, keys, lengths, NULL) == 0);
  CHECK(bloomline_bloom_equal(bloom, other));
  bloomline_bloom_clear(other);
  CHECK(!bloomline_bloom_equal(bloom, other));
  CHECK(!bloomline_bloom_may_match(other, keys[0], lengths[0]));

  StartPhase("union and intersection");
  CHECK(bloomline_bloom_add_hash(other, bloomline_bloom_hash_of(other, "more", 4)));
  CHECK(bloomline_bloom_merge(other, bloom, &error));
  CheckContent(other);
  CHECK(bloomline_bloom_may_match(other, "more", 4));
  CHECK(bloomline_bloom_intersect(other, bloom, &error));
  CHECK(bloomline_bloom_equal(bloom, other));
  bloomline_bloom_t* strange = MakeBloom(layout, 6);
  CHECK_REFUSED(bloomline_bloom_merge(other, strange, &error), "seed");
  CHECK_REFUSED(bloomline_bloom_intersect(other, strange, &error), "seed");
  bloomline_bloom_destroy(strange);
  bloomline_bloom_destroy(other);

  StartPhase("files");
  const char* path = PathIn(directory, "bloom");
  CHECK(bloomline_bloom_save(bloom, path, &error));
  bloomline_bloom_t* loaded = bloomline_bloom_load(path, &error);
  CHECK(loaded != NULL);
  CHECK(bloomline_bloom_equal(bloom, loaded));
  bloomline_bloom_destroy(loaded);
  size_t length = 0;
  char* bytes = bloomline_bloom_to_bytes(bloom, &length, &error);
  CheckFileHolds(path, bytes, length);
  bloomline_bloom_t* from_bytes = bloomline_bloom_from_bytes(bytes, length, &error);
  CHECK(from_bytes != NULL);
  CHECK(bloomline_bloom_equal(bloom, from_bytes));
  bloomline_bloom_destroy(from_bytes);
  CHECK(error == NULL);
  CHECK_REFUSED(bloomline_bloom_from_bytes(bytes, length - 1, &error), "bytes");
  bloomline_free(bytes);
  for (int verify = 0; verify <= 1; ++verify) {
    const bloomline_bloom_t* mapped = bloomline_bloom_open_mapped(path, (uint8_t)verify, &error);
    CHECK(mapped != NULL);
    CheckContent(mapped);
    CHECK(bloomline_bloom_equal(mapped, bloom));
    bloomline_bloom_t* copy = bloomline_bloom_copy(mapped, &error);
    CHECK(bloomline_bloom_merge(copy, mapped, &error));
    CHECK(bloomline_bloom_equal(copy, bloom));
    bloomline_bloom_destroy(copy);
    bloomline_bloom_destroy(mapped);
  }
  CHECK(error == NULL);
  bloomline_bloom_destroy(bloom);
}

static void TestBloomErrors(const char* directory) {
  StartPhase("errors of Bloom filters");
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  CHECK_REFUSED(bloomline_bloom_create(options, &error), "capacity is 0");
  bloomline_bloomoptions_set_capacity(options, 1000);
  bloomline_bloomoptions_set_layout(options, 17);
  CHECK_REFUSED(bloomline_bloom_create(options, &error), "17");
  bloomline_bloomoptions_set_layout(options, bloomline_bloom_blocked);
  bloomline_bloomoptions_set_num_bits(options, 1024);
  bloomline_bloomoptions_set_num_probes(options, 3);
  bloomline_bloom_t* bloom = bloomline_bloom_create(options, &error);
  CHECK(bloomline_bloom_num_bits(bloom) == 1024);
  CHECK(bloomline_bloom_num_probes(bloom) == 3);
  bloomline_bloomoptions_destroy(options);

  const char* path = PathIn(directory, "absent/file");
  CHECK_REFUSED(bloomline_bloom_save(bloom, path, &error), path);
  CHECK_REFUSED(bloomline_bloom_load(path, &error), path);
  CHECK_REFUSED(bloomline_bloom_open_mapped(path, 1, &error), path);
  path = PathIn(directory, "pipe");
  CHECK(mkfifo(path, 0600) == 0); /* a reader that opens it waits for a writer; none comes */
  CHECK_REFUSED(bloomline_bloom_load(path, &error), "pipe: is not a regular file");
  CHECK_REFUSED(bloomline_bloom_open_mapped(path, 1, &error), "pipe: is not a regular file");
  CHECK_REFUSED(bloomline_bloom_save(bloom, path, &error), "pipe: is not a regular file");
  CHECK(remove(path) == 0);
  bloomline_bloom_destroy(bloom);
  bloomline_bloom_destroy(NULL);
  bloomline_bloomoptions_destroy(NULL);
}

static bloomline_counting_t* MakeCounting(int counter_bits, uint64_t seed) {
  bloomline_countingoptions_t* options = bloomline_countingoptions_create();
  CHECK(options != NULL);
  bloomline_countingoptions_set_capacity(options, kNumPresent);
  bloomline_countingoptions_set_false_positive_rate(options, 0.02);
  bloomline_countingoptions_set_counter_bits(options, counter_bits);
  bloomline_countingoptions_set_seed(options, seed);
  bloomline_counting_t* counting = bloomline_counting_create(options, &error);
  CHECK(error == NULL);
  CHECK(counting != NULL);
  bloomline_countingoptions_destroy(options);
  return counting;
}

static void TestCounting(int counter_bits, const char* directory) {
  StartPhase("counting");
  bloomline_counting_t* counting = MakeCounting(counter_bits, 5);
  for (int i = 0; i < kNumPresent; ++i) bloomline_counting_add_key(counting, keys[i], lengths[i]);
  bloomline_counting_t* other = MakeCounting(counter_bits, 5);
  uint8_t absent[kNumKeys];
  const size_t num_absent = bloomline_counting_add_keys(other, kNumPresent, keys, lengths, absent);
  CHECK(num_absent > kNumPresent * 9 / 10);
  CHECK(absent[0] == 1);
  CHECK(bloomline_counting_equal(counting, other));

  uint8_t found[kNumKeys];
  bloomline_counting_may_match_keys(counting, kNumKeys, keys, lengths, found);
  CheckFound(found);
  for (int i = 0; i < kNumKeys; ++i) {
    CHECK(found[i] == bloomline_counting_may_match(counting, keys[i], lengths[i]));
    CHECK(found[i] == (bloomline_counting_estimated_count(counting, keys[i], lengths[i]) > 0));
  }

  bloomline_bloom_t* bloom = bloomline_counting_create_bloom(counting, &error);
  CHECK(bloom != NULL);
  CheckContent(bloom);
  bloomline_bloom_destroy(bloom);

  CHECK(bloomline_counting_counter_bits(counting) == counter_bits);
  CHECK(bloomline_counting_max_count(counting) == (1u << counter_bits) - 1);
  CHECK(bloomline_counting_num_counters(counting) % 512 == 0);
  CHECK(bloomline_counting_num_probes(counting) > 0);
  CHECK(bloomline_counting_seed(counting) == 5);
  CHECK(bloomline_counting_capacity(counting) == kNumPresent);
  CHECK(bloomline_counting_num_keys(counting) == kNumPresent);
  CHECK(bloomline_counting_num_saturated_counters(counting) == 0);

  const char* path = PathIn(directory, "counting");
  CHECK(bloomline_counting_save(counting, path, &error));
  bloomline_counting_t* loaded = bloomline_counting_load(path, &error);
  CHECK(loaded != NULL);
  CHECK(bloomline_counting_equal(counting, loaded));
  bloomline_counting_destroy(loaded);
  size_t length = 0;
  char* bytes = bloomline_counting_to_bytes(counting, &length, &error);
  CheckFileHolds(path, bytes, length);
  bloomline_counting_t* from_bytes = bloomline_counting_from_bytes(bytes, length, &error);
  CHECK(from_bytes != NULL);
  CHECK(bloomline_counting_equal(counting, from_bytes));
  bloomline_counting_destroy(from_bytes);
  CHECK(error == NULL);
  bytes[100] ^= 1;
  CHECK_REFUSED(bloomline_counting_from_bytes(bytes, length, &error), "checksum");
  bloomline_free(bytes);

  StartPhase("counting: union and removal");
  CHECK(bloomline_counting_merge(other, counting, &error));
  CHECK(bloomline_counting_estimated_count(other, keys[0], lengths[0]) >= 2);
  for (int i = 0; i < kNumPresent; ++i) {
    CHECK(bloomline_counting_remove_key(other, keys[i], lengths[i]));
  }
  CHECK(bloomline_counting_equal(counting, other));
  uint8_t removed[kNumKeys];
  CHECK(bloomline_counting_remove_keys(other, kNumPresent, keys, lengths, removed) == kNumPresent);
  CHECK(removed[0] == 1);
  CHECK(bloomline_counting_num_keys(other) == 0);
  CHECK(!bloomline_counting_remove_key(other, keys[0], lengths[0]));
  CHECK(bloomline_counting_remove_keys(other, kNumPresent, keys, lengths, NULL) == 0);
  bloomline_counting_clear(counting);
  CHECK(bloomline_counting_equal(counting, other));

  bloomline_counting_t* strange = MakeCounting(counter_bits, 6);
  CHECK_REFUSED(bloomline_counting_merge(other, strange, &error), "seed");
  bloomline_counting_destroy(strange);
  bloomline_counting_destroy(other);
  bloomline_counting_destroy(counting);
}

static void TestCountingErrors(const char* directory) {
  StartPhase("errors of counting filters");
  bloomline_countingoptions_t* options = bloomline_countingoptions_create();
  bloomline_countingoptions_set_capacity(options, 1000);
  bloomline_countingoptions_set_counter_bits(options, 5);
  CHECK_REFUSED(bloomline_counting_create(options, &error), "counter_bits is 5");
  bloomline_countingoptions_set_counter_bits(options, 4);
  bloomline_countingoptions_set_num_counters(options, 1024);
  bloomline_countingoptions_set_num_probes(options, 3);
  bloomline_counting_t* counting = bloomline_counting_create(options, &error);
  CHECK(bloomline_counting_num_counters(counting) == 1024);
  CHECK(bloomline_counting_num_probes(counting) == 3);
  bloomline_countingoptions_destroy(options);

  const char* path = PathIn(directory, "absent/file");
  CHECK_REFUSED(bloomline_counting_save(counting, path, &error), path);
  CHECK_REFUSED(bloomline_counting_load(path, &error), path);
  bloomline_counting_destroy(counting);
  bloomline_counting_destroy(NULL);
  bloomline_countingoptions_destroy(NULL);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  MakeKeys();
  for (int layout = bloomline_bloom_blocked; layout <= bloomline_bloom_blocked64; ++layout) {
    TestBloom(layout, argv[1]);
  }
  TestBloomErrors(argv[1]);
  TestCounting(4, argv[1]);
  TestCounting(8, argv[1]);
  TestCountingErrors(argv[1]);
  fprintf(stderr, "PASS\n");
  return 0;
}

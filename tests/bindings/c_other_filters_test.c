/* The C bindings of atomic and scalable filters and of filters larger than RAM, in C.
   Usage: c_other_filters_test DIRECTORY */
#include <math.h>
#include <stdint.h>

#include "bloomline/c.h"

enum { kNumKeys = 2000 };
#include "tests/bindings/c_keys.h"

static void CheckAtomic(const bloomline_atomic_t* atomic) {
  uint8_t found[kNumKeys];
  bloomline_atomic_may_match_keys(atomic, kNumKeys, keys, lengths, found);
  CheckFound(found);
  for (int i = 0; i < kNumKeys; ++i) {
    CHECK(found[i] == bloomline_atomic_may_match(atomic, keys[i], lengths[i]));
    const uint64_t hash = bloomline_atomic_hash_of(atomic, keys[i], lengths[i]);
    CHECK(found[i] == bloomline_atomic_may_match_hash(atomic, hash));
  }
}

static void TestAtomic(int layout) {
  StartPhase("atomic");
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  CHECK(options != NULL);
  CHECK_REFUSED(bloomline_atomic_create(options, &error), "capacity is 0");
  bloomline_bloomoptions_set_capacity(options, kNumPresent);
  bloomline_bloomoptions_set_false_positive_rate(options, 0.02);
  bloomline_bloomoptions_set_layout(options, layout);
  bloomline_bloomoptions_set_seed(options, 5);
  bloomline_atomic_t* atomic = bloomline_atomic_create(options, &error);
  CHECK(atomic != NULL && error == NULL);
  bloomline_bloom_t* expected = bloomline_bloom_create(options, &error);
  CHECK(expected != NULL);
  bloomline_bloomoptions_destroy(options);

  CHECK(!bloomline_atomic_may_match(atomic, keys[0], lengths[0]));
  CHECK(bloomline_atomic_add_key(atomic, keys[0], lengths[0]));
  CHECK(!bloomline_atomic_add_key(atomic, keys[0], lengths[0]));
  CHECK(bloomline_atomic_add_hash(atomic, bloomline_atomic_hash_of(atomic, keys[1], lengths[1])));
  uint8_t changed[kNumKeys];
  const size_t num_changed = bloomline_atomic_add_keys(atomic, kNumPresent, keys, lengths, changed);
  CHECK(num_changed > kNumPresent * 9 / 10 && num_changed <= kNumPresent - 2);
  CHECK(!changed[0] && !changed[1] && changed[2]);
  CHECK(bloomline_atomic_add_keys(atomic, kNumPresent, keys, lengths, NULL) == 0);
  CheckAtomic(atomic);
  bloomline_bloom_add_keys(expected, kNumPresent, keys, lengths, NULL);
  CHECK(bloomline_atomic_layout(atomic) == layout);
  CHECK(bloomline_atomic_num_bits(atomic) == bloomline_bloom_num_bits(expected));
  CHECK(bloomline_atomic_num_probes(atomic) == bloomline_bloom_num_probes(expected));
  CHECK(bloomline_atomic_seed(atomic) == 5);
  CHECK(bloomline_atomic_capacity(atomic) == kNumPresent);
  CHECK(bloomline_atomic_estimated_num_keys(atomic) ==
        bloomline_bloom_estimated_num_keys(expected));
  CHECK(bloomline_atomic_estimated_false_positive_rate(atomic) ==
        bloomline_bloom_estimated_false_positive_rate(expected));

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
  CheckAtomic(atomic);
  bloomline_atomic_destroy(atomic);
  bloomline_atomic_destroy(NULL);
  bloomline_bloom_destroy(snapshot);
  bloomline_bloom_destroy(expected);
}

static void CheckScalable(const bloomline_scalable_t* scalable) {
  uint8_t found[kNumKeys];
  bloomline_scalable_may_match_keys(scalable, kNumKeys, keys, lengths, found);
  CheckFound(found);
  for (int i = 0; i < kNumKeys; ++i) {
    CHECK(found[i] == bloomline_scalable_may_match(scalable, keys[i], lengths[i]));
  }
}

static void TestScalable(const char* directory) {
  StartPhase("scalable");
  bloomline_scalableoptions_t* options = bloomline_scalableoptions_create();
  CHECK(options != NULL);
  bloomline_scalableoptions_set_initial_capacity(options, 50);
  bloomline_scalableoptions_set_false_positive_rate(options, 0.02);
  bloomline_scalableoptions_set_growth(options, 3);
  bloomline_scalableoptions_set_tightening(options, 0.25);
  bloomline_scalableoptions_set_layout(options, bloomline_bloom_standard);
  bloomline_scalableoptions_set_seed(options, 5);
  bloomline_scalable_t* scalable = bloomline_scalable_create(options, &error);
  CHECK(scalable != NULL && error == NULL);
  CHECK(bloomline_scalable_num_stages(scalable) == 1);
  CHECK(bloomline_scalable_add_key(scalable, keys[0], lengths[0]));
  CHECK(!bloomline_scalable_add_key(scalable, keys[0], lengths[0]));
  uint8_t changed[kNumKeys];
  const size_t num_added =
      bloomline_scalable_add_keys(scalable, kNumPresent, keys, lengths, changed);
  CHECK(num_added > kNumPresent * 9 / 10 && num_added < kNumPresent);
  CHECK(!changed[0] && changed[1]);
  CHECK(bloomline_scalable_add_keys(scalable, kNumPresent, keys, lengths, NULL) == 0);
  CheckScalable(scalable);
  CHECK(bloomline_scalable_num_stages(scalable) == 4); /* 50 + 150 + 450 + 1350 keys */
  CHECK(bloomline_scalable_capacity(scalable) == 2000);
  CHECK(bloomline_scalable_num_keys(scalable) == num_added + 1);
  CHECK(bloomline_scalable_num_bits(scalable) > 10 * kNumPresent);
  CHECK(fabs((double)bloomline_scalable_estimated_num_keys(scalable) / kNumPresent - 1) < 0.1);
  const double rate = bloomline_scalable_estimated_false_positive_rate(scalable);
  CHECK(rate > 0.005 && rate < 0.02);
  CHECK(!bloomline_scalable_is_past_capacity(scalable));

  StartPhase("scalable, saved");
  const char* path = PathIn(directory, "scalable");
  CHECK(bloomline_scalable_save(scalable, path, &error));
  bloomline_scalable_t* loaded = bloomline_scalable_load(path, &error);
  CHECK(loaded != NULL);
  size_t length = 0;
  char* bytes = bloomline_scalable_to_bytes(loaded, &length, &error);
  CHECK(bytes != NULL && length > 64);
  bloomline_scalable_t* from_bytes = bloomline_scalable_from_bytes(bytes, length, &error);
  CHECK(from_bytes != NULL && error == NULL);
  CheckScalable(from_bytes);
  bytes[length - 1] ^= 1;
  CHECK_REFUSED(bloomline_scalable_from_bytes(bytes, length, &error), "checksum");
  bloomline_free(bytes);
  bloomline_scalable_clear(from_bytes);
  CHECK(bloomline_scalable_num_keys(from_bytes) == 0);
  CHECK(!bloomline_scalable_may_match(from_bytes, keys[0], lengths[0]));
  bloomline_scalable_destroy(from_bytes);
  bloomline_scalable_destroy(loaded);
  bloomline_scalable_destroy(scalable);
  bloomline_scalable_destroy(NULL);

  StartPhase("scalable, past its capacity");
  bloomline_scalableoptions_set_layout(options, bloomline_bloom_blocked64);
  bloomline_scalableoptions_set_tightening(options, 0.001);
  bloomline_scalableoptions_set_growth(options, 1);
  scalable = bloomline_scalable_create(options, &error);
  CHECK(scalable != NULL);
  bloomline_scalable_add_keys(scalable, kNumPresent, keys, lengths, NULL);
  CHECK(bloomline_scalable_is_past_capacity(scalable));
  bloomline_scalable_destroy(scalable);
  bloomline_scalableoptions_set_growth(options, 17);
  CHECK_REFUSED(bloomline_scalable_create(options, &error), "growth is 17");
  bloomline_scalableoptions_destroy(options);
  bloomline_scalableoptions_destroy(NULL);
  path = PathIn(directory, "absent/file");
  CHECK_REFUSED(bloomline_scalable_load(path, &error), path);
}

/* A path or a name that is NULL is an error as any other. Empty arrays and keys may be NULL. */
static void TestNull(void) {
  StartPhase("NULL");
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  bloomline_bloomoptions_set_capacity(options, 10);
  bloomline_bloom_t* bloom = bloomline_bloom_create(options, &error);
  bloomline_bloomoptions_destroy(options);
  CHECK_REFUSED(bloomline_bloom_load(NULL, &error), "path is NULL; allowed: a string");
  CHECK_REFUSED(bloomline_bloom_open_mapped(NULL, 1, &error), "path is NULL");
  CHECK_REFUSED(bloomline_bloom_save(bloom, NULL, &error), "path is NULL");
  CHECK(bloomline_bloom_add_keys(bloom, 0, NULL, NULL, NULL) == 0);
  bloomline_bloom_may_match_keys(bloom, 0, NULL, NULL, NULL);
  CHECK(bloomline_bloom_add_key(bloom, NULL, 0));
  CHECK(bloomline_bloom_may_match(bloom, "", 0));
  bloomline_bloom_destroy(bloom);

  CHECK_REFUSED(bloomline_scalable_load(NULL, &error), "path is NULL");
  CHECK_REFUSED(bloomline_counting_load(NULL, &error), "path is NULL");

  CHECK_REFUSED(bloomline_force_kernel(NULL, &error), "name is NULL");
}

static void TestValidation(void) {
  StartPhase("validation");
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  CHECK(bloomline_filteroptions_validate(options, &error));
  CHECK(error == NULL);
  bloomline_filteroptions_set_bits_per_key(options, 1000);
  CHECK_REFUSED(bloomline_filteroptions_validate(options, &error),
                "bits_per_key is 1000; allowed: 1 to 100");
  bloomline_filteroptions_destroy(options);
  CHECK(bloomline_validate_false_positive_rate(bloomline_format_compact, 0.01, &error));
  CHECK(error == NULL);
  CHECK_REFUSED(bloomline_validate_false_positive_rate(bloomline_format_compact, 2, &error),
                "2; allowed");
  CHECK_REFUSED(bloomline_validate_false_positive_rate(17, 0.01, &error),
                "format is 17; allowed: 0 (classic)");
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  MakeKeys();
  for (int layout = bloomline_bloom_blocked; layout <= bloomline_bloom_blocked64; ++layout) {
    TestAtomic(layout);
  }
  TestScalable(argv[1]);
  TestNull();
  TestValidation();
  fprintf(stderr, "PASS\n");
  return 0;
}

/* Static filters, sizes and kernels in C: memory, NULL, and what other languages lack. Python
   replays behaviours.json by the same functions. */
#include "bloomline/c.h"

#include <math.h>
#include <stdint.h>

enum { kNumKeys = 2000 };
#include "tests/bindings/c_keys.h"

static bloomline_builder_t* MakeBuilder(int format, uint64_t seed) {
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  CHECK(options != NULL);
  bloomline_filteroptions_set_format(options, format);
  bloomline_filteroptions_set_bits_per_key(options, 10);
  bloomline_filteroptions_set_seed(options, seed);
  bloomline_builder_t* builder = bloomline_builder_create(options, &error);
  CHECK(error == NULL);
  CHECK(builder != NULL);
  bloomline_filteroptions_destroy(options);
  return builder;
}

static void AddKeys(bloomline_builder_t* builder, int first, int last) {
  for (int i = first; i < last; ++i) bloomline_builder_add_key(builder, keys[i], lengths[i]);
}

static void CheckFilter(const char* filter, size_t filter_length) {
  CHECK(bloomline_view_validate(filter, filter_length, NULL));
  bloomline_view_t* view = bloomline_view_open(filter, filter_length);
  CHECK(view != NULL);
  CHECK(!bloomline_view_always_matches(view));
  uint8_t may_match[kNumKeys];
  bloomline_view_may_match_keys(view, kNumKeys, keys, lengths, may_match);
  for (int i = 0; i < kNumKeys; ++i) {
    CHECK(may_match[i] == bloomline_view_may_match(view, keys[i], lengths[i]));
  }
  CheckFound(may_match);
  bloomline_view_destroy(view);
}

static char* Finish(bloomline_builder_t* builder, int num_threads, size_t* length) {
  char* const filter = bloomline_builder_finish(builder, num_threads, length, &error);
  CheckNoError();
  CHECK(filter != NULL);
  CHECK(bloomline_builder_num_keys(builder) == 0);
  return filter;
}

static void TestStaticFilters(int format) {
  StartPhase("static filters");
  bloomline_builder_t* builder = MakeBuilder(format, 0);
  bloomline_builder_t* other = MakeBuilder(format, 0);
  AddKeys(builder, 0, 300);
  bloomline_builder_add_keys(other, kNumPresent - 300, keys + 300, lengths + 300);
  CHECK(bloomline_builder_take_keys_from(builder, other));
  bloomline_builder_destroy(other);
  size_t length = 0;
  char* filter = Finish(builder, 2, &length);
  CheckFilter(filter, length);
  bloomline_free(filter);
  other = MakeBuilder(format, 7);
  CHECK(!bloomline_builder_take_keys_from(builder, other));
  bloomline_builder_destroy(other);
  bloomline_builder_destroy(builder);
}

static void TestRandomSeeds(void) {
  StartPhase("random seeds");
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  bloomline_filteroptions_set_random_seed(options, 1);
  bloomline_builder_t* builder = bloomline_builder_create(options, &error);
  char* filters[2];
  size_t length = 0;
  for (int i = 0; i < 2; ++i) {
    AddKeys(builder, 0, kNumPresent);
    filters[i] = Finish(builder, 1, &length);
    CheckFilter(filters[i], length);
  }
  CHECK(memcmp(filters[0], filters[1], length) != 0);
  for (int i = 0; i < 2; ++i) bloomline_free(filters[i]);
  bloomline_builder_destroy(builder);

  const uint64_t seed = bloomline_draw_seed(&error);
  CHECK(seed != 0 && seed != bloomline_draw_seed(&error));
  CheckNoError();
  bloomline_filteroptions_set_seed(options, 5);
  CHECK_REFUSED(bloomline_builder_create(options, &error), "random_seed is set and seed is 5");
  bloomline_filteroptions_destroy(options);
}

static void TestHashes(void) {
  StartPhase("hashes");
  bloomline_builder_t* builder = MakeBuilder(bloomline_format_ribbon, 5);
  bloomline_builder_add_hash(builder, bloomline_builder_hash_of(builder, "a key", 5));
  size_t length = 0;
  char* filter = Finish(builder, 1, &length);
  bloomline_view_t* view = bloomline_view_open(filter, length);
  CHECK(bloomline_view_may_match(view, "a key", 5));
  enum { kNumHashes = 700 }; /* more than one batch */
  uint64_t hashes[kNumHashes];
  uint8_t may_match[kNumHashes];
  for (int i = 0; i < kNumHashes; ++i)
    hashes[i] = bloomline_view_hash_of(view, keys[i], lengths[i]);
  hashes[600] = bloomline_hash_key("a key", 5, 5);
  CHECK(hashes[600] == bloomline_view_hash_of(view, "a key", 5));
  bloomline_view_may_match_hashes(view, kNumHashes, hashes, may_match);
  int num_matches = 0;
  for (int i = 0; i < kNumHashes; ++i) {
    CHECK(may_match[i] == bloomline_view_may_match_hash(view, hashes[i]));
    num_matches += may_match[i];
  }
  CHECK(may_match[600] && num_matches < 50);
  bloomline_view_destroy(view);
  bloomline_free(filter);
  bloomline_builder_destroy(builder);
}

static void TestEmptyKeysAndPrefixes(void) {
  StartPhase("empty keys");
  bloomline_builder_t* builder = MakeBuilder(bloomline_format_blocked, 0);
  bloomline_builder_add_key(builder, NULL, 0);
  bloomline_builder_add_key_and_prefix(builder, "prefix-key", 10, "prefix", 6);
  CHECK(bloomline_builder_num_keys(builder) == 3);
  size_t length = 0;
  char* filter = Finish(builder, 1, &length);
  bloomline_view_t* view = bloomline_view_open(filter, length);
  CHECK(bloomline_view_may_match(view, NULL, 0));
  CHECK(bloomline_view_may_match(view, "", 0));
  CHECK(bloomline_view_may_match(view, "prefix", 6));
  CHECK(bloomline_view_may_match(view, "prefix-key", 10));
  CHECK(!bloomline_view_may_match(view, "absent", 6));
  CHECK(bloomline_view_num_probes(view) == 6);
  bloomline_view_destroy(view);
  bloomline_free(filter);
  bloomline_builder_destroy(builder);
}

static void TestNoBytes(void) {
  StartPhase("no bytes");
  bloomline_view_t* view = bloomline_view_open(NULL, 0);
  CHECK(bloomline_view_always_matches(view));
  CHECK(bloomline_view_may_match(view, "key", 3));
  bloomline_view_destroy(view);
  CHECK_REFUSED(bloomline_view_validate(NULL, 0, &error), "0 bytes");
}

static void TestErrors(void) {
  StartPhase("errors");
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  CHECK(bloomline_filteroptions_validate(options, &error));
  CheckNoError();
  bloomline_filteroptions_set_bits_per_key(options, 1000);
  CHECK_REFUSED(bloomline_filteroptions_validate(options, &error),
                "bits_per_key is 1000; allowed: 1 to 100");
  CHECK(bloomline_builder_create(options, NULL) == NULL);
  CHECK(bloomline_builder_create(options, &error) == NULL);
  /* A second failure replaces, and frees, the message of the first. */
  bloomline_filteroptions_set_format(options, 17);
  CHECK_REFUSED(bloomline_builder_create(options, &error), "format is 17; allowed: 0 (classic)");
  bloomline_filteroptions_destroy(options);

  bloomline_filteroptions_destroy(NULL);
  bloomline_builder_destroy(NULL);
  bloomline_view_destroy(NULL);
  bloomline_free(NULL);
}

static void TestSizing(void) {
  StartPhase("sizing");
  CHECK(isnan(bloomline_bits_per_key_for_false_positive_rate(bloomline_format_blocked, 0)));
  CHECK(isnan(bloomline_false_positive_rate(-1, 10)));
  CHECK(bloomline_filter_bytes(17, 1000, 10) == 0);
  CHECK_REFUSED(bloomline_validate_false_positive_rate(17, 0.01, &error),
                "format is 17; allowed: 0 (classic)");
}

static void TestBitsByLevel(void) {
  StartPhase("bits by level");
  const int ribbon = bloomline_format_ribbon;
  double level_keys[5], bits[5];
  CHECK(bloomline_keys_of_levels(5, 10, level_keys));
  CHECK(!bloomline_keys_of_levels(5, 0.5, level_keys));
  const double runs[5] = {4, 1, 1, 1, 1};
  CHECK(bloomline_spread_bits_by_level(ribbon, 5, level_keys, runs, 5, bits, &error));
  CheckNoError();
  CHECK(bits[0] > 10 && bits[4] < 5);
  const double reads = bloomline_wasted_reads(ribbon, bits, runs, 5);
  CHECK(reads > bloomline_wasted_reads(ribbon, bits, NULL, 5));
  CHECK(fabs(bloomline_bits_per_key_for_wasted_reads(ribbon, reads, level_keys, runs, 5) - 5) <
        0.01);
  CHECK_REFUSED(bloomline_spread_bits_by_level(ribbon, 101, level_keys, NULL, 5, bits, &error),
                "bits per key is 101; allowed by level in ribbon filters: 0 to 100");
  CHECK(isnan(bloomline_wasted_reads(ribbon, bits, NULL, 65)));
}

static void TestKernels(void) {
  StartPhase("kernels");
  CHECK_REFUSED(bloomline_force_kernel("abacus", &error), "abacus");
  CHECK_REFUSED(bloomline_force_kernel(NULL, &error), "name is NULL");
  CHECK(bloomline_force_kernel("portable", &error) == 1);
  CheckNoError();
  CHECK(strcmp(bloomline_active_kernel_name(), "portable") == 0);
  CHECK(strlen(bloomline_version()) >= 5);
}

int main(void) {
  MakeKeys();
  TestStaticFilters(bloomline_format_blocked);
  TestStaticFilters(bloomline_format_ribbon);
  TestRandomSeeds();
  TestHashes();
  TestEmptyKeysAndPrefixes();
  TestNoBytes();
  TestErrors();
  TestSizing();
  TestBitsByLevel();
  TestKernels();
  fprintf(stderr, "PASS\n");
  return 0;
}

/* The C bindings, in C. */
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

static void TestStaticFilters(void) {
  for (int format = bloomline_format_blocked; format <= bloomline_format_compact; ++format) {
    StartPhase(format == bloomline_format_blocked ? "blocked" : "compact");
    char* error = NULL;
    bloomline_builder_t* builder = MakeBuilder(format, 0);
    AddKeys(builder, 0, kNumPresent);
    CHECK(bloomline_builder_num_keys(builder) == kNumPresent);
    size_t length = 0;
    char* filter = bloomline_builder_finish(builder, 1, &length, &error);
    CHECK(error == NULL);
    CHECK(filter != NULL);
    CHECK(length == bloomline_filter_bytes(format, kNumPresent, 10));
    CHECK(bloomline_builder_num_keys(builder) == 0);
    CheckFilter(filter, length);

    /* Two builders give the bytes of one. */
    bloomline_builder_t* other = MakeBuilder(format, 0);
    AddKeys(builder, 0, 300);
    AddKeys(other, 300, kNumPresent);
    CHECK(bloomline_builder_take_keys_from(builder, other));
    size_t joined_length = 0;
    char* joined = bloomline_builder_finish(builder, 2, &joined_length, &error);
    CHECK(joined_length == length && memcmp(joined, filter, length) == 0);
    bloomline_free(joined);
    bloomline_free(filter);
    bloomline_builder_destroy(other);

    other = MakeBuilder(format, 7);
    CHECK(!bloomline_builder_take_keys_from(builder, other));
    bloomline_builder_destroy(other);
    bloomline_builder_destroy(builder);
  }
}

static void TestRandomSeeds(void) {
  StartPhase("random seeds");
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  bloomline_filteroptions_set_random_seed(options, 1);
  bloomline_builder_t* builder = bloomline_builder_create(options, &error);
  bloomline_builder_t* other = bloomline_builder_create(options, &error);
  CHECK(error == NULL);
  AddKeys(builder, 0, kNumPresent);
  CHECK(!bloomline_builder_take_keys_from(other, builder));
  size_t length = 0;
  char* filter = bloomline_builder_finish(builder, 1, &length, &error);
  CHECK(filter != NULL);
  CheckFilter(filter, length);
  AddKeys(builder, 0, kNumPresent);
  size_t next_length = 0;
  char* next = bloomline_builder_finish(builder, 1, &next_length, &error);
  CHECK(next_length == length && memcmp(next, filter, length) != 0);
  CheckFilter(next, next_length);
  bloomline_free(next);
  bloomline_free(filter);
  bloomline_builder_destroy(other);
  bloomline_builder_destroy(builder);

  const uint64_t seed = bloomline_draw_seed(&error);
  CHECK(error == NULL);
  CHECK(seed != 0);
  CHECK(seed != bloomline_draw_seed(&error));
  bloomline_filteroptions_set_seed(options, 5);
  CHECK_REFUSED(bloomline_builder_create(options, &error), "random_seed is set and seed is 5");
  bloomline_filteroptions_destroy(options);
}

static void TestHashes(void) {
  StartPhase("hashes");
  bloomline_builder_t* builder = MakeBuilder(bloomline_format_compact, 5);
  bloomline_builder_add_key(builder, "a key", 5);
  size_t length = 0;
  char* filter = bloomline_builder_finish(builder, 1, &length, &error);
  bloomline_builder_add_hash(builder, bloomline_builder_hash_of(builder, "a key", 5));
  bloomline_builder_add_hash(builder, bloomline_builder_hash_of(builder, "a key", 5));
  CHECK(bloomline_builder_num_keys(builder) == 1);
  size_t same_length = 0;
  char* same = bloomline_builder_finish(builder, 1, &same_length, &error);
  CHECK(same_length == length && memcmp(same, filter, length) == 0);
  bloomline_view_t* view = bloomline_view_open(filter, length);
  /* More than one batch. */
  uint64_t hashes[700];
  uint8_t may_match[700];
  int num_matches = 0;
  for (int i = 0; i < 700; ++i) {
    hashes[i] = bloomline_view_hash_of(view, i % 7 == 0 ? "a key" : (const char*)&i,
                                       i % 7 == 0 ? 5 : sizeof i);
  }
  CHECK(hashes[0] == bloomline_builder_hash_of(builder, "a key", 5));
  CHECK(hashes[0] == bloomline_hash_key("a key", 5, 5));
  bloomline_view_may_match_hashes(view, 700, hashes, may_match);
  for (int i = 0; i < 700; ++i) {
    CHECK(may_match[i] == bloomline_view_may_match_hash(view, hashes[i]));
    CHECK(may_match[i] || i % 7 != 0);
    num_matches += may_match[i];
  }
  CHECK(num_matches < 150);
  bloomline_view_destroy(view);
  bloomline_free(same);
  bloomline_free(filter);
  bloomline_builder_destroy(builder);
}

static void TestEmptyKeys(void) {
  StartPhase("empty keys");
  bloomline_builder_t* builder = MakeBuilder(bloomline_format_blocked, 0);
  bloomline_builder_add_key(builder, NULL, 0);
  bloomline_builder_add_key_and_prefix(builder, "prefix-key", 10, "prefix", 6);
  CHECK(bloomline_builder_num_keys(builder) == 3);
  size_t length = 0;
  char* filter = bloomline_builder_finish(builder, 1, &length, &error);
  CHECK(filter != NULL);
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

static void TestAnyBytesGiveAView(void) {
  StartPhase("any bytes");
  bloomline_view_t* view = bloomline_view_open("no filter", 9);
  CHECK(bloomline_view_always_matches(view));
  CHECK(bloomline_view_may_match(view, "key", 3));
  CHECK(bloomline_view_num_probes(view) == 0);
  bloomline_view_destroy(view);
  view = bloomline_view_open(NULL, 0);
  CHECK(bloomline_view_may_match(view, "key", 3));
  bloomline_view_destroy(view);
  CHECK_REFUSED(bloomline_view_validate("bLnCount, which is no static filter", 35, &error),
                "no bloomline trailer at its end");
  CHECK_REFUSED(bloomline_view_validate(NULL, 0, &error), "0 bytes");
}

static void TestErrors(void) {
  StartPhase("errors");
  static const struct {
    int format;
    double bits_per_key;
    const char* text;
  } kWrong[] = {
      {bloomline_format_blocked, 101, "bits_per_key is 101; allowed: 1 to 100"},
      {bloomline_format_blocked, 0.5, "bits_per_key is 0.5; allowed: 1 to 100"},
      {17, 10, "format is 17; allowed: 0 (classic)"},
      {bloomline_format_classic, 10,
       "format is classic, which is written in LevelDB only; allowed"},
      {bloomline_format_bloom, 10, "format is bloom, which is written in RocksDB only; allowed"},
      {bloomline_format_ribbon, 10, "format is ribbon, which is written in RocksDB only; allowed"},
  };
  bloomline_filteroptions_t* options = bloomline_filteroptions_create();
  CHECK(bloomline_filteroptions_validate(options, &error));
  CheckNoError();
  bloomline_filteroptions_set_bits_per_key(options, 1000);
  CHECK_REFUSED(bloomline_filteroptions_validate(options, &error),
                "bits_per_key is 1000; allowed: 1 to 100");
  for (size_t i = 0; i < sizeof(kWrong) / sizeof(kWrong[0]); ++i) {
    bloomline_filteroptions_set_format(options, kWrong[i].format);
    bloomline_filteroptions_set_bits_per_key(options, kWrong[i].bits_per_key);
    CHECK(bloomline_builder_create(options, &error) == NULL);
    /* A second failure replaces, and frees, the message of the first. */
    CHECK_REFUSED(bloomline_builder_create(options, &error), kWrong[i].text);
  }
  bloomline_filteroptions_destroy(options);

  bloomline_filteroptions_destroy(NULL);
  bloomline_builder_destroy(NULL);
  bloomline_view_destroy(NULL);
  bloomline_free(NULL);
}

static void TestSizing(void) {
  StartPhase("sizing");
  CHECK(fabs(bloomline_false_positive_rate(bloomline_format_blocked, 10) - 0.009665) < 1e-5);
  const double bits =
      bloomline_bits_per_key_for_false_positive_rate(bloomline_format_blocked, 0.01);
  CHECK(fabs(bloomline_false_positive_rate(bloomline_format_blocked, bits) - 0.01) < 1e-5);
  CHECK(isnan(bloomline_bits_per_key_for_false_positive_rate(bloomline_format_blocked, 0)));
  CHECK(isnan(bloomline_false_positive_rate(-1, 10)));
  CHECK(bloomline_filter_bytes(bloomline_format_blocked, 5000000000u, 10) >= 6250000000u);
  CHECK(bloomline_filter_bytes(17, 1000, 10) == 0);
  CHECK(bloomline_validate_false_positive_rate(bloomline_format_compact, 0.01, &error));
  CheckNoError();
  CHECK_REFUSED(bloomline_validate_false_positive_rate(bloomline_format_compact, 2, &error),
                "2; allowed");
  CHECK_REFUSED(bloomline_validate_false_positive_rate(17, 0.01, &error),
                "format is 17; allowed: 0 (classic)");
}

static void TestBitsByLevel(void) {
  StartPhase("bits by level");
  const int compact = bloomline_format_compact;
  double level_keys[5], bits[5];
  CHECK(bloomline_keys_of_levels(5, 10, level_keys));
  CHECK(!bloomline_keys_of_levels(5, 0.5, level_keys));
  CHECK(bloomline_spread_bits_by_level(compact, 10, level_keys, NULL, 5, bits, &error));
  CHECK(error == NULL);
  CHECK(bits[0] == 24);
  CHECK(bits[4] > 9.5 && bits[4] < 9.6);
  CHECK(fabs(bloomline_wasted_reads(compact, bits, NULL, 5) - 0.0023) < 1e-5);
  const double runs[5] = {4, 1, 1, 1, 1};
  CHECK(bloomline_spread_bits_by_level(compact, 5, level_keys, runs, 5, bits, &error));
  const double three_more_runs = bloomline_wasted_reads(compact, bits, runs, 5) -
                                 bloomline_wasted_reads(compact, bits, NULL, 5);
  CHECK(fabs(three_more_runs / bloomline_false_positive_rate(compact, bits[0]) - 3) < 1e-6);
  CHECK(fabs(bloomline_bits_per_key_for_wasted_reads(compact, 0.0023, level_keys, NULL, 5) - 10) <
        0.01);
  CHECK_REFUSED(bloomline_spread_bits_by_level(compact, 25, level_keys, NULL, 5, bits, &error),
                "bits per key is 25; allowed by level in compact filters: 0 to 24");
  CHECK_REFUSED(bloomline_spread_bits_by_level(7, 10, level_keys, NULL, 5, bits, &error),
                "format is 7");
  CHECK(isnan(bloomline_wasted_reads(compact, bits, NULL, 65)));
  CHECK(isnan(bloomline_bits_per_key_for_wasted_reads(compact, 0, level_keys, NULL, 5)));
}

/* RocksDB's own formats. In ribbon, 10 bits per key take about 7.1 bits of memory. */
static void TestStockFormats(void) {
  StartPhase("stock formats");
  static const double kMemoryBits[] = {10, 7.1};
  for (int format = bloomline_format_bloom; format <= bloomline_format_ribbon; ++format) {
    const double rate = bloomline_false_positive_rate(format, 10);
    CHECK(rate > 0.0090 && rate < 0.0099);
    const double bits = bloomline_bits_per_key_for_false_positive_rate(format, rate);
    CHECK(fabs(bits - 10) < 0.01);
    CHECK(bloomline_validate_false_positive_rate(format, rate, &error));
    const double memory = 8e-6 * (double)bloomline_filter_bytes(format, 1000000, 10);
    CHECK(fabs(memory / kMemoryBits[format - bloomline_format_bloom] - 1) < 0.02);

    double level_keys[5], level_bits[5];
    CHECK(bloomline_keys_of_levels(5, 10, level_keys));
    CHECK(bloomline_spread_bits_by_level(format, 10, level_keys, NULL, 5, level_bits, &error));
    CheckNoError();
    CHECK(level_bits[4] < 10 && level_bits[0] > 20);
    const double reads = bloomline_wasted_reads(format, level_bits, NULL, 5);
    CHECK(reads < 5 * rate / 3); /* a third of the reads that 10 bits everywhere waste */
    const double same_bits =
        bloomline_bits_per_key_for_wasted_reads(format, reads, level_keys, NULL, 5);
    CHECK(fabs(same_bits - 10) < 0.01);
  }
}

static void TestKernels(void) {
  StartPhase("kernels");
  CHECK_REFUSED(bloomline_force_kernel("abacus", &error), "abacus");
  CHECK_REFUSED(bloomline_force_kernel(NULL, &error), "name is NULL");
  CHECK(bloomline_force_kernel("portable", &error) == 1);
  CHECK(error == NULL);
  CHECK(strcmp(bloomline_active_kernel_name(), "portable") == 0);
  CHECK(strlen(bloomline_version()) >= 5);
}

int main(void) {
  MakeKeys();
  TestStaticFilters();
  TestRandomSeeds();
  TestHashes();
  TestEmptyKeys();
  TestAnyBytesGiveAView();
  TestErrors();
  TestSizing();
  TestBitsByLevel();
  TestStockFormats();
  TestKernels();
  fprintf(stderr, "PASS\n");
  return 0;
}

/* RocksDB through its C bindings, with bloomline by handles and by option strings.
   Usage: c_rocksdb_test DIRECTORY */
#include "bloomline/c_rocksdb.h"

#include <rocksdb/c.h>

#include "tests/bindings/c_check.h"
#include "tests/bindings/c_engines.h"

static rocksdb_options_t* OptionsOf(const char* text) {
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_get_options_from_string(base, text, options, &error);
  CheckNoError();
  rocksdb_options_destroy(base);
  rocksdb_options_set_create_if_missing(options, 1);
  return options;
}

static rocksdb_options_t* Options(const char* filter_policy) {
  char text[200];
  snprintf(text, sizeof(text), "block_based_table_factory={filter_policy=%s}", filter_policy);
  return OptionsOf(text);
}

static uint64_t Ticker(rocksdb_options_t* options, const char* name) {
  char* statistics = rocksdb_options_statistics_get_string(options);
  const char* line = strstr(statistics, name);
  const uint64_t count = line == NULL ? 0 : strtoull(strchr(line, ':') + 1, NULL, 10);
  rocksdb_free(statistics);
  return count;
}

/* Even numbers are stored. Returns how many of the others the filters kept away from the tables. */
static uint64_t CheckKeys(rocksdb_t* db, rocksdb_options_t* options) {
  rocksdb_readoptions_t* read_options = rocksdb_readoptions_create();
  for (int i = 0; i < kNumKeys; ++i) {
    char key[17];
    KeyOf(i, key);
    size_t length = 0;
    char* value = rocksdb_get(db, read_options, key, 16, &length, &error);
    CheckNoError();
    CHECK((value != NULL) == (i % 2 == 0));
    rocksdb_free(value);
  }
  rocksdb_readoptions_destroy(read_options);
  return Ticker(options, "rocksdb.bloom.filter.useful COUNT : ");
}

static rocksdb_t* Open(const char* path, rocksdb_options_t* options) {
  rocksdb_options_enable_statistics(options);
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CheckNoError();
  return db;
}

static void Flush(rocksdb_t* db) {
  rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
  rocksdb_flush(db, options, &error);
  CheckNoError();
  rocksdb_flushoptions_destroy(options);
}

static void WriteKeys(rocksdb_t* db, int begin, int end, int step) {
  rocksdb_writeoptions_t* write_options = rocksdb_writeoptions_create();
  for (int i = begin; i < end; i += step) {
    char key[17];
    KeyOf(i, key);
    rocksdb_put(db, write_options, key, 16, "value", 5, &error);
    CheckNoError();
  }
  rocksdb_writeoptions_destroy(write_options);
  Flush(db);
}

static void WriteEvenKeys(rocksdb_t* db) { WriteKeys(db, 0, kNumKeys, 2); }

/* Writes a database with these options, and looks its keys up. */
static void CheckDatabase(const char* path, rocksdb_options_t* options) {
  rocksdb_t* db = Open(path, options);
  WriteEvenKeys(db);
  CHECK(CheckKeys(db, options) > kNumKeys / 2 * 0.9);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static void TestDatabase(const char* directory, const char* name, const char* filter_policy) {
  StartPhase(filter_policy);
  const char* const path = PathIn(directory, name);
  CheckDatabase(path, Options(filter_policy));
  CHECK(TablesWith(path, ".sst", "bloomline") > 0);
  CHECK(TablesWith(path, ".sst", "fullfilter.rocksdb.BuiltinBloomFilter") > 0);
}

#ifndef BLOOMLINE_TEST_PLUGIN /* RocksDB's library does not export the functions */
static rocksdb_filterpolicy_t* Policy(const char* text) {
  rocksdb_filterpolicy_t* policy = bloomline_rocksdb_filterpolicy_create(text, &error);
  CheckNoError();
  CHECK(policy != NULL);
  return policy;
}

/* Options with a policy by its handle. */
static rocksdb_options_t* OptionsWith(const char* text) {
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, Policy("bloomline:12"));
  rocksdb_block_based_options_set_filter_policy(table, Policy(text)); /* destroys the one before */
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_block_based_options_destroy(table);
  return options;
}

static void TestWrongPolicies(void) {
  StartPhase("wrong policies");
  CHECK_REFUSED(bloomline_rocksdb_filterpolicy_create("", &error),
                "filter policy is ''; allowed: bloomline, bloomline:BITS_PER_KEY, {id=bloomline;");
  CHECK(bloomline_rocksdb_filterpolicy_create("bloomfilter:10", NULL) == NULL);
  CHECK_REFUSED(bloomline_rocksdb_filterpolicy_create(NULL, &error), "options is NULL");
}

/* The steps of behaviours.json that are ["policy", TEXT, null] or ["policy", TEXT, {"error":
   SENTENCE}], without escapes. */
static void TestPolicies(void) {
  StartPhase("policies");
  FILE* const file = fopen(BLOOMLINE_BEHAVIOURS, "rb");
  CHECK(file != NULL);
  int replayed = 0;
  for (char line[1024]; fgets(line, sizeof(line), file) != NULL;) {
    char text[1024], sentence[1024];
    const int parts = sscanf(line, "[\"policy\", \"%[^\"]\", {\"error\": \"%[^\"]", text, sentence);
    if (parts > 0) StartPhase(text);
    if (parts == 1) rocksdb_filterpolicy_destroy(Policy(text)); /* not handed over */
    if (parts == 2) CHECK_REFUSED(bloomline_rocksdb_filterpolicy_create(text, &error), sentence);
    replayed += parts > 0;
  }
  CHECK(replayed > 10);
  fclose(file);
}

/* RocksDB takes an unknown name for the default, and says OK. */
static void TestFamilyOptions(void) {
  StartPhase("family options");
  static const char* const kRight[] = {
      "", "comparator=leveldb.BytewiseComparator;write_buffer_size=65536",
      "block_based_table_factory={filter_policy={id=bloomline;range_prefixes=8}}"};
  for (size_t i = 0; i < sizeof(kRight) / sizeof(kRight[0]); ++i) {
    CHECK(bloomline_rocksdb_validate_family_options(kRight[i], &error) == 1);
    CheckNoError();
  }
  static const char* const kWrong[][2] = {
      {"comparator={id=typo}", "Could not load Comparator: typo"},
      {"merge_operator=typo", "Could not load MergeOperator: typo"},
      {"prefix_extractor=typo", "Could not load SliceTransform: typo"},
      {"block_based_table_factory={filter_policy={id=bloomline;format=x}}", "format is 'x'"},
      {"block_based_table_factory={flush_block_policy_factory=typo}", "FlushBlockPolicyFactory"},
      {"write_buffer_sice=1", "write_buffer_sice"}};
  for (size_t i = 0; i < sizeof(kWrong) / sizeof(kWrong[0]); ++i) {
    CHECK_REFUSED(bloomline_rocksdb_validate_family_options(kWrong[i][0], &error), kWrong[i][1]);
    CHECK(bloomline_rocksdb_validate_family_options(kWrong[i][0], NULL) == 0);
  }
  CHECK_REFUSED(bloomline_rocksdb_validate_family_options(NULL, &error), "options is NULL");
}

/* The policy by its handle. */
static void TestHandles(const char* directory) {
  StartPhase("handles");
  const char* const path = PathIn(directory, "handles");
  /* As before bloomline 0.4: it means ribbon. */
  rocksdb_options_t* options = OptionsWith("{id=bloomline;format=compact;bits_per_key=7.5}");
  CheckDatabase(path, options);
  CHECK(TablesWith(path, ".sst", "fullfilter.rocksdb.BuiltinBloomFilter") > 0);
  CHECK(TablesWith(path, "OPTIONS", "bits_per_key=10.63;format=ribbon;") > 0);
}

static void TestRangeScans(const char* directory) {
  StartPhase("range scans");
  rocksdb_options_t* options = OptionsOf("table_properties_collectors={id=bloomline.ranges}");
  rocksdb_t* db = Open(PathIn(directory, "scans"), options);
  WriteEvenKeys(db);
  rocksdb_readoptions_t* read_options = rocksdb_readoptions_create();
  for (int i = 0; i < kNumKeys; ++i) {
    char begin[17];
    char end[17];
    KeyOf(i, begin);
    KeyOf(i + 1, end);
    if (!bloomline_rocksdb_readoptions_set_range(read_options, begin, 16, end, 16, &error)) {
      CheckError("RocksDB before 11.8");
      break;
    }
    rocksdb_iterator_t* iterator = rocksdb_create_iterator(db, read_options);
    rocksdb_iter_seek_to_last(iterator);
    CHECK(rocksdb_iter_valid(iterator) == (i % 2 == 0));
    rocksdb_iter_destroy(iterator);
  }
  CHECK(!bloomline_rocksdb_readoptions_set_range(read_options, NULL, 0, "", 0, NULL));
  rocksdb_readoptions_destroy(read_options);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

static double NumberIn(const char* text, const char* name) {
  const char* const found = strstr(text, name);
  CHECK(found != NULL);
  return strtod(found + strlen(name), NULL);
}

/* Bits per key of two small files that are flushed above a full level, after a restart. */
static double BitsOfFlushedFiles(const char* path, const char* listeners) {
  char text[300];
  snprintf(text, sizeof(text),
           "%sblock_based_table_factory={filter_policy={id=bloomline;format=bloom;bits_per_key=10;"
           "bits_by_level=auto}}",
           listeners);
  rocksdb_options_t* options = OptionsOf(text);
  rocksdb_t* db = Open(path, options);
  WriteEvenKeys(db);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  rocksdb_close(db);
  db = Open(path, options);
  WriteKeys(db, 1, 201, 2);
  WriteKeys(db, 1, 201, 2);
  char* const tables = rocksdb_property_value(db, "rocksdb.aggregated-table-properties-at-level0");
  CHECK(tables != NULL);
  const double bits = 8 * NumberIn(tables, "filter block size=") / NumberIn(tables, "# entries=");
  rocksdb_free(tables);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return bits;
}

/* The listener knows the level below, and so leaves them more bits. */
static void TestBitsByLevel(const char* directory) {
  StartPhase("bits by level");
  CHECK(bloomline_rocksdb_register(&error) == 1);
  const char* const path = PathIn(directory, "account");
  CHECK(BitsOfFlushedFiles(path, "listeners=bloomline.account;") > 12);
  CHECK(TablesWith(path, "OPTIONS", "listeners={bloomline.account}") > 0);
  CHECK(BitsOfFlushedFiles(PathIn(directory, "no_account"), "") < 12);
}

/* A database with RocksDB's own filters, opened with bloomline's. */
static void TestNewFilters(const char* directory) {
  StartPhase("new filters");
  const char* const path = PathIn(directory, "new_filters");
  CheckDatabase(path, Options("bloomfilter:10:false"));
  CHECK(TablesWith(path, ".sst", "bloomline") == 0);
  rocksdb_options_t* options = OptionsWith("bloomline");
  rocksdb_t* db = Open(path, options);
  rocksdb_compactoptions_t* compaction = rocksdb_compactoptions_create();
  rocksdb_compactoptions_set_bottommost_level_compaction(compaction, 3); /* kForceOptimized */
  rocksdb_compact_range_opt(db, compaction, NULL, 0, NULL, 0);
  rocksdb_compactoptions_destroy(compaction);
  CHECK(CheckKeys(db, options) > kNumKeys / 2 * 0.9);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  CHECK(TablesWith(path, ".sst", "bloomline") == 1);
}
#endif

int main(int argc, char** argv) {
  CHECK(argc == 2);
#ifndef BLOOMLINE_TEST_PLUGIN /* RocksDB's own build registered it: tests/platforms/plugin */
  TestWrongPolicies();
  TestPolicies();
  TestFamilyOptions();
  TestHandles(argv[1]); /* registers it, too */
  TestRangeScans(argv[1]);
  TestBitsByLevel(argv[1]);
  TestNewFilters(argv[1]);
  for (int i = 0; i < 2; ++i) {
    const uint8_t registered = bloomline_rocksdb_register(&error);
    CheckNoError();
    CHECK(registered == 1);
  }
#endif
  TestDatabase(argv[1], "blocked", "bloomline:10");
  TestDatabase(argv[1], "ribbon", "{id=bloomline;format=ribbon;bits_per_key=10.63}");
  fprintf(stderr, "PASS\n");
  return 0;
}

/* LevelDB through its C bindings, with bloomline's policy. Usage: c_leveldb_test DIRECTORY */
#include "bloomline/c_leveldb.h"

#include "bloomline/c.h"
#include "tests/bindings/c_check.h"
#include "tests/bindings/c_engines.h"

static leveldb_t* Open(const char* path, leveldb_options_t* options) {
  leveldb_t* db = leveldb_open(options, path, &error);
  CheckNoError();
  return db;
}

static void WriteEvenKeys(leveldb_t* db) {
  leveldb_writeoptions_t* options = leveldb_writeoptions_create();
  for (int i = 0; i < kNumKeys; i += 2) {
    char key[17];
    KeyOf(i, key);
    leveldb_put(db, options, key, 16, "value", 5, &error);
    CheckNoError();
  }
  leveldb_writeoptions_destroy(options);
  leveldb_compact_range(db, NULL, 0, NULL, 0);
}

static void CheckKeys(leveldb_t* db) {
  leveldb_readoptions_t* options = leveldb_readoptions_create();
  for (int i = 0; i < kNumKeys; ++i) {
    char key[17];
    KeyOf(i, key);
    size_t length = 0;
    char* value = leveldb_get(db, options, key, 16, &length, &error);
    CHECK(error == NULL);
    CHECK((value != NULL) == (i % 2 == 0));
    leveldb_free(value);
  }
  leveldb_readoptions_destroy(options);
}

static void TestDatabase(const char* directory, int format) {
  StartPhase("database");
  const char* const path = PathIn(directory, format == 0   ? "classic"
                                             : format == 1 ? "blocked"
                                                           : "compact");
  leveldb_filterpolicy_t* policy = bloomline_leveldb_filterpolicy_create(format, 10, &error);
  CHECK(error == NULL);
  CHECK(policy != NULL);
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  leveldb_options_set_filter_policy(options, policy);
  leveldb_t* db = Open(path, options);
  WriteEvenKeys(db);
  CheckKeys(db);
  leveldb_close(db);
  CHECK(TablesWith(path, ".ldb", "filter.leveldb.BuiltinBloomFilter2") > 0);

  leveldb_options_destroy(options);
  leveldb_filterpolicy_destroy(policy);
}

static void TestSeeds(const char* directory) {
  StartPhase("seeds");
  const char* const path = PathIn(directory, "seeded");
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  /* The seed that wrote, another one, and none. */
  for (uint64_t seed = 3; seed-- > 0;) {
    leveldb_filterpolicy_t* policy = bloomline_leveldb_filterpolicy_create_with_seed(
        bloomline_format_compact, 10, "app.Filter", seed, &error);
    CHECK(error == NULL);
    CHECK(policy != NULL);
    leveldb_options_set_filter_policy(options, policy);
    leveldb_t* db = Open(path, options);
    if (seed == 2) WriteEvenKeys(db);
    CheckKeys(db);
    leveldb_close(db);
    leveldb_filterpolicy_destroy(policy);
  }
  leveldb_options_destroy(options);
}

static void TestErrors(void) {
  StartPhase("errors");
  CHECK_REFUSED(bloomline_leveldb_filterpolicy_create_with_seed(
                    bloomline_format_blocked, 10, "leveldb.BuiltinBloomFilter2", 7, &error),
                "seed is 7 and name is leveldb.BuiltinBloomFilter2");
  CHECK_REFUSED(bloomline_leveldb_filterpolicy_create(bloomline_format_compact, 2, &error),
                "bits_per_key is 2; allowed: 3 to 24");
  CHECK_REFUSED(bloomline_leveldb_filterpolicy_create(bloomline_format_bloom, 10, &error),
                "format is bloom, which is written in RocksDB only");
  CHECK_REFUSED(bloomline_leveldb_filterpolicy_create_with_seed(1, 10, NULL, 5, &error),
                "name is empty; allowed");
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  for (int format = 0; format <= 2; ++format) TestDatabase(argv[1], format);
  TestSeeds(argv[1]);
  TestErrors();
  fprintf(stderr, "PASS\n");
  return 0;
}

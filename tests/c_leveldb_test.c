/* LevelDB through its C bindings, with bloomline's policy. Usage: c_leveldb_test DIRECTORY */
#include "bloomline/c_leveldb.h"

#include "bloomline/c.h"
#include "tests/c_check.h"

enum { kNumKeys = 20000 };

static char* error = NULL;

static void KeyOf(int i, char* key) { snprintf(key, 17, "%016d", i); }

static leveldb_t* Open(const char* path, leveldb_options_t* options) {
  leveldb_t* db = leveldb_open(options, path, &error);
  if (error != NULL) fprintf(stderr, "%s\n", error);
  CHECK(error == NULL);
  return db;
}

/* Even numbers are stored. */
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
  char path[4096];
  snprintf(path, sizeof(path), "%s/db%d", directory, format);
  leveldb_filterpolicy_t* policy = bloomline_leveldb_filterpolicy_create(format, 10, &error);
  CHECK(error == NULL);
  CHECK(policy != NULL);
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  leveldb_options_set_filter_policy(options, policy);
  leveldb_t* db = Open(path, options);
  leveldb_writeoptions_t* write_options = leveldb_writeoptions_create();
  for (int i = 0; i < kNumKeys; i += 2) {
    char key[17];
    KeyOf(i, key);
    leveldb_put(db, write_options, key, 16, "value", 5, &error);
    CHECK(error == NULL);
  }
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  CheckKeys(db);
  leveldb_close(db);

  StartPhase("the same database without and with LevelDB's own policy");
  leveldb_options_set_filter_policy(options, NULL);
  db = Open(path, options);
  CheckKeys(db);
  leveldb_close(db);
  leveldb_filterpolicy_t* builtin = leveldb_filterpolicy_create_bloom(10);
  leveldb_options_set_filter_policy(options, builtin);
  db = Open(path, options);
  CheckKeys(db);
  leveldb_close(db);

  leveldb_writeoptions_destroy(write_options);
  leveldb_options_destroy(options);
  leveldb_filterpolicy_destroy(builtin);
  leveldb_filterpolicy_destroy(policy);
}

static void TestSeeds(const char* directory) {
  StartPhase("seeds");
  char path[4096];
  snprintf(path, sizeof(path), "%s/seeded", directory);
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  leveldb_writeoptions_t* write_options = leveldb_writeoptions_create();
  /* The seed that wrote, another one, and none. */
  for (uint64_t seed = 3; seed-- > 0;) {
    leveldb_filterpolicy_t* policy = bloomline_leveldb_filterpolicy_create_with_seed(
        bloomline_format_compact, 10, "app.Filter", seed, &error);
    CHECK(error == NULL);
    CHECK(policy != NULL);
    leveldb_options_set_filter_policy(options, policy);
    leveldb_t* db = Open(path, options);
    for (int i = 0; seed == 2 && i < kNumKeys; i += 2) {
      char key[17];
      KeyOf(i, key);
      leveldb_put(db, write_options, key, 16, "value", 5, &error);
      CHECK(error == NULL);
    }
    if (seed == 2) leveldb_compact_range(db, NULL, 0, NULL, 0);
    CheckKeys(db);
    leveldb_close(db);
    leveldb_filterpolicy_destroy(policy);
  }
  leveldb_writeoptions_destroy(write_options);
  leveldb_options_destroy(options);
}

static void TestErrors(void) {
  StartPhase("errors");
  CHECK(bloomline_leveldb_filterpolicy_create_with_seed(
            bloomline_format_blocked, 10, "leveldb.BuiltinBloomFilter2", 7, &error) == NULL);
  CheckError(&error, "seed is 7 and name is leveldb.BuiltinBloomFilter2");
  CHECK(bloomline_leveldb_filterpolicy_create(bloomline_format_compact, 2, &error) == NULL);
  CheckError(&error, "bits_per_key is 2; allowed: 3 to 24");
  CHECK(bloomline_leveldb_filterpolicy_create(3, 10, &error) == NULL);
  CheckError(&error, "format is 3; allowed: 0 (classic)");
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  for (int format = 0; format <= 2; ++format) TestDatabase(argv[1], format);
  TestSeeds(argv[1]);
  TestErrors();
  fprintf(stderr, "PASS\n");
  return 0;
}

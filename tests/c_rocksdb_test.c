/* RocksDB through its C bindings, with bloomline by option strings. Usage: c_rocksdb_test DIRECTORY
 */
#include "bloomline/c_rocksdb.h"

#include <dirent.h>
#include <rocksdb/c.h>

#include "tests/c_check.h"

enum { kNumKeys = 20000 };

static char* error = NULL;

static void CheckNoError(void) {
  if (error != NULL) fprintf(stderr, "%s\n", error);
  CHECK(error == NULL);
}

static rocksdb_options_t* Options(const char* filter_policy) {
  char text[200];
  snprintf(text, sizeof(text), "block_based_table_factory={filter_policy=%s}", filter_policy);
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_get_options_from_string(base, text, options, &error);
  CheckNoError();
  rocksdb_options_destroy(base);
  rocksdb_options_set_create_if_missing(options, 1);
  return options;
}

static void KeyOf(int i, char* key) { snprintf(key, 17, "%016d", i); }

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
  char* statistics = rocksdb_options_statistics_get_string(options);
  const char* useful = strstr(statistics, "rocksdb.bloom.filter.useful COUNT : ");
  CHECK(useful != NULL);
  const uint64_t count = strtoull(strchr(useful, ':') + 1, NULL, 10);
  rocksdb_free(statistics);
  return count;
}

/* The number of table files with this text. A table's properties have the name of its policy. */
static int TablesWith(const char* path, const char* text) {
  int tables = 0;
  DIR* const directory = opendir(path);
  CHECK(directory != NULL);
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    if (strstr(entry->d_name, ".sst") == NULL) continue;
    char name[4096];
    snprintf(name, sizeof(name), "%.2000s/%.2000s", path, entry->d_name);
    FILE* const file = fopen(name, "rb");
    CHECK(file != NULL);
    static char bytes[4 << 20];
    const size_t size = fread(bytes, 1, sizeof(bytes), file);
    CHECK(size < sizeof(bytes));
    fclose(file);
    int found = 0;
    for (size_t i = 0; i + strlen(text) <= size; ++i) {
      found |= memcmp(bytes + i, text, strlen(text)) == 0;
    }
    tables += found;
  }
  closedir(directory);
  return tables;
}

static rocksdb_t* Open(const char* path, rocksdb_options_t* options) {
  rocksdb_options_enable_statistics(options);
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CheckNoError();
  return db;
}

static void TestDatabase(const char* directory, const char* name, const char* filter_policy,
                         int is_ours) {
  StartPhase(filter_policy);
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", directory, name);
  rocksdb_options_t* options = Options(filter_policy);
  rocksdb_t* db = Open(path, options);
  rocksdb_writeoptions_t* write_options = rocksdb_writeoptions_create();
  for (int i = 0; i < kNumKeys; i += 2) {
    char key[17];
    KeyOf(i, key);
    rocksdb_put(db, write_options, key, 16, "value", 5, &error);
    CheckNoError();
  }
  rocksdb_writeoptions_destroy(write_options);
  rocksdb_flushoptions_t* flush_options = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush_options, &error);
  CheckNoError();
  rocksdb_flushoptions_destroy(flush_options);
  CHECK(CheckKeys(db, options) > kNumKeys / 2 * 0.9);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  CHECK((TablesWith(path, "bloomline") > 0) == is_ours);
  CHECK(TablesWith(path, "fullfilter.rocksdb.BuiltinBloomFilter") > 0);

  StartPhase("the same database with RocksDB's own filters");
  options = Options("bloomfilter:10");
  db = Open(path, options);
  const uint64_t useful = CheckKeys(db, options);
  CHECK((useful == 0) == is_ours); /* they take ours as "may match" */
  rocksdb_close(db);
  rocksdb_options_destroy(options);

  StartPhase("and with bloomline's");
  options = Options("bloomline:10");
  db = Open(path, options);
  CHECK(CheckKeys(db, options) > kNumKeys / 2 * 0.9);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

/* A canonicalizer that folds case, repeats the key, so that it is longer, and has no form for
   "none". The state counts its destruction. */
static size_t FoldTwice(void* state, const char* key, size_t length, char* buffer,
                        size_t capacity) {
  CHECK(state != NULL);
  if (length == 4 && memcmp(key, "none", 4) == 0) return SIZE_MAX;
  if (2 * length > capacity) return 2 * length;
  for (size_t i = 0; i < 2 * length; ++i) {
    const char c = key[i % length];
    buffer[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return 2 * length;
}
static void CountDestruction(void* state) { ++*(int*)state; }

static int CompareFolded(void* state, const char* a, size_t a_length, const char* b,
                         size_t b_length) {
  (void)state;
  for (size_t i = 0; i < a_length && i < b_length; ++i) {
    const char x = (char)(a[i] >= 'A' && a[i] <= 'Z' ? a[i] - 'A' + 'a' : a[i]);
    const char y = (char)(b[i] >= 'A' && b[i] <= 'Z' ? b[i] - 'A' + 'a' : b[i]);
    if (x != y) return x < y ? -1 : 1;
  }
  return a_length == b_length ? 0 : a_length < b_length ? -1 : 1;
}
static void DestroyNothing(void* state) { (void)state; }
static const char* ComparatorName(void* state) {
  (void)state;
  return "test.IgnoresCase";
}

static void TestCanonicalizer(const char* directory) {
  StartPhase("canonicalizer");
  static int destroyed = 0;
  CHECK(bloomline_rocksdb_register_canonicalizer("not a name", FoldTwice, &destroyed,
                                                 CountDestruction, &error) == 0);
  CHECK(error != NULL && strstr(error, "not a name") != NULL && destroyed == 1);
  rocksdb_free(error);
  error = NULL;
  for (int i = 0; i < 2; ++i) { /* the second takes the place of the first */
    CHECK(bloomline_rocksdb_register_canonicalizer("test.Fold", FoldTwice, &destroyed,
                                                   CountDestruction, &error) == 1);
    CheckNoError();
    CHECK(destroyed == 1 + i);
  }
  char path[4096];
  snprintf(path, sizeof(path), "%s/canonical", directory);
  rocksdb_options_t* options = Options("{id=bloomline;canonicalizer=test.Fold}");
  rocksdb_comparator_t* comparator =
      rocksdb_comparator_create(NULL, DestroyNothing, CompareFolded, ComparatorName);
  rocksdb_options_set_comparator(options, comparator);
  rocksdb_t* db = Open(path, options);
  rocksdb_writeoptions_t* write_options = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* read_options = rocksdb_readoptions_create();
  char key[32];
  for (int i = 0; i < 2000; ++i) {
    snprintf(key, sizeof(key), "Apple%06d", i);
    rocksdb_put(db, write_options, key, strlen(key), "value", 5, &error);
    CheckNoError();
  }
  rocksdb_flushoptions_t* flush_options = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush_options, &error);
  CheckNoError();
  for (int i = 0; i < 2000; ++i) {
    snprintf(key, sizeof(key), "aPPLE%06d", i);
    size_t length = 0;
    char* value = rocksdb_get(db, read_options, key, strlen(key), &length, &error);
    CheckNoError();
    CHECK(value != NULL);
    rocksdb_free(value);
  }
  rocksdb_flushoptions_destroy(flush_options);
  rocksdb_readoptions_destroy(read_options);
  rocksdb_writeoptions_destroy(write_options);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  rocksdb_comparator_destroy(comparator);
  CHECK(TablesWith(path, "test.Fold") > 0);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
#ifndef BLOOMLINE_TEST_PLUGIN /* RocksDB's own build registered it: tests/plugin */
  for (int i = 0; i < 2; ++i) {
    const uint8_t registered = bloomline_rocksdb_register(&error);
    CheckNoError();
    CHECK(registered == 1);
  }
#endif
  TestDatabase(argv[1], "blocked", "bloomline:10", 1);
  TestDatabase(argv[1], "compact", "{id=bloomline;format=compact;bits_per_key=7.5}", 1);
  TestDatabase(argv[1], "by level",
               "{id=bloomline;format=compact;bits_by_level=auto;flush_format=blocked}", 1);
  TestDatabase(argv[1], "stock", "bloomfilter:10", 0);
#ifndef BLOOMLINE_TEST_PLUGIN /* RocksDB's library does not export the function */
  TestCanonicalizer(argv[1]);
#endif
  fprintf(stderr, "PASS\n");
  return 0;
}

/* RocksDB's C functions as the tests of its C bindings call them: a database of even numbers, and
   how many lookups its filters end. */
#ifndef BLOOMLINE_TESTS_BINDINGS_C_ROCKSDB_DATABASE_H_
#define BLOOMLINE_TESTS_BINDINGS_C_ROCKSDB_DATABASE_H_

#include <rocksdb/c.h>

#include "tests/bindings/c_check.h"
#include "tests/bindings/c_engines.h"

static inline rocksdb_options_t* OptionsOf(const char* text) {
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_get_options_from_string(base, text, options, &error);
  CheckNoError();
  rocksdb_options_destroy(base);
  rocksdb_options_set_create_if_missing(options, 1);
  return options;
}

static inline rocksdb_options_t* Options(const char* filter_policy) {
  char text[200];
  snprintf(text, sizeof(text), "block_based_table_factory={filter_policy=%s}", filter_policy);
  return OptionsOf(text);
}

static inline uint64_t Ticker(rocksdb_options_t* options, const char* name) {
  char* statistics = rocksdb_options_statistics_get_string(options);
  const char* line = strstr(statistics, name);
  const uint64_t count = line == NULL ? 0 : strtoull(strchr(line, ':') + 1, NULL, 10);
  rocksdb_free(statistics);
  return count;
}

/* Even numbers are stored. Returns how many of the others the filters kept away from the tables. */
static inline uint64_t CheckKeys(rocksdb_t* db, rocksdb_options_t* options) {
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

static inline rocksdb_t* Open(const char* path, rocksdb_options_t* options) {
  rocksdb_options_enable_statistics(options);
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CheckNoError();
  return db;
}

static inline void Flush(rocksdb_t* db) {
  rocksdb_flushoptions_t* options = rocksdb_flushoptions_create();
  rocksdb_flush(db, options, &error);
  CheckNoError();
  rocksdb_flushoptions_destroy(options);
}

static inline void WriteEvenKeys(rocksdb_t* db) {
  rocksdb_writeoptions_t* write_options = rocksdb_writeoptions_create();
  for (int i = 0; i < kNumKeys; i += 2) {
    char key[17];
    KeyOf(i, key);
    rocksdb_put(db, write_options, key, 16, "value", 5, &error);
    CheckNoError();
  }
  rocksdb_writeoptions_destroy(write_options);
  Flush(db);
}

/* Opens a database with these options and does as CheckKeys; first writes it if `writes`. */
static inline void CheckDatabase(const char* path, rocksdb_options_t* options, int writes) {
  rocksdb_t* db = Open(path, options);
  if (writes) WriteEvenKeys(db);
  CHECK(CheckKeys(db, options) > kNumKeys / 2 * 0.9);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
}

#endif /* BLOOMLINE_TESTS_BINDINGS_C_ROCKSDB_DATABASE_H_ */

/* The block of docs/operating.md: all files of a database get new filters. */
#include <bloomline/c_rocksdb.h>
#include <rocksdb/c.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static char* error = NULL;

/* Ends the program if the last call failed. */
static void Check(void) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", error);
  exit(3);
}

static rocksdb_t* Open(rocksdb_filterpolicy_t* policy) {
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_t* db;
  rocksdb_block_based_options_set_filter_policy(table, policy);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_target_file_size_base(options, 4096);
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  rocksdb_options_set_max_subcompactions(options, 2);
  rocksdb_options_set_ratelimiter(options, rocksdb_ratelimiter_create(100 << 20, 100000, 10));
  db = rocksdb_open(options, "db", &error);
  Check();
  return db;
}

static void Write(rocksdb_t* db, int begin, int end) {
  char key[16];
  int i;
  for (i = begin; i < end; ++i) {
    const int length = snprintf(key, sizeof(key), "%d", i);
    rocksdb_put(db, rocksdb_writeoptions_create(), key, (size_t)length, "value", 5, &error);
    Check();
  }
  rocksdb_flush(db, rocksdb_flushoptions_create(), &error);
  Check();
}

int main(void) {
  /* Files in two levels. Few of the lower level overlap one above. */
  rocksdb_t* db = Open(rocksdb_filterpolicy_create_bloom_full(10));
  Write(db, 1000, 5000);
  Write(db, 1000, 5000);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  Write(db, 2000, 2100);
  Write(db, 6000, 6100);
  rocksdb_close(db);

  rocksdb_filterpolicy_t* policy = bloomline_rocksdb_filterpolicy_create("bloomline:10", &error);
  Check();
  db = Open(policy);
  // BLOCK 1
  rocksdb_close(db);
  return 0;
}

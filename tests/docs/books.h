/* A database with filters, written by the programs of docs/bindings.md (cgo_test). */
#ifndef BLOOMLINE_TESTS_DOCS_BOOKS_H_
#define BLOOMLINE_TESTS_DOCS_BOOKS_H_

#include <rocksdb/c.h>
#include <stdio.h>

/* Writes the database `books` with the table's options. Returns whether it could. */
static int write_books(rocksdb_block_based_table_options_t* table) {
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_block_based_table_factory(options, table);
  char* error = NULL;
  rocksdb_t* const db = rocksdb_open(options, "books", &error);
  if (error == NULL) {
    rocksdb_writeoptions_t* const write = rocksdb_writeoptions_create();
    for (int i = 0; i < 1000 && error == NULL; ++i) {
      char key[16];
      const int length = snprintf(key, sizeof(key), "book %d", i);
      rocksdb_put(db, write, key, (size_t)length, "", 0, &error);
    }
    rocksdb_writeoptions_destroy(write);
  }
  if (error == NULL) {
    rocksdb_flushoptions_t* const flush = rocksdb_flushoptions_create();
    rocksdb_flush(db, flush, &error);
    rocksdb_flushoptions_destroy(flush);
  }
  if (db != NULL) rocksdb_close(db);
  rocksdb_options_destroy(options);
  if (error != NULL) fprintf(stderr, "books: %s\n", error);
  return error == NULL;
}

#endif /* BLOOMLINE_TESTS_DOCS_BOOKS_H_ */

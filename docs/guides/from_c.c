/* From C: builds a filter, saves it and maps the file; opens a LevelDB with bloomline's policy.
   Usage: from_c WORDS SCRATCH_DIR */
#include <bloomline/c.h>
#include <bloomline/c_leveldb.h>
#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int holds, const char* claim) {
  if (holds) return;
  fprintf(stderr, "this does not hold: %s\n", claim);
  exit(1);
}

/* Reads one line. Returns its length without the newline; 0 at the end of the file. */
static size_t read_line(FILE* file, char* line, int size) {
  if (fgets(line, size, file) == NULL) return 0;
  return strcspn(line, "\n");
}

static void save_words(FILE* words, const char* path) {
  char* error = NULL;
  bloomline_bloomoptions_t* options = bloomline_bloomoptions_create();
  require(options != NULL, "there is memory for options");
  bloomline_bloomoptions_set_capacity(options, 120000);
  bloomline_bloomoptions_set_false_positive_rate(options, 0.01);
  bloomline_bloom_t* filter = bloomline_bloom_create(options, &error);
  bloomline_bloomoptions_destroy(options);
  require(filter != NULL, error != NULL ? error : "there is memory for a filter");
  char line[256];
  size_t length;
  while ((length = read_line(words, line, sizeof(line))) != 0) {
    bloomline_bloom_add_key(filter, line, length);
  }
  printf("bloomline %s: about %lu words, FPR %.2f %%\n", bloomline_version(),
         (unsigned long)bloomline_bloom_estimated_num_keys(filter),
         100 * bloomline_bloom_estimated_false_positive_rate(filter));
  require(bloomline_bloom_save(filter, path, &error), error);
  bloomline_bloom_destroy(filter);
}

static void query_mapped(FILE* words, const char* path) {
  char* error = NULL;
  const bloomline_bloom_t* filter = bloomline_bloom_open_mapped(path, 1, &error);
  require(filter != NULL, error);
  char line[256];
  size_t length;
  while ((length = read_line(words, line, sizeof(line))) != 0) {
    require(bloomline_bloom_may_match(filter, line, length), "every word matches");
  }
  bloomline_bloom_destroy(filter);

  require(bloomline_bloom_load("no such file", &error) == NULL, "a missing file is an error");
  printf("an error: %s\n", error);
  bloomline_free(error);
}

static void use_leveldb(const char* path) {
  char* error = NULL;
  leveldb_filterpolicy_t* policy =
      bloomline_leveldb_filterpolicy_create(bloomline_format_compact, 8, &error);
  require(policy != NULL, error);
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  leveldb_options_set_filter_policy(options, policy);
  leveldb_t* db = leveldb_open(options, path, &error);
  require(db != NULL, error);
  leveldb_close(db);
  leveldb_options_destroy(options);
  leveldb_filterpolicy_destroy(policy); /* after the database */
}

int main(int argc, char** argv) {
  char path[4096];
  if (argc != 3) {
    fprintf(stderr, "usage: from_c WORDS SCRATCH_DIR\n");
    return 2;
  }
  FILE* words = fopen(argv[1], "r");
  require(words != NULL, "the list can be read");
  snprintf(path, sizeof(path), "%s/words.bloom", argv[2]);
  save_words(words, path);
  rewind(words);
  query_mapped(words, path);
  fclose(words);
  snprintf(path, sizeof(path), "%s/db", argv[2]);
  use_leveldb(path);
  return 0;
}

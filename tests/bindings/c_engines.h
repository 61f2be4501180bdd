/* What the tests of both engines' C bindings have in common: keys, table files, and a canonicalizer
   with its comparator. */
#ifndef BLOOMLINE_TESTS_BINDINGS_C_ENGINES_H_
#define BLOOMLINE_TESTS_BINDINGS_C_ENGINES_H_

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/bindings/c_check.h"

enum { kNumKeys = 20000 };

static inline void KeyOf(int i, char* key) { snprintf(key, 17, "%016d", i); }

/* The number of files with this ending and this text in a folder. A table names its policy. */
static inline int TablesWith(const char* path, const char* ending, const char* text) {
  int tables = 0;
  DIR* const directory = opendir(path);
  CHECK(directory != NULL);
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    if (strstr(entry->d_name, ending) == NULL) continue;
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

/* A canonicalizer that folds case, repeats the key, so that it is longer, and has no form for
   "none". The state counts its destruction. */
static inline size_t FoldTwice(void* state, const char* key, size_t length, char* buffer,
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
static inline void CountDestruction(void* state) { ++*(int*)state; }

static inline int CompareFolded(void* state, const char* a, size_t a_length, const char* b,
                                size_t b_length) {
  (void)state;
  for (size_t i = 0; i < a_length && i < b_length; ++i) {
    const char x = (char)(a[i] >= 'A' && a[i] <= 'Z' ? a[i] - 'A' + 'a' : a[i]);
    const char y = (char)(b[i] >= 'A' && b[i] <= 'Z' ? b[i] - 'A' + 'a' : b[i]);
    if (x != y) return x < y ? -1 : 1;
  }
  return a_length == b_length ? 0 : a_length < b_length ? -1 : 1;
}
static inline void DestroyNothing(void* state) { (void)state; }
static inline const char* ComparatorName(void* state) {
  (void)state;
  return "test.IgnoresCase";
}

#endif /* BLOOMLINE_TESTS_BINDINGS_C_ENGINES_H_ */

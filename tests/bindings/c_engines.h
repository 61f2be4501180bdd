/* What the tests of both engines' C bindings have in common: keys and table files. */
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

#endif /* BLOOMLINE_TESTS_BINDINGS_C_ENGINES_H_ */

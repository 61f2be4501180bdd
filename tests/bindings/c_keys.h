/* Keys of the tests of filters in C: "key 0", "key 1", ... The first half of them is stored.
   Define kNumKeys before. */
#ifndef BLOOMLINE_TESTS_BINDINGS_C_KEYS_H_
#define BLOOMLINE_TESTS_BINDINGS_C_KEYS_H_

#include <stddef.h>
#include <stdint.h>

#include "tests/bindings/c_check.h"

enum { kNumPresent = kNumKeys / 2 };

static char keys_of_text[kNumKeys][16];
static const char* keys[kNumKeys];
static size_t lengths[kNumKeys];

static void MakeKeys(void) {
  for (int i = 0; i < kNumKeys; ++i) {
    lengths[i] = (size_t)snprintf(keys_of_text[i], sizeof(keys_of_text[i]), "key %d", i);
    keys[i] = keys_of_text[i];
  }
}

/* All stored keys match, and few others. */
static inline void CheckFound(const uint8_t* found) {
  int false_positives = 0;
  for (int i = 0; i < kNumKeys; ++i) {
    if (i < kNumPresent) CHECK(found[i]);
    if (i >= kNumPresent) false_positives += found[i];
  }
  CHECK(false_positives < kNumPresent / 20);
}

#endif /* BLOOMLINE_TESTS_BINDINGS_C_KEYS_H_ */

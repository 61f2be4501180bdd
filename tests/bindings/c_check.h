/* Assertions of tests in C. */
#ifndef BLOOMLINE_TESTS_BINDINGS_C_CHECK_H_
#define BLOOMLINE_TESTS_BINDINGS_C_CHECK_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* c_check_phase = "";

static void StartPhase(const char* name) {
  fprintf(stderr, "== %s\n", name);
  c_check_phase = name;
}

#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, c_check_phase, #condition); \
      abort();                                                                           \
    }                                                                                    \
  } while (0)

/* *errptr holds a message with this text; frees it. */
static inline void CheckError(char** errptr, const char* text) {
  CHECK(*errptr != NULL);
  if (strstr(*errptr, text) == NULL) fprintf(stderr, "not in the message: %s\n", *errptr);
  CHECK(strstr(*errptr, text) != NULL);
  free(*errptr);
  *errptr = NULL;
}

#endif /* BLOOMLINE_TESTS_BINDINGS_C_CHECK_H_ */

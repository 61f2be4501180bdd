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

/* What every call of a test gets for its errors. */
static char* error = NULL;

/* `error` holds a message with this text; frees it. */
static inline void CheckError(const char* text) {
  CHECK(error != NULL);
  if (strstr(error, text) == NULL) fprintf(stderr, "not in the message: %s\n", error);
  CHECK(strstr(error, text) != NULL);
  free(error);
  error = NULL;
}

/* The call, whose last argument is &error, fails with this text. */
#define CHECK_REFUSED(call, text) \
  do {                            \
    CHECK(!(call));               \
    CheckError(text);             \
  } while (0)

/* No call has failed since the last CheckError. */
static inline void CheckNoError(void) {
  if (error != NULL) fprintf(stderr, "error: %s\n", error);
  CHECK(error == NULL);
}

/* The path of this file of a folder; valid until the next call. */
static inline const char* PathIn(const char* directory, const char* name) {
  static char path[4096];
  snprintf(path, sizeof(path), "%s/%s", directory, name);
  return path;
}

#endif /* BLOOMLINE_TESTS_BINDINGS_C_CHECK_H_ */

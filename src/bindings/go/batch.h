/* What Go includes. Calls for many keys: C may not get Go's pointers to keys inside an array, so Go
   copies the keys of a batch one behind the other, and these functions make the array. */
#ifndef BLOOMLINE_BINDINGS_GO_BATCH_H_
#define BLOOMLINE_BINDINGS_GO_BATCH_H_

#include <bloomline/c.h>
#include <stdlib.h>
#include <string.h>

/* Bodies for the types, because cgo checks pointers to types that it does not know at each call,
   and allocates memory for that: a query then took 70 instead of 46 ns. Nothing reads them. */
struct bloomline_bloom_t {
  char opaque;
};
struct bloomline_builder_t {
  char opaque;
};
struct bloomline_view_t {
  char opaque;
};

enum { batch_keys = 256 };

static inline void batch_pointers(size_t num_keys, const char* data, const size_t* lengths,
                                  const char** keys) {
  for (size_t i = 0; i < num_keys; ++i) {
    keys[i] = data;
    data += lengths[i];
  }
}

#define BATCH_MAY_MATCH_KEYS(TYPE)                                                              \
  static inline void batch_##TYPE##_may_match_keys(const bloomline_##TYPE##_t* object,          \
                                                   size_t num_keys, const char* data,           \
                                                   const size_t* lengths, uint8_t* may_match) { \
    const char* keys[batch_keys];                                                               \
    batch_pointers(num_keys, data, lengths, keys);                                              \
    bloomline_##TYPE##_may_match_keys(object, num_keys, keys, lengths, may_match);              \
  }
BATCH_MAY_MATCH_KEYS(bloom)
BATCH_MAY_MATCH_KEYS(view)

static inline size_t batch_bloom_add_keys(bloomline_bloom_t* filter, size_t num_keys,
                                          const char* data, const size_t* lengths) {
  const char* keys[batch_keys];
  batch_pointers(num_keys, data, lengths, keys);
  return bloomline_bloom_add_keys(filter, num_keys, keys, lengths, NULL);
}

static inline void batch_builder_add_keys(bloomline_builder_t* builder, size_t num_keys,
                                          const char* data, const size_t* lengths) {
  const char* keys[batch_keys];
  batch_pointers(num_keys, data, lengths, keys);
  bloomline_builder_add_keys(builder, num_keys, keys, lengths);
}

/* A copy whose 64-byte blocks lie in one cache line each. NULL: out of memory. */
static inline char* aligned_copy(const char* data, size_t length) {
  char* const copy = (char*)aligned_alloc(64, (length / 64 + 1) * 64);
  if (copy != NULL && length > 0) memcpy(copy, data, length);
  return copy;
}

#endif /* BLOOMLINE_BINDINGS_GO_BATCH_H_ */

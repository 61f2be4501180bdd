// Converts the arguments and results of C functions to those of the library and back, and defines
// the parts that many types of c.h share.
#ifndef BLOOMLINE_BINDINGS_C_CONVERT_H_
#define BLOOMLINE_BINDINGS_C_CONVERT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "src/support/c_error.h"
#include "src/support/set_error.h"

namespace bloomline::c {

inline std::string_view Key(const char* key, size_t length) { return {key, length}; }

constexpr size_t kBatchKeys = 256;

// Calls f(count, keys, answers) for batches of all keys, without allocating memory, and stores the
// answers unless `to` is null.
template <typename Answer = bool, size_t batch_keys = kBatchKeys, typename To, typename F>
void AnswerEachBatch(size_t num_keys, const char* const* keys, const size_t* key_lengths, To* to,
                     F f) {
  std::string_view batch[batch_keys];
  Answer answers[batch_keys];
  for (size_t start = 0; start < num_keys; start += batch_keys) {
    const size_t count = std::min(batch_keys, num_keys - start);
    for (size_t i = 0; i < count; ++i) batch[i] = Key(keys[start + i], key_lengths[start + i]);
    f(count, batch, answers);
    for (size_t i = 0; to != nullptr && i < count; ++i) to[start + i] = static_cast<To>(answers[i]);
  }
}

using support::OrSetError;

// The base of the C types that are handles of a filter, with what they own.
template <typename Filter>
struct Handle {
  std::unique_ptr<Filter> filter;
  const Filter& view() const { return *filter; }
};

// Returns a handle of the filter that make(&error) returns. Returns null, with *errptr, if make
// returns null or memory runs out.
template <typename Type, typename Make>
Type* MakeHandle(char** errptr, Make make) {
  return OrSetError(errptr, [&](std::string* error) -> Type* {
    auto made = make(error);
    return made == nullptr ? nullptr : new Type{{std::move(made)}};
  });
}

// Returns a malloc()ed copy of the bytes that to_bytes(&bytes, &error) gives, and its length.
// Returns null, with *length = 0 and *errptr, if to_bytes fails or memory runs out.
template <typename ToBytes>
char* MallocedBytes(size_t* length, char** errptr, ToBytes to_bytes) {
  *length = 0;
  return OrSetError(errptr, [&](std::string* error) -> char* {
    std::string bytes;
    if (!to_bytes(&bytes, error)) return nullptr;
    char* const copy = static_cast<char*>(std::malloc(bytes.size()));
    if (copy == nullptr) return nullptr;
    bytes.copy(copy, bytes.size());
    *length = bytes.size();
    return copy;
  });
}

}  // namespace bloomline::c

// Defines bloomline_NAME_t, which holds OPTIONS, and its functions except the setters.
#define BLOOMLINE_C_OPTIONS(NAME, OPTIONS)                                               \
  struct bloomline_##NAME##_t {                                                          \
    OPTIONS options;                                                                     \
  };                                                                                     \
  bloomline_##NAME##_t* bloomline_##NAME##_create() {                                    \
    return bloomline::support::OrIfItThrows(static_cast<bloomline_##NAME##_t*>(nullptr), \
                                            [] { return new bloomline_##NAME##_t; });    \
  }                                                                                      \
  void bloomline_##NAME##_destroy(bloomline_##NAME##_t* options) { delete options; }

#define BLOOMLINE_C_SETTER(NAME, FIELD, TYPE)                                      \
  void bloomline_##NAME##_set_##FIELD(bloomline_##NAME##_t* options, TYPE value) { \
    options->options.FIELD = static_cast<decltype(options->options.FIELD)>(value); \
  }

// Defines bloomline_NAME_FIGURE, which calls FUNCTION() of the handle's view().
#define BLOOMLINE_C_FIGURE(NAME, TYPE, FIGURE, FUNCTION)                 \
  TYPE bloomline_##NAME##_##FIGURE(const bloomline_##NAME##_t* handle) { \
    return static_cast<TYPE>(handle->view().FUNCTION());                 \
  }

// Defines bloomline_NAME_FUNCTION for one key, which changes nothing.
#define BLOOMLINE_C_QUERY(NAME, TYPE, FUNCTION, CPP_FUNCTION)                             \
  TYPE bloomline_##NAME##_##FUNCTION(const bloomline_##NAME##_t* handle, const char* key, \
                                     size_t key_length) {                                 \
    return handle->view().CPP_FUNCTION(bloomline::c::Key(key, key_length));               \
  }

// Defines the queries of one key and of many.
#define BLOOMLINE_C_QUERIES(NAME)                                                             \
  BLOOMLINE_C_QUERY(NAME, uint8_t, may_match, MayMatch)                                       \
  void bloomline_##NAME##_may_match_keys(const bloomline_##NAME##_t* handle, size_t num_keys, \
                                         const char* const* keys, const size_t* key_lengths,  \
                                         uint8_t* may_match) {                                \
    bloomline::c::AnswerEachBatch(                                                            \
        num_keys, keys, key_lengths, may_match,                                               \
        [&](size_t count, const std::string_view* batch, bool* answers) {                     \
          handle->view().MayMatch(count, batch, answers);                                     \
        });                                                                                   \
  }

#define BLOOMLINE_C_MAY_MATCH_HASH(NAME)                                                         \
  uint8_t bloomline_##NAME##_may_match_hash(const bloomline_##NAME##_t* handle, uint64_t hash) { \
    return handle->view().MayMatchHash(hash);                                                    \
  }

#endif  // BLOOMLINE_BINDINGS_C_CONVERT_H_

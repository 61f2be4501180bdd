// Converts the arguments and results of C functions to those of the library and back.
#ifndef BLOOMLINE_BINDINGS_C_CONVERT_H_
#define BLOOMLINE_BINDINGS_C_CONVERT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "src/support/c_error.h"

namespace bloomline::c {

inline std::string_view Key(const char* key, size_t length) { return {key, length}; }

constexpr size_t kBatchKeys = 256;

// Calls f(count, keys, answers) for all keys in batches, without allocating, and stores the answers
// unless `answers` is null.
template <typename F>
void AnswerEachBatch(size_t num_keys, const char* const* keys, const size_t* key_lengths,
                     uint8_t* answers, F f) {
  std::string_view batch[kBatchKeys];
  bool batch_answers[kBatchKeys];
  for (size_t start = 0; start < num_keys; start += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, num_keys - start);
    for (size_t i = 0; i < count; ++i) batch[i] = Key(keys[start + i], key_lengths[start + i]);
    f(count, batch, batch_answers);
    if (answers != nullptr) std::copy(batch_answers, batch_answers + count, answers + start);
  }
}

using support::OrSetError;

// A handle, which begins with a std::unique_ptr, of what make(&error) gives. Null, with *errptr, if
// that is null or there is no memory.
template <typename Handle, typename Make>
Handle* MakeHandle(char** errptr, Make make) {
  return OrSetError(errptr, [&](std::string* error) -> Handle* {
    auto made = make(error);
    return made == nullptr ? nullptr : new Handle{std::move(made)};
  });
}

// A handle of the filter in a file.
template <typename Handle, typename Filter>
Handle* LoadHandle(const char* path, char** errptr) {
  return MakeHandle<Handle>(errptr, [=](std::string* error) {
    return support::IsNullText(path, "path", error) ? nullptr : Filter::Load(path, error);
  });
}

template <typename Filter>
bool SaveTo(const char* path, const Filter& filter, char** errptr) {
  return OrSetError(errptr, [&](std::string* error) {
    return !support::IsNullText(path, "path", error) && filter.Save(path, error);
  });
}

// A malloc()ed copy of the bytes that to_bytes(&bytes, &error) gives, and its length. Null, with
// *length = 0 and *errptr, if that fails or there is no memory.
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

#endif  // BLOOMLINE_BINDINGS_C_CONVERT_H_

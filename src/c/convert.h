// Between C's arguments and the library's.
#ifndef BLOOMLINE_C_CONVERT_H_
#define BLOOMLINE_C_CONVERT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bloomline::c {

inline std::string_view Key(const char* key, size_t length) { return {key, length}; }

constexpr size_t kBatchKeys = 256;

// Calls f(start, count, keys of the batch) over all keys, without allocating.
template <typename F>
void ForEachBatch(size_t num_keys, const char* const* keys, const size_t* key_lengths, F f) {
  std::string_view batch[kBatchKeys];
  for (size_t start = 0; start < num_keys; start += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, num_keys - start);
    for (size_t i = 0; i < count; ++i) batch[i] = Key(keys[start + i], key_lengths[start + i]);
    f(start, count, batch);
  }
}

// The same where f also answers with a bool per key: f(count, keys, answers).
template <typename F>
void AnswerEachBatch(size_t num_keys, const char* const* keys, const size_t* key_lengths,
                     uint8_t* answers, F f) {
  ForEachBatch(num_keys, keys, key_lengths,
               [&](size_t start, size_t count, const std::string_view* batch) {
                 bool batch_answers[kBatchKeys];
                 f(count, batch, batch_answers);
                 std::copy(batch_answers, batch_answers + count, answers + start);
               });
}

}  // namespace bloomline::c

#endif  // BLOOMLINE_C_CONVERT_H_

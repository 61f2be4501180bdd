// Canonicalizers from C: include/bloomline/c_leveldb.h and c_rocksdb.h.
#ifndef BLOOMLINE_FILTER_KEYS_CALLBACK_CANONICALIZER_H_
#define BLOOMLINE_FILTER_KEYS_CALLBACK_CANONICALIZER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/key_canonicalizer.h"

namespace bloomline::filter {

// What a C function was given together with its state.
struct CanonicalizeCallback {
  using Function = size_t (*)(void* state, const char* key, size_t key_length, char* buffer,
                              size_t buffer_length);
  Function function;
  void* state;
  void (*destructor)(void* state);  // may be null
};

// Owns a callback's state from the start, so that it is destroyed once whatever fails.
class OwnedCallback {
 public:
  explicit OwnedCallback(const CanonicalizeCallback& callback) : callback_(callback) {}
  OwnedCallback(OwnedCallback&& other) noexcept
      : callback_(std::exchange(other.callback_, CanonicalizeCallback())) {}
  OwnedCallback& operator=(OwnedCallback&&) = delete;
  ~OwnedCallback() {
    if (callback_.destructor != nullptr) callback_.destructor(callback_.state);
  }

  size_t operator()(std::string_view key, char* buffer, size_t size) const {
    return callback_.function(callback_.state, key.data(), key.size(), buffer, size);
  }

 private:
  CanonicalizeCallback callback_;
};

class CallbackCanonicalizer final : public KeyCanonicalizer {
 public:
  // `name` may be null: then it is one that is not allowed.
  CallbackCanonicalizer(const char* name, OwnedCallback callback)
      : name_(name == nullptr ? "" : name), callback_(std::move(callback)) {}

  const char* Name() const override { return name_.c_str(); }

  std::string_view Canonicalize(std::string_view key, CanonicalKeyBuffer* buffer) const override {
    // Most canonical forms are not longer than the key.
    size_t size = std::max<size_t>(key.size(), 1);
    char* bytes = buffer->Bytes(size);
    size_t needed = callback_(key, bytes, size);
    if (needed > size && needed != SIZE_MAX) {
      size = needed;
      bytes = buffer->Bytes(size);
      needed = callback_(key, bytes, size);
    }
    if (needed > size) throw NoForm();  // or it breaks its promise
    return {bytes, needed};
  }

 private:
  struct NoForm {};  // not bad_alloc, whose message would be wrong

  const std::string name_;
  const OwnedCallback callback_;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_KEYS_CALLBACK_CANONICALIZER_H_

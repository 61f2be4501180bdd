// Canonicalizers as the adaptors hold and call them: docs/format.md, section 5.
#ifndef BLOOMLINE_FILTER_KEYS_CANONICAL_KEYS_H_
#define BLOOMLINE_FILTER_KEYS_CANONICAL_KEYS_H_

#include <exception>
#include <new>
#include <string_view>

#include "bloomline/key_canonicalizer.h"
#include "src/support/error_text.h"
#include "src/support/out_of_memory.h"

namespace bloomline::filter {

constexpr size_t kMaxCanonicalizerNameBytes = 64;

bool IsCanonicalizerName(std::string_view name);

// Appends what is wrong with a canonicalizer's name, which may be null.
void CheckCanonicalizerName(const char* name, support::ErrorText* error);

// A key's canonical form, or the reason why there is none. Points into its buffer or the key.
class CanonicalKey {
 public:
  // Catches everything, as the engines' code must see no exception.
  void Set(const KeyCanonicalizer& canonicalizer, std::string_view key) noexcept {
    try {
      bytes_ = canonicalizer.Canonicalize(key, &buffer_);
      error_ = {};
    } catch (const std::bad_alloc&) {
      error_ = support::kOutOfMemory;
    } catch (...) {
      error_ = "the key canonicalizer has no form of a key";
    }
  }

  // Static text; empty if there is a canonical form.
  std::string_view error() const { return error_; }
  bool is_known() const { return error_.empty(); }
  std::string_view bytes() const { return bytes_; }

 private:
  CanonicalKeyBuffer buffer_;
  std::string_view bytes_;
  std::string_view error_;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_KEYS_CANONICAL_KEYS_H_

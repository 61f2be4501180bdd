#include "src/filter/keys/canonical_keys.h"

#include <algorithm>

namespace bloomline {

char* CanonicalKeyBuffer::HeapBytes(size_t size) {
  if (size > heap_size_) {
    heap_size_ = 0;
    heap_.reset();  // first, so that both need not fit
    heap_.reset(new char[size]);
    heap_size_ = size;
  }
  return heap_.get();
}

namespace filter {
namespace {

bool IsAllowedInName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

bool IsCanonicalizerName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxCanonicalizerNameBytes &&
         std::all_of(name.begin(), name.end(), IsAllowedInName);
}

void CheckCanonicalizerName(const char* name, support::ErrorText* error) {
  const std::string_view text = name == nullptr ? std::string_view() : name;
  if (IsCanonicalizerName(text)) return;
  *error << "the canonicalizer's name is '" << text.substr(0, kMaxCanonicalizerNameBytes)
         << (text.size() > kMaxCanonicalizerNameBytes ? "..." : "") << "'; allowed: 1 to "
         << kMaxCanonicalizerNameBytes << " letters, digits, '.', '_' and '-' of ASCII";
}

}  // namespace filter
}  // namespace bloomline

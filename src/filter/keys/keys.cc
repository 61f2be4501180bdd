#include "bloomline/keys.h"

#include <functional>

namespace bloomline {
namespace {

bool IsWithin(std::string_view bytes, const std::string& key) {
  const std::less_equal<const char*> not_after;
  return !bytes.empty() && not_after(key.data(), bytes.data()) &&
         not_after(bytes.data(), key.data() + key.size());
}

}  // namespace

void EncodeKey(std::initializer_list<KeyPart> parts, std::string* key) {
  size_t num_bytes = parts.size() * filter::kIntegerKeyBytes;
  bool has_key_itself = false;  // as in EncodeKey({key, 7}, &key)
  for (const KeyPart& part : parts) {
    num_bytes += part.bytes().size();
    has_key_itself |= IsWithin(part.bytes(), *key);
  }
  std::string other;
  std::string* const encoded = has_key_itself ? &other : key;
  encoded->reserve(num_bytes);
  encoded->clear();
  for (const KeyPart& part : parts) {
    char number[filter::kIntegerKeyBytes];
    filter::EncodeInteger(part.is_integer() ? part.number() : part.bytes().size(), number);
    encoded->append(number, sizeof(number)).append(part.bytes());
  }
  if (has_key_itself) key->swap(other);
}

}  // namespace bloomline

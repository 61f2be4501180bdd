// Keys that are not strings: integers and compound keys, in an encoding that never changes
// (docs/format.md, section 11), and containers of keys.
//
//   filter->AddKey(bloomline::KeyOf(user_id, day));
//   bloomline::EncodeKey({user_id, "inbox", message_id}, &key);
//   filter->AddKeys(ids);  // std::vector<uint32_t>: KeyOf(ids[0]), KeyOf(ids[1]), ...
//
// An integer of any type is 8 bytes, little-endian, in two's complement: int 5 and uint64_t 5 are
// the same key, and so are -1 and 2^64 - 1. `double`, `bool` and `char` are refused.
//
// A container or array of keys holds integers, or elements that convert to std::string_view, which
// are not copied. Strings made on the fly are added one at a time.
#ifndef BLOOMLINE_KEYS_H_
#define BLOOMLINE_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bloomline/cpp17.h"

namespace bloomline {

namespace filter {

template <typename T>
inline constexpr bool kIsOneOfCharacters =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char16_t> ||
    std::is_same_v<T, char32_t>
#ifdef __cpp_char8_t
    || std::is_same_v<T, char8_t>
#endif
    ;

template <typename T>
inline constexpr bool kIsKeyInteger = std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                      !kIsOneOfCharacters<T> && sizeof(T) <= sizeof(uint64_t);

constexpr size_t kIntegerKeyBytes = 8;

// Without a loop, compilers emit a single store.
template <size_t... i>
constexpr void EncodeInteger(uint64_t value, char* bytes, std::index_sequence<i...>) {
  ((bytes[i] = static_cast<char>(value >> (8 * i) & 0xFF)), ...);
}
constexpr void EncodeInteger(uint64_t value, char* bytes) {
  EncodeInteger(value, bytes, std::make_index_sequence<kIntegerKeyBytes>());
}

}  // namespace filter

// The bytes of n integers as one key. The std::string_view that it converts to is valid as long as
// this object.
template <size_t n>
class IntegerKey {
 public:
  constexpr operator std::string_view() const { return {bytes_, sizeof(bytes_)}; }

 private:
  template <typename... Integers>
  friend constexpr IntegerKey<sizeof...(Integers)> KeyOf(Integers... values);
  constexpr IntegerKey() = default;

  char bytes_[n * filter::kIntegerKeyBytes] = {};
};

template <typename... Integers>
constexpr IntegerKey<sizeof...(Integers)> KeyOf(Integers... values) {
  static_assert(sizeof...(Integers) > 0, "a key of no integers");
  static_assert((filter::kIsKeyInteger<Integers> && ...),
                "not an integer of up to 64 bits: strings go to AddKey or EncodeKey; "
                "bool, characters and floating-point numbers have no encoding as keys");
  IntegerKey<sizeof...(Integers)> key;
  size_t offset = 0;
  ((filter::EncodeInteger(static_cast<uint64_t>(values), key.bytes_ + offset),
    offset += filter::kIntegerKeyBytes),
   ...);
  return key;
}

// A part of a compound key: an integer, or a string of any bytes, which must outlive the part.
class KeyPart {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr KeyPart(T value) : number_(static_cast<uint64_t>(value)), is_integer_(true) {
    static_assert(filter::kIsKeyInteger<T>,
                  "bool, characters and floating-point numbers have no encoding as keys");
  }
  constexpr KeyPart(std::string_view bytes) : bytes_(bytes) {}
  constexpr KeyPart(const char* bytes) : bytes_(bytes) {}
  KeyPart(const std::string& bytes) : bytes_(bytes) {}
  KeyPart(std::nullptr_t) = delete;

  constexpr bool is_integer() const { return is_integer_; }
  constexpr uint64_t number() const { return number_; }        // if is_integer()
  constexpr std::string_view bytes() const { return bytes_; }  // if not

 private:
  std::string_view bytes_;
  uint64_t number_ = 0;
  bool is_integer_ = false;
};

// Sets *key to all parts: an integer is 8 bytes; a string is its length in 8 bytes, then its bytes.
// Parts of the same types give equal keys only if all are equal. If a filter has keys of several
// types, begin each with an integer that names its type.
void EncodeKey(std::initializer_list<KeyPart> parts, std::string* key);

namespace filter {

template <typename Reference>
inline constexpr bool kIsKeyReference =
    kIsKeyInteger<std::decay_t<Reference>> || std::is_convertible_v<Reference, std::string_view>;

template <typename Iterator, typename = void>
inline constexpr bool kIsMultiPass = false;
template <typename Iterator>
inline constexpr bool kIsMultiPass<
    Iterator, std::void_t<typename std::iterator_traits<Iterator>::iterator_category>> =
    std::is_convertible_v<typename std::iterator_traits<Iterator>::iterator_category,
                          std::forward_iterator_tag>;

// Whether a view of the element stays valid when the iterator moves.
template <typename Iterator>
inline constexpr bool kStays =
    kIsMultiPass<Iterator> &&
    (std::is_lvalue_reference_v<decltype(*std::declval<Iterator&>())> ||
     std::is_same_v<decltype(*std::declval<Iterator&>()), std::string_view> ||
     std::is_pointer_v<decltype(*std::declval<Iterator&>())>);

template <typename Keys>
using IfKeys =
    std::enable_if_t<kIsKeyReference<decltype(*std::begin(std::declval<const Keys&>()))> &&
                     !std::is_convertible_v<const Keys&, std::string_view>>;

template <typename Keys, typename = void>
inline constexpr bool kIsViews = false;
template <typename Keys>
inline constexpr bool
    kIsViews<Keys, std::enable_if_t<std::is_same_v<decltype(std::data(std::declval<const Keys&>())),
                                                   const std::string_view*>>> = true;

// Calls run(first, n, keys) for all elements in order. Passes an array of std::string_view as it
// is, strings made on the fly one by one, and all others in groups.
template <size_t max_keys = 256, typename Keys, typename Run>
void ForEachKeyGroup(const Keys& keys, Run run) {
  if constexpr (kIsViews<Keys>) {
    if (std::size(keys) > 0) run(size_t{0}, std::size(keys), std::data(keys));
    return;
  }
  using Reference = decltype(*std::begin(keys));
  constexpr bool kIsInteger = kIsKeyInteger<std::decay_t<Reference>>;
  constexpr size_t kMaxKeys = kIsInteger || kStays<decltype(std::begin(keys))> ? max_keys : 1;
  std::string_view group[kMaxKeys];
  [[maybe_unused]] char integers[kIsInteger ? kMaxKeys * kIntegerKeyBytes : 1];
  size_t first = 0;
  size_t n = 0;
  for (auto&& key : keys) {
    if constexpr (kIsInteger) {
      char* const bytes = integers + n * kIntegerKeyBytes;
      EncodeInteger(static_cast<uint64_t>(key), bytes);
      group[n] = {bytes, kIntegerKeyBytes};
    } else {
      group[n] = key;
    }
    if (++n < kMaxKeys) continue;
    run(first, n, static_cast<const std::string_view*>(group));
    first += n;
    n = 0;
  }
  if (n > 0) run(first, n, static_cast<const std::string_view*>(group));
}

template <typename Keys, typename Run>
size_t SumOverKeys(const Keys& keys, bool* answers, Run run) {
  size_t sum = 0;
  ForEachKeyGroup(keys, [&](size_t first, size_t n, const std::string_view* group) {
    sum += run(n, group, answers == nullptr ? nullptr : answers + first);
  });
  return sum;
}

template <typename Filter>
class QueriesContainers {
 public:
  template <typename Keys, typename = IfKeys<Keys>>
  void MayMatch(const Keys& keys, bool* may_match) const {
    ForEachKeyGroup(keys, [&](size_t first, size_t n, const std::string_view* group) {
      static_cast<const Filter*>(this)->MayMatch(n, group, may_match + first);
    });
  }
};

template <typename Filter>
class AddsContainers {
 public:
  template <typename Keys, typename = IfKeys<Keys>>
  size_t AddKeys(const Keys& keys, bool* changed = nullptr) {
    return SumOverKeys(keys, changed, [&](size_t n, const std::string_view* group, bool* answers) {
      return static_cast<Filter*>(this)->AddKeys(n, group, answers);
    });
  }
  template <typename Key, typename = IfKeys<std::initializer_list<Key>>>
  size_t AddKeys(std::initializer_list<Key> keys, bool* changed = nullptr) {
    return AddKeys<std::initializer_list<Key>>(keys, changed);
  }
};

}  // namespace filter
}  // namespace bloomline

#endif  // BLOOMLINE_KEYS_H_

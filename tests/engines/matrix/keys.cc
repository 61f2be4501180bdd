#include "tests/engines/matrix/keys.h"

#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>

namespace bloomline::matrix {
namespace {

using Extractor = std::shared_ptr<const rocksdb::SliceTransform>;

constexpr size_t kLongerPrefixBytes = 6;

// Keys of a table that has prefixes beside those of one that has not.
class DomainTransform : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "bloomline.matrix.domain"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), kPrefixBytes};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return key.size() >= kPrefixBytes && (key[0] & 3) != 1;
  }
};

Extractor Fixed(size_t bytes) { return Extractor(rocksdb::NewFixedPrefixTransform(bytes)); }

}  // namespace

Extractor FirstExtractor(Prefix prefix) {
  switch (prefix) {
    case Prefix::kNone:
    case Prefix::kNoneToFixed:
      return nullptr;
    case Prefix::kFixed:
    case Prefix::kFixedToFixed:
    case Prefix::kFixedToNone:
      return Fixed(kPrefixBytes);
    case Prefix::kCapped:
    case Prefix::kCappedToFixed:
      return Extractor(rocksdb::NewCappedPrefixTransform(kPrefixBytes));
    case Prefix::kNoop:
      return Extractor(rocksdb::NewNoopTransform());
    case Prefix::kDomain:
      return std::make_shared<DomainTransform>();
  }
  return nullptr;
}

Extractor LaterExtractor(Prefix prefix) {
  switch (prefix) {
    case Prefix::kFixedToFixed:
      return Fixed(kLongerPrefixBytes);
    case Prefix::kCappedToFixed:
    case Prefix::kNoneToFixed:
      return Fixed(kPrefixBytes);
    case Prefix::kFixedToNone:
      return nullptr;
    default:
      return FirstExtractor(prefix);
  }
}

namespace {

constexpr size_t kPadding = 24;

std::string Letters(Random* random, size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += static_cast<char>('a' + random->Below(26));
  return text;
}

std::string Digits(Random* random, size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += static_cast<char>('0' + random->Below(10));
  return text;
}

// Few letters, so that keys share beginnings; bytes that sort first and last.
std::string Bytes(Random* random, size_t n) {
  constexpr char kBytes[] = {'\0', '\xff', 'a', 'b', 'c'};
  std::string text;
  for (size_t i = 0; i < n; ++i) text += random->Of(kBytes);
  return text;
}

// Adds the keys of one prefix.
void AddGroup(KeySet keys, size_t n, Random* random, std::vector<std::string>* out) {
  const std::string prefix = Letters(random, kPrefixBytes);
  switch (keys) {
    case KeySet::kMany:
      for (size_t i = 0; i < n / 32; ++i) out->push_back(prefix + Digits(random, 6));
      return;
    case KeySet::kSingle:
      for (size_t i = random->OneIn(5) ? 2 : 1; i > 0; --i) {
        out->push_back(prefix + Digits(random, 4));
      }
      return;
    case KeySet::kNested:
    case KeySet::kReverse:
      out->push_back(prefix);
      for (size_t i = random->Below(4); i > 0; --i) out->push_back(prefix + Digits(random, 1));
      for (size_t i = random->Below(4); i > 0; --i) {
        const std::string longer = prefix + Digits(random, 2);  // the prefix of 6 bytes
        out->push_back(longer);
        out->push_back(longer + Digits(random, 3));
      }
      return;
    case KeySet::kMixed:
      out->push_back(Bytes(random, random->Below(10)));
      if (random->OneIn(4)) out->push_back(Bytes(random, 10 + random->Below(40)));
      if (random->OneIn(20)) out->push_back(Bytes(random, 100 + random->Below(200)));
      return;
  }
}

}  // namespace

const rocksdb::Comparator* ComparatorOf(KeySet keys) {
  return keys == KeySet::kReverse ? rocksdb::ReverseBytewiseComparator()
                                  : rocksdb::BytewiseComparator();
}

Universe::Universe(KeySet key_set, size_t n, Random* random) {
  std::vector<std::string> some;
  if (key_set == KeySet::kMixed) some.push_back("");
  while (some.size() < n) AddGroup(key_set, n, random, &some);
  const rocksdb::Comparator* const comparator = ComparatorOf(key_set);
  const auto less = [=](const std::string& a, const std::string& b) {
    return comparator->Compare(a, b) < 0;
  };
  std::map<std::string, bool, decltype(less)> sorted(less);
  std::map<std::string, bool> is_missing;
  for (const std::string& key : some) {
    const std::string prefix = key.substr(0, kPrefixBytes);
    const auto missing = is_missing.emplace(prefix, is_missing.size() % 5 == 2);
    sorted[key] = !missing.first->second && !random->OneIn(4);
    // Before and behind all keys of the prefix, or a key already.
    sorted.emplace(prefix, false);
    sorted.emplace(prefix + "\xff\xff", false);
  }
  for (const auto& [key, writable] : sorted) {
    const auto missing = is_missing.find(key.substr(0, kPrefixBytes));
    if (missing != is_missing.end() && missing->second) missing_prefixes.push_back(keys.size());
    keys.push_back(key);
    is_writable.push_back(writable);
  }
}

std::vector<size_t> Model::Present() const {
  std::vector<size_t> present;
  for (size_t i = 0; i < versions_.size(); ++i) {
    if (versions_[i] != 0) present.push_back(i);
  }
  return present;
}

std::string ValueOf(Version version) {
  std::string value(sizeof(version), '\0');
  std::memcpy(value.data(), &version, sizeof(version));
  return value.append(version % kPadding, 'v');
}

bool IsValueOf(Version version, std::string_view value) {
  return value.size() == sizeof(version) + version % kPadding &&
         std::memcmp(value.data(), &version, sizeof(version)) == 0;
}

std::string Printable(std::string_view key) {
  if (key.empty()) return "(empty)";
  std::string text;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      text += c;
    } else {
      char hex[8];
      std::snprintf(hex, sizeof(hex), "\\x%02x", byte);
      text += hex;
    }
  }
  return text;
}

}  // namespace bloomline::matrix

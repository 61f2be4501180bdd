#include "tests/rocksdb_matrix/prefixes.h"

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

}  // namespace bloomline::matrix

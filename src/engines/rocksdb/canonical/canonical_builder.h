// The builder of a policy with a canonicalizer.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_CANONICAL_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_CANONICAL_BUILDER_H_

#include "src/engines/rocksdb/bits_builder.h"
#include "src/engines/rocksdb/canonical/named_canonicalizer.h"
#include "src/filter/keys/canonical_keys.h"

namespace bloomline {

// Adds canonical forms, of prefixes too. Where one is missing, the filter matches everything.
class CanonicalBitsBuilder : public RocksDBBitsBuilder {
 public:
  // The canonicalizer must be known. Otherwise as RocksDBBitsBuilder.
  CanonicalBitsBuilder(const FilterOptions& options, bool verify, ROCKSDB_NAMESPACE::Logger* log,
                       CanonicalizerPtr canonicalizer)
      : RocksDBBitsBuilder(options, verify, log, {canonicalizer->name(), {}}),
        canonicalizer_(std::move(canonicalizer)) {}

  void AddKey(const Slice& key) override {
    key_.Set(*canonicalizer_->canonicalizer(), key.ToStringView());
    if (!key_.is_known()) return MatchEverything(key_.error());
    RocksDBBitsBuilder::AddKey(key_.bytes());
  }

  void AddKeyAndAlt(const Slice& key, const Slice& alt) BLOOMLINE_OVERRIDE_SINCE_9_6 {
    key_.Set(*canonicalizer_->canonicalizer(), key.ToStringView());
    alt_.Set(*canonicalizer_->canonicalizer(), alt.ToStringView());
    if (!key_.is_known()) return MatchEverything(key_.error());
    if (!alt_.is_known()) return MatchEverything(alt_.error());
    RocksDBBitsBuilder::AddKeyAndAlt(key_.bytes(), alt_.bytes());
  }

 private:
  const CanonicalizerPtr canonicalizer_;
  filter::CanonicalKey key_;
  filter::CanonicalKey alt_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_CANONICAL_BUILDER_H_

// Canonicalizers as RocksDB policies hold them, and those that OPTIONS files can name.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_NAMED_CANONICALIZER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_NAMED_CANONICALIZER_H_

#include <memory>
#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"

namespace bloomline {

// A canonicalizer with a copy of its name; or a name alone, if no canonicalizer of that name is
// registered. A policy of such a name writes no filters, and every filter may match: filters of the
// keys as they are would lose keys, because the comparator treats different keys as equal.
class NamedCanonicalizer final : public KeyCanonicalizer {
 public:
  NamedCanonicalizer(std::string_view name, std::shared_ptr<const KeyCanonicalizer> canonicalizer)
      : name_(name), canonicalizer_(std::move(canonicalizer)) {}

  const char* Name() const override { return name_.c_str(); }
  std::string_view Canonicalize(std::string_view key, CanonicalKeyBuffer* buffer) const override {
    return canonicalizer_->Canonicalize(key, buffer);
  }

  std::string_view name() const { return name_; }
  const KeyCanonicalizer* canonicalizer() const { return canonicalizer_.get(); }  // null: unknown

 private:
  const std::string name_;
  const std::shared_ptr<const KeyCanonicalizer> canonicalizer_;
};

using CanonicalizerPtr = std::shared_ptr<const NamedCanonicalizer>;

// Inside a policy, RocksDBFilterOptions::canonicalizer is null or a NamedCanonicalizer.
inline CanonicalizerPtr CanonicalizerOf(const RocksDBFilterOptions& options) {
  return std::static_pointer_cast<const NamedCanonicalizer>(options.canonicalizer);
}

// One that is known to be missing but not its name. Allocates in the first call only.
const CanonicalizerPtr& UnknownCanonicalizer();

// The value of the option `canonicalizer` for a policy that has none. No canonicalizer has this
// name.
constexpr char kNoCanonicalizer[] = "none";

// The option `canonicalizer` in option strings (option_table.h). Unless `value` is "none" and the
// options have no canonicalizer, they have one afterwards, whatever it returns, and even if it
// throws. It refuses to replace or remove one.
std::string ParseCanonicalizer(const std::string& value, RocksDBFilterOptions* options);
// Empty if there is none; "?" if its name is not known.
std::string CanonicalizerText(const RocksDBFilterOptions& options);

// Empty, or the reason why a policy with these options uses and writes no filters.
std::string WhyCanonicalizerIsUnknown(const NamedCanonicalizer& canonicalizer);
// Whether this is the first call for this name since a canonicalizer was registered under it.
bool IsFirstReportOf(const NamedCanonicalizer& canonicalizer);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_NAMED_CANONICALIZER_H_

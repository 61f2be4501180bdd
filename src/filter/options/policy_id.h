// The ids of filter policies in option strings, OPTIONS files and --policy: NAME[:BITS[:SUFFIX]],
// as in "bloomline:10" and RocksDB's "ribbonfilter:10:-1".
#ifndef BLOOMLINE_FILTER_OPTIONS_POLICY_ID_H_
#define BLOOMLINE_FILTER_OPTIONS_POLICY_ID_H_

#include <optional>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"

namespace bloomline::filter {

enum class PolicyClass {
  kOther,      // a program's own, or RocksDB's by its class: "rocksdb.BuiltinBloomFilter"
  kBloomline,  // bloomline
  kBloom,      // bloomfilter
  kRibbon,     // ribbonfilter
};

// The texts are parts of the parsed one.
struct PolicyId {
  std::string_view name;
  std::optional<std::string_view> bits;
  std::optional<std::string_view> suffix;  // all after the second colon, so it may contain colons
  PolicyClass policy_class = PolicyClass::kOther;
  // The format of the filters, unless an option sets another one. Meaningless for kOther.
  Format format = Format::kBlocked;
  // False if the name is known, but RocksDB makes no policy because of the rest. Valid bits are a
  // number of any sign without an exponent; only kBloomline may omit them. A suffix is valid if it
  // is true or false, which is ignored, or in kRibbon a whole number.
  bool is_valid = true;

  bool has_flag() const { return suffix == "false" || suffix == "true"; }
};

PolicyId ParsePolicyId(std::string_view id);

// Returns "; did you mean 'bloomline'?" for "blomline:10", an option string of a filter policy;
// empty if its name is right or not near one of RocksDB's and bloomline's. The rest of the string
// may contain a secret seed.
std::string MeantPolicy(std::string_view text);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_OPTIONS_POLICY_ID_H_

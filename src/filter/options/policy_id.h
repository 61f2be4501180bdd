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

// The texts lie in the parsed one.
struct PolicyId {
  std::string_view name;
  std::optional<std::string_view> bits;
  std::optional<std::string_view> suffix;  // all behind the second colon, so it may have colons
  PolicyClass policy_class = PolicyClass::kOther;
  // Of the filters, if no option has another one. kOther: means nothing.
  Format format = Format::kBlocked;
  // False if the name is known, and RocksDB makes no policy because of the rest. It has a number
  // of any sign without an exponent, and a flag without meaning behind it; kRibbon has a whole
  // number there, and kBloomline may have nothing.
  bool is_valid = true;

  bool has_flag() const { return suffix == "false" || suffix == "true"; }
};

PolicyId ParsePolicyId(std::string_view id);

// Returns "; did you mean 'bloomline'?" for "blomline:10", an option string of a filter policy;
// empty if its name is right or not near one of RocksDB's and bloomline's. The rest of the string
// may have a secret seed.
std::string MeantPolicy(std::string_view text);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_OPTIONS_POLICY_ID_H_

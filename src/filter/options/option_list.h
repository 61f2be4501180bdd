// The options of bloomline's policy for RocksDB, one line each: what {id=bloomline;NAME=VALUE;...}
// may contain. engines/rocksdb/options/option_rows.cc reads, checks and writes the values.
//
// A new option needs:
//
// - a field in rocksdb.h, a line below, and, to compile, a row in option_rows.cc; if builders need
//   it, engines/rocksdb/options/policy_settings.cc;
// - writes_default = false, because an older release, which does not know the option, gives all
//   options of an OPTIONS file their defaults;
// - docs/compatibility.md, the page of its feature, CHANGELOG.md, rocksdb_option_strings_test.cc.
#ifndef BLOOMLINE_FILTER_OPTIONS_OPTION_LIST_H_
#define BLOOMLINE_FILTER_OPTIONS_OPTION_LIST_H_

#include <array>
#include <string_view>

namespace bloomline::filter {

struct PolicyOption {
  const char* name;
  const char* default_value;  // as written in OPTIONS files
  // Whether another value may change the filter that an existing file gets. `bloomline db rewrite`
  // refuses such values, unless it follows the option.
  bool changes_files = true;
  // Whether the default value is written to OPTIONS files. If not, releases that lack the option
  // can read files in which it is not set.
  bool writes_default = true;
};

// In the order of OPTIONS files.
inline constexpr std::array<PolicyOption, 10> kPolicyOptions = {{
    {"bits_per_key", "10"},
    {"format", "blocked"},
    {"seed", "0"},
    {"bits_by_level", "uniform"},
    {"flush_format", "same", /*changes_files=*/false},
    {"bloom_before_level", "-1", /*changes_files=*/true, /*writes_default=*/false},
    {"filters_at_bottom", "true"},
    {"stock_id", "false", /*changes_files=*/false},
    {"memory", "0"},
    {"max_filter_bytes", "0"},
}};

// Options of earlier releases, which OPTIONS files may still contain. They are ignored.
inline constexpr std::array<PolicyOption, 5> kFormerOptions = {{
    {"range_prefixes", "none", /*changes_files=*/false},
    {"range_memory_percent", "20", /*changes_files=*/false},
    {"sample_queries", "0", /*changes_files=*/false},
    {"levels_in_use", "0", /*changes_files=*/false},
    {"level_size_ratio", "10", /*changes_files=*/false},
}};

// Returns null if `options` has no option of this name.
template <typename Options>
constexpr const PolicyOption* FindOption(const Options& options, std::string_view name) {
  for (const PolicyOption& option : options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// Looks in both lists.
constexpr const PolicyOption* FindOption(std::string_view name) {
  const PolicyOption* const option = FindOption(kPolicyOptions, name);
  return option != nullptr ? option : FindOption(kFormerOptions, name);
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_OPTIONS_OPTION_LIST_H_

// The options of the RocksDB policy as text: what option strings and OPTIONS files say.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTION_TEXT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTION_TEXT_H_

#include <array>
#include <string>

#include "bloomline/rocksdb.h"
#include "rocksdb/utilities/options_type.h"

namespace bloomline {

struct OptionText {
  const char* name;
  ROCKSDB_NAMESPACE::OptionType type;
  // Parses all of `value`. Returns an empty string, or what is wrong. Does not check what depends
  // on other options: RocksDBFilterOptions::Validate does.
  std::string (*parse)(const std::string& value, RocksDBFilterOptions* options);
  // The text that parses as the same value. Empty: no canonicalizer, which is not written.
  std::string (*text)(const RocksDBFilterOptions& options);
};

// The functions in it may throw bad_alloc.
const std::array<OptionText, 11>& OptionTexts();

// Of the option that a policy takes even if it refuses the others.
constexpr char kCanonicalizerOption[] = "canonicalizer";

// The names, for messages: "bits_per_key, format, ...".
std::string OptionNames();

std::string ParseBitsPerKey(const std::string& value, RocksDBFilterOptions* options);
std::string ParseBitsByLevel(const std::string& value, RocksDBFilterOptions* options);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTION_TEXT_H_

// What the texts of several options share.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_VALUES_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_VALUES_H_

#include <cstdint>
#include <string>

#include "bloomline/rocksdb.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline {

// "NAME is 'VALUE'; allowed: ...".
inline std::string Wrong(const char* name, const std::string& value, const std::string& allowed) {
  return std::string(name) + " is " + support::Quoted(value) + "; allowed: " + allowed;
}

inline std::string ParseBool(const char* name, const std::string& value, bool* result) {
  const bool is_true = value == "true" || value == "1";
  if (!is_true && value != "false" && value != "0") return Wrong(name, value, "true, false");
  *result = is_true;
  return "";
}

template <bool RocksDBFilterOptions::*member>
std::string BoolText(const RocksDBFilterOptions& options) {
  return options.*member ? "true" : "false";
}

template <auto member>
std::string NumberText(const RocksDBFilterOptions& options) {
  return support::DoubleText(options.*member);
}

template <auto member>
std::string WholeNumberText(const RocksDBFilterOptions& options) {
  return std::to_string(options.*member);
}

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_OPTION_VALUES_H_

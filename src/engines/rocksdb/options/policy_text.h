// The text of a policy as in option strings, and what is wrong with it. RocksDB reads such texts
// itself, but while another minor version runs, none of its C++ functions may be called.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_TEXT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_TEXT_H_

#include <string>
#include <string_view>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/options/option_table.h"

namespace bloomline {

// "bloomline", "bloomline:10" or "{id=bloomline;format=ribbon}" as options with
// stock_if_version_differs. Returns false and sets *error if the text has another form, or if the
// options are not valid. May throw bad_alloc.
bool ParsePolicyText(const std::string& text, RocksDBFilterOptions* options, std::string* error);

// Null: there is no such option.
const OptionRow* FindOption(std::string_view name);

// The errors for a name that no option has, and for a text that names no policy of bloomline. May
// throw bad_alloc.
std::string UnknownOptionText(std::string_view name);
std::string WrongPolicyText(const std::string& text);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_POLICY_TEXT_H_

// RocksDB's OPTIONS file (options/options_parser.cc): sections of "name=value" lines.
//
//   [CFOptions "default"]
//     compaction_style=kCompactionStyleLevel
//   [TableOptions/BlockBasedTable "default"]
//     filter_policy={id=ribbonfilter:10;bloom_before_level=0;}   # a comment
#ifndef BLOOMLINE_DB_TREE_OPTIONS_FILE_H_
#define BLOOMLINE_DB_TREE_OPTIONS_FILE_H_

#include <map>
#include <string>
#include <string_view>

namespace bloomline::tree {

using OptionTexts = std::map<std::string, std::string>;

struct OptionsFile {
  OptionTexts version;                          // [Version]
  OptionTexts database;                         // [DBOptions]
  std::map<std::string, OptionTexts> families;  // by name, with the options of their tables
};

// Skips other sections, and lines without an option.
void ParseOptionsFile(std::string_view text, OptionsFile* options);

// The id in "{bits_per_key=10;id=bloomline;}", with or without braces; the whole value if it has no
// options: "bloomfilter:10:false". Empty if it has options but no id.
std::string OptionId(std::string_view value);

// The options of "{bits_per_key=10;id=bloomline;}"; none of a value without any.
OptionTexts ParsePolicyOptions(std::string_view value);

// A filter policy as people write it: without those of bloomline's options that are defaults.
std::string ShortPolicy(std::string_view value);

}  // namespace bloomline::tree

#endif  // BLOOMLINE_DB_TREE_OPTIONS_FILE_H_

// Options in RocksDB's notation: "name=value;name={name=value;}". RocksDB reads it with StringToMap
// (options/options_helper.cc).
#ifndef BLOOMLINE_SUPPORT_OPTION_TEXT_H_
#define BLOOMLINE_SUPPORT_OPTION_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomline::support {

// The text without white space around it.
std::string_view Trimmed(std::string_view text);

// The value without white space and braces around it.
std::string_view WithoutBraces(std::string_view value);

// The end of the value that begins at `begin`: its ';', or the end of the text.
size_t EndOfOption(std::string_view text, size_t begin);

// Calls use(name, value) for each option of "name=value;name=value". Values keep their braces.
template <typename Use>
void ForEachOption(std::string_view text, Use use) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = EndOfOption(text, begin);
    const std::string_view option = text.substr(begin, end - begin);
    const size_t equals = option.find('=');
    if (equals != option.npos) {
      use(Trimmed(option.substr(0, equals)), Trimmed(option.substr(equals + 1)));
    }
    begin = end + 1;
  }
}

// Returns a sentence if a filter policy's text gives an option twice, else an empty string. For
// "{id=bloomline;format=blocked;format=compact}", the sentence is "format is given twice, 'blocked'
// and 'compact'; allowed: once". RocksDB uses the last of the two.
std::string GivenTwice(std::string_view policy);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_OPTION_TEXT_H_

// Encodes Redis commands (RESP: an array of bulk strings). hiredis's formatter is not used: a
// command of AddKeys has about 400 arguments, and all except the offsets are constant.
//
//   command = BeginCommand AppendArgument*  |  AppendCommand
#ifndef BLOOMLINE_REDIS_COMMAND_H_
#define BLOOMLINE_REDIS_COMMAND_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace bloomline::redis {

inline void AppendNumber(uint64_t number, std::string* out) {
  char digits[20];
  out->append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

// The header of a command. The name of the command counts as an argument.
inline void BeginCommand(size_t num_arguments, std::string* out) {
  out->push_back('*');
  AppendNumber(num_arguments, out);
  out->append("\r\n");
}

inline void AppendArgument(std::string_view argument, std::string* out) {
  out->push_back('$');
  AppendNumber(argument.size(), out);
  out->append("\r\n");
  out->append(argument);
  out->append("\r\n");
}

inline void AppendArgument(uint64_t number, std::string* out) {
  char digits[20];
  const char* end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  AppendArgument(std::string_view(digits, static_cast<size_t>(end - digits)), out);
}

inline void AppendCommand(std::initializer_list<std::string_view> arguments, std::string* out) {
  BeginCommand(arguments.size(), out);
  for (const std::string_view argument : arguments) AppendArgument(argument, out);
}

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_COMMAND_H_

// Reads all bytes of a file, standard input or a pipe. Commands open an input only once, because a
// pipe can be read only once.
#ifndef BLOOMLINE_TOOL_WHOLE_INPUT_H_
#define BLOOMLINE_TOOL_WHOLE_INPUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/support/memory.h"

namespace bloomline::tool {

constexpr uint64_t kDefaultMaxPipeBytes = uint64_t{1} << 30;

class WholeInput {
 public:
  // The path "-" means standard input. A regular file is mapped, because its end suffices to see
  // whether it is a filter. A pipe or a socket is read into memory, up to max_pipe_bytes. Returns
  // false, with *error, for other kinds of files, which may be endless.
  bool Open(const std::string& path, uint64_t max_pipe_bytes, std::string* error);

  std::string_view bytes() const { return bytes_; }
  const std::string& name() const { return name_; }  // what errors begin with
  // The path, if it can be opened again; else empty.
  const std::string& path() const { return path_; }

 private:
  bool Map(int descriptor, uint64_t size, std::string* error);
  bool ReadPipe(int descriptor, uint64_t max_bytes, std::string* error);

  std::string name_;
  std::string path_;
  support::AlignedMemory mapped_;
  std::string read_;
  std::string_view bytes_;
};

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_WHOLE_INPUT_H_

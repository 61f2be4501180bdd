#include "src/cli/shared/whole_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "src/cli/shared/quantity.h"
#include "src/support/system_error.h"

namespace bloomline::cli {

using support::SystemFailure;

bool WholeInput::Map(int descriptor, uint64_t size, std::string* error) {
  // Standard input begins where whoever had it before stopped.
  const off_t position = path_.empty() ? lseek(descriptor, 0, SEEK_CUR) : 0;
  if (position < 0) return SystemFailure(name_, "cannot be examined", error);
  const uint64_t start = std::min(size, static_cast<uint64_t>(position));
  if (size != 0) {
    mapped_ = support::AlignedMemory::OfFile(descriptor, size);
    if (mapped_.data() == nullptr) return SystemFailure(name_, "cannot be mapped", error);
  }
  bytes_ = std::string_view(mapped_.data(), static_cast<size_t>(size))
               .substr(static_cast<size_t>(start));
  return true;
}

bool WholeInput::ReadPipe(int descriptor, uint64_t max_bytes, std::string* error) {
  constexpr size_t kFirstRead = 64 << 10;
  size_t size = 0;
  while (true) {
    if (size == read_.size()) read_.resize(std::max(kFirstRead, 2 * size));
    const ssize_t count = support::Uninterrupted(
        [&] { return read(descriptor, read_.data() + size, read_.size() - size); });
    if (count < 0) return SystemFailure(name_, "cannot be read", error);
    if (count == 0) break;
    size += static_cast<size_t>(count);
    if (size > max_bytes) {
      *error = name_ + ": is longer than " + BytesText(max_bytes) +
               ", the most that is read from a pipe; write it to a file, or raise --max-pipe";
      return false;
    }
  }
  bytes_ = std::string_view(read_).substr(0, size);
  return true;
}

bool WholeInput::Open(const std::string& path, uint64_t max_pipe_bytes, std::string* error) {
  const bool is_standard_input = path == "-";
  name_ = is_standard_input ? "standard input" : path;
  if (support::HasZeroByte(path, error)) return false;
  // A terminal must not become this process's own. The open of a named pipe waits for a writer.
  const int descriptor = is_standard_input ? STDIN_FILENO : support::Uninterrupted([&] {
    return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  });
  if (descriptor < 0) return SystemFailure(name_, "cannot be opened", error);
  struct stat status;
  bool readable;
  if (fstat(descriptor, &status) != 0) {
    readable = SystemFailure(name_, "cannot be examined", error);
  } else if (S_ISREG(status.st_mode)) {
    if (!is_standard_input) path_ = path;
    readable = Map(descriptor, static_cast<uint64_t>(status.st_size), error);
  } else if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    readable = ReadPipe(descriptor, max_pipe_bytes, error);
  } else {
    readable = false;
    *error = name_ + (S_ISDIR(status.st_mode) ? ": is a directory, not a regular file or a pipe"
                                              : ": is not a regular file or a pipe");
  }
  if (!is_standard_input) close(descriptor);
  return readable;
}

}  // namespace bloomline::cli

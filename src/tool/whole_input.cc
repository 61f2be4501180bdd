#include "src/tool/whole_input.h"

#include <algorithm>

#include "src/support/file_io.h"
#include "src/support/set_error.h"
#include "src/tool/quantity.h"

namespace bloomline::tool {

using support::FileKind;
using support::SystemFailure;

bool WholeInput::Map(int descriptor, uint64_t size, std::string* error) {
  // Standard input begins where the process that used it before stopped reading.
  const int64_t position = path_.empty() ? support::PositionOf(descriptor) : 0;
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
    const int64_t count = support::Uninterrupted(
        [&] { return support::ReadSome(descriptor, read_.size() - size, read_.data() + size); });
    if (count < 0) return SystemFailure(name_, "cannot be read", error);
    if (count == 0) break;
    size += static_cast<size_t>(count);
    if (size > max_bytes) {
      *error = name_ + ": is longer than " + BytesText(max_bytes) +
               ", the most that is read from a pipe; write it to a file";
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
  const int descriptor = is_standard_input ? support::kStandardInput : support::Uninterrupted([&] {
    return support::OpenFile(path, support::NoWriter::kWait);
  });
  if (descriptor < 0) return SystemFailure(name_, "cannot be opened", error);
  support::FileStatus status;
  bool readable;
  if (!support::Examine(descriptor, &status)) {
    readable = SystemFailure(name_, "cannot be examined", error);
  } else if (status.kind == FileKind::kRegular) {
    if (!is_standard_input) path_ = path;
    readable = Map(descriptor, status.size, error);
  } else if (status.kind == FileKind::kPipe) {
    readable = ReadPipe(descriptor, max_pipe_bytes, error);
  } else {
    readable = false;
    *error =
        name_ + (status.kind == FileKind::kFolder ? ": is a directory, not a regular file or a pipe"
                                                  : ": is not a regular file or a pipe");
  }
  if (!is_standard_input) support::CloseFile(descriptor);
  return readable;
}

}  // namespace bloomline::tool

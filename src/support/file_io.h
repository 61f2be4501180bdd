// Files that are read at offsets, files that are replaced as a whole, and temporary files. Errors
// name the file and what the system said.
#ifndef BLOOMLINE_SUPPORT_FILE_IO_H_
#define BLOOMLINE_SUPPORT_FILE_IO_H_

#include <cstdint>
#include <string>

#include "src/support/byte_io.h"

namespace bloomline::support {

class InputFile : public ByteSource {
 public:
  InputFile() = default;
  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Returns false, with *error, unless it is a regular file that can be read.
  bool Open(const std::string& path, std::string* error);

  bool ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const override;

  const std::string& name() const override { return path_; }
  uint64_t size() const override { return size_; }  // when it was opened
  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// kDone: Commit returns when the disk has the file. kNotNow: it does not wait, and after a power
// failure the new file may be empty; for files that are written again soon.
enum class DiskSync { kDone, kNotNow };

// A file that is written beside `path` and renamed to it by Commit. So `path` is at any time the
// old file or the whole new one, even after a power failure. Without Commit nothing remains.
//
//   Open (Append* | WriteAt*) Commit
class ReplacementFile : public ByteSink {
 public:
  ReplacementFile() = default;
  ~ReplacementFile() override;
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  // Returns false, with *error, unless `path` is a regular file, is a symbolic link to one, which
  // is then replaced, or does not exist.
  bool Open(const std::string& path, std::string* error);
  bool Append(const char* data, uint64_t n, std::string* error) override;
  // Instead of Append, in any order and from several threads at once.
  bool WriteAt(uint64_t offset, const char* data, uint64_t n, std::string* error) const;
  // The new file has the permissions of the old one, and belongs to the user who writes it. After a
  // failure the old file is as it was, unless *error says that only the folder could not be synced.
  bool Commit(std::string* error, DiskSync sync = DiskSync::kDone);

 private:
  // Both paths are absolute, so that a change of the working directory does not matter.
  std::string target_;
  std::string temporary_;  // empty if it does not exist
  int folder_ = -1;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_FILE_IO_H_

// Files: read at an offset, and replaced as a whole. Errors name the file and what the system said.
#ifndef BLOOMLINE_FILTERS_FILE_IO_H_
#define BLOOMLINE_FILTERS_FILE_IO_H_

#include <cstdint>
#include <string>

namespace bloomline::filters {

class InputFile {
 public:
  InputFile() = default;
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // False, with *error, unless it is a regular file that can be read.
  bool Open(const std::string& path, std::string* error);

  // Exactly n bytes from `offset` on. False, with *error, if there are fewer.
  bool ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }  // when it was opened
  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// Written beside `path` and moved there by Commit, so that `path` is at any time the old file or
// the whole new one. Without Commit nothing is left.
class ReplacementFile {
 public:
  ReplacementFile() = default;
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  bool Open(const std::string& path, std::string* error);
  bool Append(const char* data, uint64_t n, std::string* error);
  bool Commit(std::string* error);

 private:
  std::string path_;
  std::string temporary_path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_FILE_IO_H_

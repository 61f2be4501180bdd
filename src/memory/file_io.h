// Files: read at an offset, replaced as a whole, and temporary ones. Errors name the file and what
// the system said.
#ifndef BLOOMLINE_MEMORY_FILE_IO_H_
#define BLOOMLINE_MEMORY_FILE_IO_H_

#include <cstdint>
#include <string>

#include "src/memory/save_target.h"

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
// the whole new one, also after a power failure. Without Commit nothing is left.
class ReplacementFile {
 public:
  ReplacementFile() = default;
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  // False, with *error, unless `path` is a regular file or does not exist, or is a symbolic link to
  // such: then what it names is replaced.
  bool Open(const std::string& path, std::string* error);
  bool Append(const char* data, uint64_t n, std::string* error);
  // In place of Append: any order, any number of threads at once.
  bool WriteAt(uint64_t offset, const char* data, uint64_t n, std::string* error) const;
  // The new file has the owner, group and permissions of the old one (SaveTarget). After false the
  // old file is as it was, unless *error says that only the folder could not be synced.
  bool Commit(std::string* error);

 private:
  SaveTarget target_;
  std::string temporary_;       // its name in the target's folder; empty: there is none
  std::string temporary_path_;  // for errors
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// A file without a name: the system removes it when it is closed, however the process ends.
class ScratchFile {
 public:
  ScratchFile() = default;
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // On the file system of `directory`, and readable for nobody else.
  bool Open(const std::string& directory, std::string* error);

  bool Append(const char* data, uint64_t n, std::string* error);

  // Exactly n bytes that were appended. Any number of threads at once.
  bool ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const;

  // Gives the space back.
  bool Truncate(std::string* error);

  uint64_t size() const { return size_; }

 private:
  std::string path_;  // the name it had, for errors
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace bloomline::filters

#endif  // BLOOMLINE_MEMORY_FILE_IO_H_

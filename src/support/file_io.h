// Files: the system's calls, files that are read at offsets, and files that are replaced as a
// whole.
#ifndef BLOOMLINE_SUPPORT_FILE_IO_H_
#define BLOOMLINE_SUPPORT_FILE_IO_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/support/byte_io.h"

namespace bloomline::support {

// ---- The system's calls, which are thread-safe. Unless they say otherwise, they return a negative
// number (or false) with errno on failure; a signal may interrupt them (EINTR).

constexpr int kStandardInput = 0;
constexpr int kStandardOutput = 1;
constexpr int kStandardError = 2;

enum class FileKind { kRegular, kFolder, kPipe, kLink, kOther };  // kPipe: or a socket

struct FileStatus {
  FileKind kind = FileKind::kOther;
  uint64_t size = 0;  // in bytes, of a regular file
  // Identify the file under any name.
  uint64_t device = 0;
  uint64_t number = 0;
  int64_t changed_ns = 0;  // when its bytes were last changed; links to it do not count

  bool operator==(const FileStatus& other) const {
    return kind == other.kind && size == other.size && device == other.device &&
           number == other.number && changed_ns == other.changed_ns;
  }
};

// What opening a named pipe does while no process writes to it.
enum class NoWriter { kWait, kGoOn };

// Opens a file of any kind for reading, and returns its descriptor. A terminal does not become the
// controlling one of this process. Programs that it starts do not inherit the descriptor.
int OpenFile(const std::string& path, NoWriter no_writer);

int CloseFile(int descriptor);

// These examine what a path names, also through links, or what is open.
bool Examine(const std::string& path, FileStatus* status);
bool Examine(int descriptor, FileStatus* status);
// Examines a link itself.
bool ExamineLink(const std::string& path, FileStatus* status);

// Returns how many bytes were read: at least one, or 0 at the end of the file, and at most 2^30.
int64_t ReadSome(int descriptor, size_t at_most, char* dst);

// Returns where ReadSome would read.
int64_t PositionOf(int descriptor);
// Whether another process has locked the file. Closing it then drops this process's own locks.
bool IsLocked(int descriptor);

// Tells the system that these bytes will be read soon. This is only advice: it fails silently, and
// does nothing on systems that accept none.
void WillRead(int descriptor, uint64_t offset, uint64_t bytes);

// ---- Files as a whole. Errors name the file and what the system said.

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

// Reads all of a file of at most max_bytes.
bool ReadSmallFile(const std::string& path, uint64_t max_bytes, std::string* text,
                   std::string* error);

// Appends the bytes of the source from `begin` to `end` to `out`, a MiB at a time.
bool AppendPart(const ByteSource& from, uint64_t begin, uint64_t end, ByteSink* out,
                std::string* error);

// kDone: returns once the file is on disk. kNotNow: does not wait, and after a power failure the
// new file may be empty. That suits files that are written again soon.
enum class DiskSync { kDone, kNotNow };

// A file that did not exist.
class OutputFile : public ByteSink {
 public:
  OutputFile() = default;
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Other users may use a file that is not private as far as the umask allows. Fails with EEXIST in
  // errno if the path exists.
  bool Create(const std::string& path, bool is_private, std::string* error);
  bool Append(const char* data, uint64_t n, std::string* error) override;
  bool Close(DiskSync sync, std::string* error);

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// A file that is written beside `path` and renamed to it by Commit. So `path` is at any time the
// old file or the whole new one, even after a power failure. Without Commit nothing remains.
//
//   Open Append* Commit
class ReplacementFile : public ByteSink {
 public:
  ReplacementFile() = default;
  ~ReplacementFile() override;
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  // Returns false, with *error, unless `path` is a regular file, is a symbolic link to one, which
  // is then replaced, or does not exist.
  bool Open(const std::string& path, std::string* error);
  bool Append(const char* data, uint64_t n, std::string* error) override {
    return file_.Append(data, n, error);
  }
  // The new file has the permissions of the old one, and belongs to the user who writes it. After a
  // failure the old file is as it was, unless *error says that only the folder could not be synced.
  bool Commit(std::string* error, DiskSync sync = DiskSync::kDone);

 private:
  // Both paths are absolute, so that a change of the working directory does not matter.
  std::string target_;
  OutputFile file_;
  bool is_written_ = false;  // the file exists under its own name
  int folder_ = -1;
};

// Returns once the names in the folder are on disk, or if its file system cannot sync folders.
bool SyncFolder(const std::string& path, std::string* error);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_FILE_IO_H_

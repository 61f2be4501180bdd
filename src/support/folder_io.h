// New files and folders that take the owner and mode of old ones, locks, and signals that end a
// process once it has cleaned up. For commands that write whole folders. Errors name the path and
// what the system said.
#ifndef BLOOMLINE_SUPPORT_FOLDER_IO_H_
#define BLOOMLINE_SUPPORT_FOLDER_IO_H_

#include <cstdint>
#include <string>

#include "src/support/byte_io.h"

namespace bloomline::support {

// A file that did not exist.
class NewFile : public ByteSink {
 public:
  NewFile() = default;
  ~NewFile() override;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Nobody else may read it until Finish.
  bool Create(const std::string& path, std::string* error);
  bool Append(const char* data, uint64_t n, std::string* error) override;
  // Makes the file share all bytes of `from` until one of the two is written to. Returns false if
  // the file system cannot do this.
  bool Clone(const std::string& from) const;
  // Gives the file the owner and mode of the file `like`, and returns when the disk has it.
  bool Finish(const std::string& like, std::string* error);

 private:
  std::string path_;
  int descriptor_ = -1;
};

// Does the same as NewFile::Finish for a folder, whose files must be there.
bool FinishFolder(const std::string& path, const std::string& like, std::string* error);

// Returns when the disk has the names in the folder.
bool SyncFolder(const std::string& path, std::string* error);
// Renames a folder, unless `to` exists: rename() would replace an empty folder.
bool RenameNew(const std::string& from, const std::string& to, std::string* error);

// The lock that LevelDB and RocksDB take on their LOCK file: fcntl, for writing. Drops it at its
// end, and when this process closes any other descriptor of the file.
class FileLock {
 public:
  enum class Result { kLocked, kNoFile, kIsLocked, kFailed };

  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Creates no file. *error is set with kIsLocked and kFailed.
  Result Take(const std::string& path, std::string* error);

 private:
  int descriptor_ = -1;
};

// What tells two states of a file apart. Links to it change neither.
struct FileState {
  bool is_link = false;
  bool is_folder = false;
  bool is_regular = false;
  uint64_t device = 0;
  uint64_t number = 0;
  uint64_t size = 0;
  int64_t changed_seconds = 0;
  int64_t changed_nanoseconds = 0;

  bool operator==(const FileState& other) const;
};
// Does not follow a link.
bool ExamineState(const std::string& path, FileState* state);

// From now on, SIGINT, SIGTERM and SIGHUP only set what EndingSignal returns; 0: none came. A
// signal that the process ignores stays ignored.
void AwaitEndingSignals();
int EndingSignal();
// Ends the process by that signal, as if it had not been awaited.
[[noreturn]] void EndBySignal(int signal);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_FOLDER_IO_H_

// New files and folders that take the owner and mode of old ones, the engines' lock, and signals
// that end a process once it has cleaned up. For commands that write whole folders. Errors name the
// path and what the system said.
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

// Gives the file or folder the owner and mode of another.
bool TakeOwnerAndMode(const std::string& path, const std::string& like, std::string* error);

// Returns when the disk has the names in the folder.
bool SyncFolder(const std::string& path, std::string* error);
// Renames a folder, unless `to` exists: rename() would replace an empty folder.
bool RenameNew(const std::string& from, const std::string& to, std::string* error);

// The lock that LevelDB and RocksDB take on their LOCK file: fcntl, for writing. Drops it at its
// end, and when this process closes any other descriptor of the file.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Takes the lock, again if it was dropped. Creates no file: without one, there is no lock.
  // Returns false with *error if another process has it, or the file cannot be written.
  bool Take(const std::string& path, std::string* error);
  bool has_file() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

// From now on, SIGINT, SIGTERM and SIGHUP only set what EndingSignal returns; 0: none came. A
// signal that the process ignores stays ignored.
void AwaitEndingSignals();
int EndingSignal();
// Ends the process by that signal, as if it had not been awaited.
[[noreturn]] void EndBySignal(int signal);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_FOLDER_IO_H_

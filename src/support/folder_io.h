// What commands that write whole folders need of the system: owners and modes, links to bytes, the
// engines' lock, and signals that end a process once it has cleaned up. Errors name the path and
// what the system said.
#ifndef BLOOMLINE_SUPPORT_FOLDER_IO_H_
#define BLOOMLINE_SUPPORT_FOLDER_IO_H_

#include <string>
#include <vector>

namespace bloomline::support {

// Makes an open, empty file share all bytes of `from` until one of the two is written to. Returns
// false if the file system cannot do this.
bool CloneBytes(const std::string& from, int descriptor);
// Whether a new file in the folder could do so. False if it cannot be found out.
bool CanClone(const std::string& from, const std::string& folder);

// Gives the file or folder the owner and mode of another.
bool TakeOwnerAndMode(const std::string& path, const std::string& like, std::string* error);

// Whether new files in the folder could get the owners of all these. True if it cannot be found
// out.
bool CanTakeOwners(const std::string& folder, const std::vector<std::string>& likes,
                   std::string* error);

// Renames a folder, unless `to` exists: rename() would replace an empty folder.
bool RenameNew(const std::string& from, const std::string& to, std::string* error);

// Whether nothing can be written there, and no link can be made to a file there.
bool IsReadOnly(const std::string& path);

// The lock that LevelDB and RocksDB take on their LOCK file: fcntl, for writing. If the file can
// only be read, it is a lock for reading, which the kernel refuses while an engine holds its own.
// Released by the destructor, and when this process closes any other descriptor of the file.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Takes the lock, again if it was dropped. Creates no file: without one, there is no lock.
  // Returns false with *error if another process holds it, or the file cannot be opened.
  bool Take(const std::string& path, std::string* error);
  bool has_file() const { return descriptor_ >= 0; }
  // Whether another process may hold the lock all the same: a file system that is not known to be
  // local can hide locks of other hosts, and overlayfs those of its layers.
  bool is_doubtful() const { return is_doubtful_; }

 private:
  int descriptor_ = -1;
  bool is_shared_ = false;
  bool is_doubtful_ = false;
};

// From now on, SIGINT, SIGTERM and SIGHUP only set what EndingSignal returns; 0: none came. A
// signal that the process ignores stays ignored.
void AwaitEndingSignals();
int EndingSignal();
// Ends the process by that signal, as if it had not been caught.
[[noreturn]] void EndBySignal(int signal);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_FOLDER_IO_H_

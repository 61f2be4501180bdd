// The system's calls on files. All functions are thread-safe. Unless they say otherwise, they
// return a negative number (or false) with errno on failure; a signal may interrupt them (EINTR).
#ifndef BLOOMLINE_SUPPORT_FILE_CALLS_H_
#define BLOOMLINE_SUPPORT_FILE_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace bloomline::support {

constexpr int kStandardInput = 0;
constexpr int kStandardOutput = 1;
constexpr int kStandardError = 2;

enum class FileKind { kRegular, kFolder, kPipe, kOther };  // kPipe: or a socket

struct FileStatus {
  FileKind kind = FileKind::kOther;
  uint64_t size = 0;  // in bytes, of a regular file
  // Which file it is, under any name.
  uint64_t device = 0;
  uint64_t number = 0;
};

// What the open of a named pipe does while no process writes to it.
enum class NoWriter { kWait, kGoOn };

// Opens a file of any kind for reading; a terminal does not become this process's own. Returns a
// descriptor. No program that this process starts gets it.
int OpenFile(const std::string& path, NoWriter no_writer);

int CloseFile(int descriptor);

// Returns what a path names, also through links, or what is open.
bool Examine(const std::string& path, FileStatus* status);
bool Examine(int descriptor, FileStatus* status);

// Returns how many bytes were moved: at least one, or 0 at the end of the file, and at most 2^30.
int64_t ReadSome(int descriptor, size_t at_most, char* dst);
int64_t ReadSomeAt(int descriptor, uint64_t offset, size_t at_most, char* dst);
int64_t WriteSome(int descriptor, size_t at_most, const char* data);
int64_t WriteSomeAt(int descriptor, uint64_t offset, size_t at_most, const char* data);

// Where ReadSome would read.
int64_t PositionOf(int descriptor);

// Has the file, or the names in the folder, survive a power failure.
int SyncFile(int descriptor);

// Creates a file for writing, which no other program may have yet; returns its descriptor. Others
// may use it as the umask says, or its owner alone.
int CreateFile(const std::string& path, bool is_private);

// Gives the open file the permissions of the file `path`, if that exists: the mode, not the owner
// and no access control list.
int CopyMode(const std::string& path, int descriptor);

// Gives the file a new name, also in place of another file.
int RenameFile(const std::string& from, const std::string& to);
int RemoveFile(const std::string& path);

// Tells the system that these bytes will be read soon. Only advice: fails silently, and does
// nothing on systems that take none.
void WillRead(int descriptor, uint64_t offset, uint64_t bytes);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_FILE_CALLS_H_

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
  // Identify the file under any name.
  uint64_t device = 0;
  uint64_t number = 0;
};

// What opening a named pipe does while no process writes to it.
enum class NoWriter { kWait, kGoOn };

// Opens a file of any kind for reading, and returns its descriptor. A terminal does not become the
// controlling one of this process. Programs that it starts do not inherit the descriptor.
int OpenFile(const std::string& path, NoWriter no_writer);

int CloseFile(int descriptor);

// Examine what a path names, also through links, or what is open.
bool Examine(const std::string& path, FileStatus* status);
bool Examine(int descriptor, FileStatus* status);

// Returns how many bytes were read: at least one, or 0 at the end of the file, and at most 2^30.
int64_t ReadSome(int descriptor, size_t at_most, char* dst);

// Returns where ReadSome would read.
int64_t PositionOf(int descriptor);

// Tells the system that these bytes will be read soon. Only advice: fails silently, and does
// nothing on systems that take none.
void WillRead(int descriptor, uint64_t offset, uint64_t bytes);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_FILE_CALLS_H_

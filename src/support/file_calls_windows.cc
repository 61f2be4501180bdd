#ifdef _WIN32
#include <fcntl.h>

#include <algorithm>

#include "src/support/file_calls.h"
#include "src/support/windows_calls.h"

namespace bloomline::support {
namespace {

// Others may go on to read, write, rename and remove the file, as on other systems.
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

DWORD Limited(size_t bytes) {
  constexpr size_t kMaxTransfer = size_t{1} << 30;  // a DWORD counts them
  return static_cast<DWORD>(std::min(bytes, kMaxTransfer));
}

HANDLE Open(const std::string& path, DWORD access, DWORD creation, DWORD flags,
            SECURITY_ATTRIBUTES* attributes = nullptr) {
  const std::wstring full = ToFullPath(path);
  if (full.empty()) {
    SetLastError(ERROR_INVALID_NAME);
    return INVALID_HANDLE_VALUE;
  }
  return CreateFileW(full.c_str(), access, kShared, attributes, creation, flags, nullptr);
}

bool StatusOf(HANDLE handle, FileStatus* status) {
  const DWORD type = GetFileType(handle);
  if (type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR) return FailedCall() == 0;
  *status = {};
  if (type == FILE_TYPE_PIPE) status->kind = FileKind::kPipe;
  if (type != FILE_TYPE_DISK) return true;
  BY_HANDLE_FILE_INFORMATION found;
  if (!GetFileInformationByHandle(handle, &found)) return FailedCall() == 0;
  const bool is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  status->kind = is_folder ? FileKind::kFolder : FileKind::kRegular;
  status->size = uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow;
  status->device = found.dwVolumeSerialNumber;
  status->number = uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow;
  return true;
}

// The offset of a read or write, as the system wants it.
OVERLAPPED At(uint64_t offset) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

// Of a socket, GetFileType says that it is a pipe.
bool IsPipe(HANDLE handle) {
  return GetNamedPipeInfo(handle, nullptr, nullptr, nullptr, nullptr) != 0;
}

int64_t Read(int descriptor, size_t at_most, char* dst, OVERLAPPED* place) {
  const HANDLE handle = HandleOf(descriptor);
  DWORD moved = 0;
  bool is_read;
  do {  // a writer of 0 bytes does not end a pipe: its end is an error
    is_read = ReadFile(handle, dst, Limited(at_most), &moved, place) != 0;
  } while (is_read && moved == 0 && at_most != 0 && IsPipe(handle));
  if (is_read) return moved;
  const DWORD error = GetLastError();
  if (error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE) return 0;  // there are no more
  const int result = FailedCall();
  FileStatus status;
  // Of a folder, the system says only that it has no such function.
  const int reason = errno;
  errno = Examine(descriptor, &status) && status.kind == FileKind::kFolder ? EISDIR : reason;
  return result;
}

int64_t Write(int descriptor, size_t at_most, const char* data, OVERLAPPED* place) {
  DWORD moved = 0;
  if (WriteFile(HandleOf(descriptor), data, Limited(at_most), &moved, place)) return moved;
  const DWORD error = GetLastError();
  const int result = FailedCall();
  if (error == ERROR_NO_DATA || error == ERROR_BROKEN_PIPE) errno = EPIPE;  // the reader has gone
  return result;
}

}  // namespace

// A named pipe does not wait for a writer here. A folder opens, as elsewhere.
int OpenFile(const std::string& path, NoWriter /*no_writer*/) {
  return DescriptorOf(Open(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS),
                      _O_RDONLY);
}

int CloseFile(int descriptor) { return _close(descriptor); }

bool Examine(const std::string& path, FileStatus* status) {
  const HANDLE handle = Open(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (handle == INVALID_HANDLE_VALUE) return FailedCall() == 0;
  const bool examined = StatusOf(handle, status);
  const int error = errno;
  CloseHandle(handle);
  errno = error;
  return examined;
}

bool Examine(int descriptor, FileStatus* status) {
  const HANDLE handle = HandleOf(descriptor);  // errno is EBADF if there is none
  return handle != INVALID_HANDLE_VALUE && StatusOf(handle, status);
}

int64_t ReadSome(int descriptor, size_t at_most, char* dst) {
  return Read(descriptor, at_most, dst, nullptr);
}

int64_t ReadSomeAt(int descriptor, uint64_t offset, size_t at_most, char* dst) {
  OVERLAPPED place = At(offset);
  return Read(descriptor, at_most, dst, &place);
}

int64_t WriteSome(int descriptor, size_t at_most, const char* data) {
  return Write(descriptor, at_most, data, nullptr);
}

int64_t WriteSomeAt(int descriptor, uint64_t offset, size_t at_most, const char* data) {
  OVERLAPPED place = At(offset);
  return Write(descriptor, at_most, data, &place);
}

int64_t PositionOf(int descriptor) { return _lseeki64(descriptor, 0, SEEK_CUR); }

int SyncFile(int descriptor) { return FlushFileBuffers(HandleOf(descriptor)) ? 0 : FailedCall(); }

int EmptyFile(int descriptor) {
  FILE_END_OF_FILE_INFO end = {};
  return SetFileInformationByHandle(HandleOf(descriptor), FileEndOfFileInfo, &end, sizeof(end))
             ? 0
             : FailedCall();
}

void WillRead(int /*descriptor*/, uint64_t /*offset*/, uint64_t /*bytes*/) {}

}  // namespace bloomline::support
#endif  // _WIN32

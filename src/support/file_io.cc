#include "src/support/file_io.h"

#include <atomic>
#include <cerrno>

#include "src/support/file_calls.h"
#include "src/support/process.h"
#include "src/support/system_error.h"

namespace bloomline::support {
namespace {

std::string At(const char* what, uint64_t n, uint64_t offset) {
  return std::string(what) + " " + std::to_string(n) + " bytes at offset " + std::to_string(offset);
}

// Moves n bytes by calls of transfer(done, at_most), which returns as read and write do. False,
// with errno, on an error. *done is how many were moved: fewer than n if a call moved none.
template <typename Transfer>
bool MoveAll(uint64_t n, uint64_t* done, Transfer transfer) {
  for (*done = 0; *done < n;) {
    const int64_t moved = transfer(*done, static_cast<size_t>(n - *done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return false;
    if (moved == 0) return true;
    *done += static_cast<uint64_t>(moved);
  }
  return true;
}

bool ReadExactly(int descriptor, const std::string& path, uint64_t offset, uint64_t n, char* dst,
                 std::string* error) {
  uint64_t done;
  const bool readable = MoveAll(n, &done, [&](uint64_t so_far, size_t at_most) {
    return ReadSomeAt(descriptor, offset + so_far, at_most, dst + so_far);
  });
  if (!readable) return SystemFailure(path, At("cannot read", n, offset), error);
  if (done == n) return true;
  *error = path + ": " + At("cannot read", n, offset) + ": the file ends after " +
           std::to_string(done) + " of them";
  return false;
}

bool WriteExactly(int descriptor, const std::string& path, uint64_t offset, uint64_t n,
                  const char* data, std::string* error) {
  uint64_t done;
  const bool writable = MoveAll(n, &done, [&](uint64_t so_far, size_t at_most) {
    return WriteSomeAt(descriptor, offset + so_far, at_most, data + so_far);
  });
  if (writable && done == n) return true;
  if (writable) errno = ENOSPC;  // a call wrote nothing and set no errno
  return SystemFailure(path, At("cannot write", n, offset), error);
}

// A new file with the name `stem` and a number that no file has. create(name) returns its
// descriptor and -1 with errno otherwise; so does this.
template <typename Create>
int CreateNumbered(const std::string& stem, std::string* name, Create create) {
  static std::atomic<uint64_t> counter{0};
  int descriptor;
  do {
    *name = stem + std::to_string(ProcessNumber()) + "." + std::to_string(counter.fetch_add(1));
    descriptor = create(*name);
  } while (descriptor < 0 && (errno == EEXIST || errno == EINTR));
  return descriptor;
}

}  // namespace

InputFile::~InputFile() {
  if (descriptor_ >= 0) CloseFile(descriptor_);
}

bool InputFile::Open(const std::string& path, std::string* error) {
  if (IsNoPath(path, error)) return false;
  path_ = path;
  // A pipe must not block before it is known what the file is.
  descriptor_ = Uninterrupted([&] { return OpenFile(path, NoWriter::kGoOn); });
  if (descriptor_ < 0) return SystemFailure(path_, "cannot be opened", error);
  FileStatus status;
  if (!Examine(descriptor_, &status)) return SystemFailure(path_, "cannot be examined", error);
  if (status.kind != FileKind::kRegular) return NotRegular(path_, error);
  size_ = status.size;
  return true;
}

bool InputFile::ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const {
  return ReadExactly(descriptor_, path_, offset, n, dst, error);
}

ReplacementFile::~ReplacementFile() {
  if (descriptor_ >= 0) CloseFile(descriptor_);
  if (!temporary_.empty()) target_.RemoveBeside(temporary_);
}

bool ReplacementFile::Open(const std::string& path, std::string* error, NewFile new_file) {
  if (!target_.Open(path, error)) return false;
  descriptor_ = CreateNumbered(target_.name() + ".tmp", &temporary_, [&](const std::string& name) {
    return target_.CreateBeside(name, new_file);
  });
  temporary_path_ = target_.folder_path() + temporary_;
  if (descriptor_ >= 0) return true;
  temporary_.clear();
  return SystemFailure(temporary_path_, "cannot be created", error);
}

bool ReplacementFile::Append(const char* data, uint64_t n, std::string* error) {
  if (!WriteAt(size_, data, n, error)) return false;
  size_ += n;
  return true;
}

bool ReplacementFile::WriteAt(uint64_t offset, const char* data, uint64_t n,
                              std::string* error) const {
  return WriteExactly(descriptor_, temporary_path_, offset, n, data, error);
}

bool ReplacementFile::Commit(std::string* error, DiskSync sync) {
  // Now rather than in Open: a long file takes minutes to write, and permissions may have changed.
  if (!target_.CopyAttributesTo(descriptor_, error)) return false;
  const bool is_synced = sync == DiskSync::kDone;
  if (is_synced && Uninterrupted([&] { return SyncFile(descriptor_); }) != 0) {
    return SystemFailure(temporary_path_, "cannot be synced", error);
  }
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (CloseFile(descriptor) != 0 && errno != EINTR) {  // with EINTR it is closed
    return SystemFailure(temporary_path_, "cannot be closed", error);
  }
  if (!target_.ReplaceBy(temporary_, error)) return false;
  temporary_.clear();
  return !is_synced || target_.Sync(error);
}

}  // namespace bloomline::support

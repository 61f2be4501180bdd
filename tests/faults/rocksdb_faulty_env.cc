#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

#include <algorithm>
#include <cstring>

#include "tests/faults/fault_points.h"

namespace bloomline::tests {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus ErrorOf(Fault fault) {
  if (fault == Fault::kNone) return IOStatus::OK();
  return fault == Fault::kNoSpace ? IOStatus::NoSpace("injected ENOSPC")
                                  : IOStatus::IOError("injected EIO");
}

class FaultySequentialFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  FaultySequentialFile(std::unique_ptr<rocksdb::FSSequentialFile> file, FaultPoints* points,
                       const std::string&)
      : FSSequentialFileOwnerWrapper(std::move(file)), points_(points) {}
  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    const Fault fault = points_->At(FaultyOperation::kReadOther);
    if (fault != Fault::kNone) return ErrorOf(fault);
    return FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, debug);
  }

 private:
  FaultPoints* const points_;
};

class FaultyTableFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultyTableFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, FaultPoints* points,
                  const std::string&)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), points_(points) {}
  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    const IOStatus status =
        FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result, scratch, debug);
    if (!status.ok()) return status;
    size_t size = result->size();
    if (result->data() != scratch) std::memcpy(scratch, result->data(), size);
    if (!points_->AtTableRead(offset, scratch, &size)) return ErrorOf(Fault::kIoError);
    *result = Slice(scratch, size);
    return status;
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t n, const IOOptions& options,
                     IODebugContext* debug) override {
    for (size_t i = 0; i < n; ++i) {
      rocksdb::FSReadRequest& request = requests[i];
      request.status =
          Read(request.offset, request.len, options, &request.result, request.scratch, debug);
    }
    return IOStatus::OK();
  }
  // Otherwise readahead would bypass the faults.
  IOStatus Prefetch(uint64_t, size_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported();
  }

 private:
  FaultPoints* const points_;
};

class FaultyWritableFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using Wrapper = rocksdb::FSWritableFileOwnerWrapper;

  FaultyWritableFile(std::unique_ptr<rocksdb::FSWritableFile> file, FaultPoints* points,
                     const std::string& name)
      : Wrapper(std::move(file)), points_(points), write_(WriteTo(name)) {}
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const Fault fault = points_->At(write_);
    if (fault == Fault::kNone) return Wrapper::Append(data, options, debug);
    if (fault == Fault::kNoSpace) {
      Wrapper::Append(Slice(data.data(), data.size() / 2), options, debug).PermitUncheckedError();
    }
    return ErrorOf(fault);
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus status = Wrapper::Close(options, debug);
    const Fault fault = points_->At(FaultyOperation::kClose);
    return fault != Fault::kNone ? ErrorOf(fault) : status;
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const Fault fault = points_->At(FaultyOperation::kSync);
    return fault != Fault::kNone ? ErrorOf(fault) : Flush(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Sync(options, debug);
  }
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return ErrorOf(points_->At(FaultyOperation::kSync));
  }

 private:
  FaultPoints* const points_;
  const FaultyOperation write_;
};

class FaultyDirectory : public rocksdb::FSDirectory {
 public:
  explicit FaultyDirectory(FaultPoints* points) : points_(points) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return ErrorOf(points_->At(FaultyOperation::kSync));
  }

 private:
  FaultPoints* const points_;
};

class FaultyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultyFileSystem(FaultPoints* points)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), points_(points) {}
  const char* Name() const override { return "FaultyFileSystem"; }

  IOStatus NewSequentialFile(const std::string& name, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* debug) override {
    return Open<FaultySequentialFile>(name, file, [&](auto* base) {
      return target()->NewSequentialFile(name, options, base, debug);
    });
  }
  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    return Open<FaultyTableFile>(name, file, [&](auto* base) {
      return target()->NewRandomAccessFile(name, options, base, debug);
    });
  }
  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    return Open<FaultyWritableFile>(name, file, [&](auto* base) {
      return target()->NewWritableFile(name, options, base, debug);
    });
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override {
    return Open<FaultyWritableFile>(name, file, [&](auto* base) {
      return target()->ReopenWritableFile(name, options, base, debug);
    });
  }
  IOStatus NewDirectory(const std::string&, const IOOptions&,
                        std::unique_ptr<rocksdb::FSDirectory>* directory,
                        IODebugContext*) override {
    return Do(FaultyOperation::kDirectory, [&] {
      *directory = std::make_unique<FaultyDirectory>(points_);
      return IOStatus::OK();
    });
  }
  IOStatus GetChildren(const std::string& name, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* debug) override {
    return Do(FaultyOperation::kDirectory,
              [&] { return target()->GetChildren(name, options, names, debug); });
  }
  IOStatus GetFileSize(const std::string& name, const IOOptions& options, uint64_t* size,
                       IODebugContext* debug) override {
    return Do(FaultyOperation::kDirectory,
              [&] { return target()->GetFileSize(name, options, size, debug); });
  }
  IOStatus CreateDirIfMissing(const std::string& name, const IOOptions& options,
                              IODebugContext* debug) override {
    return Do(FaultyOperation::kDirectory,
              [&] { return target()->CreateDirIfMissing(name, options, debug); });
  }
  IOStatus LockFile(const std::string& name, const IOOptions& options, rocksdb::FileLock** lock,
                    IODebugContext* debug) override {
    return Do(FaultyOperation::kDirectory,
              [&] { return target()->LockFile(name, options, lock, debug); });
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* debug) override {
    return Do(FaultyOperation::kRemove, [&] { return target()->DeleteFile(name, options, debug); });
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    return Do(FaultyOperation::kRename,
              [&] { return target()->RenameFile(from, to, options, debug); });
  }

 private:
  template <typename Call>
  IOStatus Do(FaultyOperation operation, Call call) {
    const Fault fault = points_->At(operation);
    return fault != Fault::kNone ? ErrorOf(fault) : call();
  }

  template <typename Wrapper, typename File, typename Call>
  IOStatus Open(const std::string& name, std::unique_ptr<File>* file, Call call) {
    std::unique_ptr<File> base;
    const IOStatus status = Do(FaultyOperation::kOpen, [&] { return call(&base); });
    if (status.ok()) *file = std::make_unique<Wrapper>(std::move(base), points_, name);
    return status;
  }

  FaultPoints* const points_;
};

// RocksDB sleeps for a second after each error.
class ImpatientClock : public rocksdb::SystemClockWrapper {
 public:
  ImpatientClock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  const char* Name() const override { return "ImpatientClock"; }
  void SleepForMicroseconds(int microseconds) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(microseconds, 500));
  }
};

struct FaultyFiles {
  std::unique_ptr<rocksdb::Env> env;
};

class FaultyEnv : private FaultyFiles, public rocksdb::EnvWrapper {
 public:
  explicit FaultyEnv(FaultPoints* points)
      : FaultyFiles{rocksdb::NewCompositeEnv(std::make_shared<FaultyFileSystem>(points))},
        EnvWrapper(env.get()) {
    system_clock_ = std::make_shared<ImpatientClock>();
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> NewFaultyRocksDBEnv(FaultPoints* points) {
  return std::make_unique<FaultyEnv>(points);
}

}  // namespace bloomline::tests

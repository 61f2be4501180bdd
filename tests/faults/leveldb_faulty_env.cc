#include <leveldb/env.h>

#include <cstring>

#include "tests/faults/fault_points.h"

namespace bloomline::tests {
namespace {

using leveldb::Slice;
using leveldb::Status;

Status ErrorOf(Fault fault) {
  if (fault == Fault::kNone) return Status::OK();
  return Status::IOError("injected", fault == Fault::kNoSpace ? "ENOSPC" : "EIO");
}

class FaultySequentialFile : public leveldb::SequentialFile {
 public:
  FaultySequentialFile(leveldb::SequentialFile* file, FaultPoints* points, const std::string&)
      : file_(file), points_(points) {}
  Status Read(size_t n, Slice* result, char* scratch) override {
    const Fault fault = points_->At(FaultyOperation::kReadOther);
    return fault != Fault::kNone ? ErrorOf(fault) : file_->Read(n, result, scratch);
  }
  Status Skip(uint64_t n) override { return file_->Skip(n); }

 private:
  const std::unique_ptr<leveldb::SequentialFile> file_;
  FaultPoints* const points_;
};

class FaultyTableFile : public leveldb::RandomAccessFile {
 public:
  FaultyTableFile(leveldb::RandomAccessFile* file, FaultPoints* points, const std::string&)
      : file_(file), points_(points) {}
  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    const Status status = file_->Read(offset, n, result, scratch);
    if (!status.ok()) return status;
    size_t size = result->size();
    if (result->data() != scratch) std::memcpy(scratch, result->data(), size);
    if (!points_->AtTableRead(offset, scratch, &size)) return ErrorOf(Fault::kIoError);
    *result = Slice(scratch, size);
    return status;
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
  FaultPoints* const points_;
};

class FaultyWritableFile : public leveldb::WritableFile {
 public:
  FaultyWritableFile(leveldb::WritableFile* file, FaultPoints* points, const std::string& name)
      : file_(file), points_(points), write_(WriteTo(name)) {}
  Status Append(const Slice& data) override {
    const Fault fault = points_->At(write_);
    if (fault == Fault::kNone) return file_->Append(data);
    if (fault == Fault::kNoSpace) file_->Append(Slice(data.data(), data.size() / 2));
    return ErrorOf(fault);
  }
  Status Close() override {
    const Status status = file_->Close();
    const Fault fault = points_->At(FaultyOperation::kClose);
    return fault != Fault::kNone ? ErrorOf(fault) : status;
  }
  Status Flush() override { return file_->Flush(); }
  Status Sync() override {
    const Fault fault = points_->At(FaultyOperation::kSync);
    return fault != Fault::kNone ? ErrorOf(fault) : file_->Flush();
  }

 private:
  const std::unique_ptr<leveldb::WritableFile> file_;
  FaultPoints* const points_;
  const FaultyOperation write_;
};

class FaultyEnv : public leveldb::EnvWrapper {
 public:
  explicit FaultyEnv(FaultPoints* points) : EnvWrapper(leveldb::Env::Default()), points_(points) {}

  Status NewSequentialFile(const std::string& name, leveldb::SequentialFile** file) override {
    return Open<FaultySequentialFile>(
        name, file, [&](auto** base) { return target()->NewSequentialFile(name, base); });
  }
  Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** file) override {
    return Open<FaultyTableFile>(
        name, file, [&](auto** base) { return target()->NewRandomAccessFile(name, base); });
  }
  Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override {
    return Open<FaultyWritableFile>(
        name, file, [&](auto** base) { return target()->NewWritableFile(name, base); });
  }
  Status NewAppendableFile(const std::string& name, leveldb::WritableFile** file) override {
    return Open<FaultyWritableFile>(
        name, file, [&](auto** base) { return target()->NewAppendableFile(name, base); });
  }
  Status GetChildren(const std::string& name, std::vector<std::string>* names) override {
    return Do(FaultyOperation::kDirectory, [&] { return target()->GetChildren(name, names); });
  }
  Status CreateDir(const std::string& name) override {
    return Do(FaultyOperation::kDirectory, [&] { return target()->CreateDir(name); });
  }
  Status GetFileSize(const std::string& name, uint64_t* size) override {
    return Do(FaultyOperation::kDirectory, [&] { return target()->GetFileSize(name, size); });
  }
  Status LockFile(const std::string& name, leveldb::FileLock** lock) override {
    return Do(FaultyOperation::kDirectory, [&] { return target()->LockFile(name, lock); });
  }
  Status RemoveFile(const std::string& name) override {
    return Do(FaultyOperation::kRemove, [&] { return target()->RemoveFile(name); });
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return Do(FaultyOperation::kRename, [&] { return target()->RenameFile(from, to); });
  }

 private:
  template <typename Call>
  Status Do(FaultyOperation operation, Call call) {
    const Fault fault = points_->At(operation);
    return fault != Fault::kNone ? ErrorOf(fault) : call();
  }

  template <typename Wrapper, typename File, typename Call>
  Status Open(const std::string& name, File** file, Call call) {
    *file = nullptr;
    File* base = nullptr;
    const Status status = Do(FaultyOperation::kOpen, [&] { return call(&base); });
    if (status.ok()) *file = new Wrapper(base, points_, name);
    return status;
  }

  FaultPoints* const points_;
};

}  // namespace

std::unique_ptr<leveldb::Env> NewFaultyLevelDBEnv(FaultPoints* points) {
  return std::make_unique<FaultyEnv>(points);
}

}  // namespace bloomline::tests

#include "tests/faults/fault_points.h"

#include <algorithm>

namespace bloomline::tests {

const char* Name(FaultyOperation operation) {
  constexpr const char* kNames[] = {
      "open", "read of a table", "read of a log", "write",  "write of the manifest",
      "sync", "close",           "rename",        "remove", "directory"};
  return kNames[static_cast<int>(operation)];
}

const char* Name(Fault fault) {
  constexpr const char* kNames[] = {"none", "EIO", "ENOSPC", "short", "flipped bit"};
  return kNames[static_cast<int>(fault)];
}

FaultyOperation WriteTo(const std::string& path) {
  return path.find("MANIFEST") == path.npos ? FaultyOperation::kWrite
                                            : FaultyOperation::kWriteManifest;
}

bool CanHave(FaultyOperation operation, Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return false;
    case Fault::kIoError:
      return true;
    case Fault::kNoSpace:
      return operation == FaultyOperation::kOpen || operation == FaultyOperation::kWrite ||
             operation == FaultyOperation::kWriteManifest || operation == FaultyOperation::kSync ||
             operation == FaultyOperation::kRename;
    case Fault::kShortRead:
    case Fault::kBitFlip:
      return operation == FaultyOperation::kReadTable;
  }
  return false;
}

void FaultPoints::Reset() {
  armed_ = flips_ = false;
  injected_ = 0;
  std::fill(std::begin(counts_), std::end(counts_), 0);
}

void FaultPoints::Arm(FaultyOperation operation, Fault fault, uint64_t nth, bool lasting) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Reset();
  armed_ = true;
  operation_ = operation;
  fault_ = fault;
  nth_ = nth;
  lasting_ = lasting;
}

void FaultPoints::ArmFlip(uint64_t offset) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Reset();
  flips_ = true;
  flip_offset_ = offset;
}

void FaultPoints::Disarm() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Reset();
}

Fault FaultPoints::Decide(FaultyOperation operation) {
  const uint64_t count = ++counts_[static_cast<int>(operation)];
  const bool here = armed_ && operation == operation_ && (lasting_ ? count >= nth_ : count == nth_);
  if (!here) return Fault::kNone;
  ++injected_;
  return fault_;
}

Fault FaultPoints::At(FaultyOperation operation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Decide(operation);
}

bool FaultPoints::AtTableRead(uint64_t offset, char* bytes, size_t* n) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Fault fault = Decide(FaultyOperation::kReadTable);
  if (fault == Fault::kIoError) return false;
  if (fault == Fault::kShortRead) *n /= 2;
  if (fault == Fault::kBitFlip && *n != 0) bytes[*n / 2] = static_cast<char>(bytes[*n / 2] ^ 4);
  if (flips_ && offset <= flip_offset_ && flip_offset_ < offset + *n) {
    ++injected_;
    char& byte = bytes[flip_offset_ - offset];
    byte = static_cast<char>(byte ^ 1 << flip_offset_ % 8);
  }
  return true;
}

uint64_t FaultPoints::count(FaultyOperation operation) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_[static_cast<int>(operation)];
}

uint64_t FaultPoints::injected() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return injected_;
}

}  // namespace bloomline::tests

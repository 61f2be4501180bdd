// Chooses the file operations of an engine that fail, and how. The failing environments are below.
#ifndef BLOOMLINE_TESTS_FAULTS_FAULT_POINTS_H_
#define BLOOMLINE_TESTS_FAULTS_FAULT_POINTS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace leveldb {
class Env;
}
namespace rocksdb {
class Env;
}

namespace bloomline::tests {

enum class FaultyOperation {
  kOpen,       // or create
  kReadTable,  // at an offset
  kReadOther,  // logs and manifests, from the start
  kWrite,
  kWriteManifest,
  kSync,
  kClose,
  kRename,
  kRemove,
  kDirectory,  // list, create, examine, lock
};
constexpr int kNumFaultyOperations = 10;
const char* Name(FaultyOperation operation);

enum class Fault {
  kNone,
  kIoError,    // EIO; the operation does nothing
  kNoSpace,    // ENOSPC; half of a write is done
  kShortRead,  // half of the bytes, no error
  kBitFlip,    // all bytes, one bit changed, no error
};
constexpr int kNumFaults = 5;
const char* Name(Fault fault);

// kWrite or kWriteManifest, by the name of the file in either engine.
FaultyOperation WriteTo(const std::string& path);

// The faults that an operation can have. Logs and manifests have no short or changed reads: for the
// engines, a log ends where its bytes end, so they open without the later writes, with any filter
// policy and with none.
bool CanHave(FaultyOperation operation, Fault fault);

// Thread-safe.
class FaultPoints {
 public:
  // The n-th operation of the kind from now on fails, n from 1; with `lasting` also all later ones.
  void Arm(FaultyOperation operation, Fault fault, uint64_t nth, bool lasting);
  // Every read of the byte at `offset` of any table has one changed bit.
  void ArmFlip(uint64_t offset);
  void Disarm();

  // Counts the operation and returns its fault, or kNone.
  Fault At(FaultyOperation operation);
  // Counts a read of a table and applies the fault to its *n bytes. Returns false if the read
  // fails.
  bool AtTableRead(uint64_t offset, char* bytes, size_t* n);

  // Operations, and faults, since the last Arm or Disarm.
  uint64_t count(FaultyOperation operation) const;
  uint64_t injected() const;

 private:
  void Reset();
  Fault Decide(FaultyOperation operation);

  mutable std::mutex mutex_;
  bool armed_ = false;
  bool flips_ = false;
  FaultyOperation operation_ = FaultyOperation::kOpen;
  Fault fault_ = Fault::kNone;
  uint64_t nth_ = 0;
  bool lasting_ = false;
  uint64_t flip_offset_ = 0;
  uint64_t counts_[kNumFaultyOperations] = {};
  uint64_t injected_ = 0;
};

// Environments that wrap the engines' own. `points` must outlive them. Syncs are counted but not
// done, because no test here cuts the power.
std::unique_ptr<leveldb::Env> NewFaultyLevelDBEnv(FaultPoints* points);
std::unique_ptr<rocksdb::Env> NewFaultyRocksDBEnv(FaultPoints* points);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_FAULT_POINTS_H_

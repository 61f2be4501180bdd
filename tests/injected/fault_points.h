// Where file operations of an engine fail, and how. The environments that fail are below.
#ifndef BLOOMLINE_TESTS_INJECTED_FAULT_POINTS_H_
#define BLOOMLINE_TESTS_INJECTED_FAULT_POINTS_H_

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
  kDirectory,  // list, make, examine, lock
};
constexpr int kNumFaultyOperations = 10;
const char* Name(FaultyOperation operation);

enum class Fault {
  kNone,
  kIoError,    // EIO, and nothing is done
  kNoSpace,    // ENOSPC; of a write, half is done: a short write
  kShortRead,  // half of the bytes, and no error
  kBitFlip,    // all of them, one bit changed, and no error
};
constexpr int kNumFaults = 5;
const char* Name(Fault fault);

// kWrite or kWriteManifest, by the name of a file of either engine.
FaultyOperation WriteTo(const std::string& path);

// Which faults an operation can have. A short or changed read of a log or manifest is left out: to
// the engines, where bytes end the log ends, so that they open without the writes behind it, with
// any filter policy and with none.
bool CanHave(FaultyOperation operation, Fault fault);

// Thread-safe.
class FaultPoints {
 public:
  // The n-th operation of the kind from now on fails, n from 1; with `lasting` all after it, too.
  void Arm(FaultyOperation operation, Fault fault, uint64_t nth, bool lasting);
  // A bit of the byte at `offset` of every table is changed whenever it is read.
  void ArmFlip(uint64_t offset);
  void Disarm();

  // Counts the operation and decides.
  Fault At(FaultyOperation operation);
  // Counts a read of a table, and does to *bytes, of which there are *n, what is to be done. False:
  // the read fails.
  bool AtTableRead(uint64_t offset, char* bytes, size_t* n);

  // Operations since the last Arm or Disarm, and faults.
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

// Environments over the engines' own ones. `points` must outlive them. Syncs are counted and not
// done: nothing here is about lost power.
std::unique_ptr<leveldb::Env> NewFaultyLevelDBEnv(FaultPoints* points);
std::unique_ptr<rocksdb::Env> NewFaultyRocksDBEnv(FaultPoints* points);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_FAULT_POINTS_H_

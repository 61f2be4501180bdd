// Kills this process at a chosen file operation, whichever code makes it: a program that links this
// has its own open, write, rename and so on, which replace libc's.
#ifndef BLOOMLINE_TESTS_FAULTS_KILL_POINTS_H_
#define BLOOMLINE_TESTS_FAULTS_KILL_POINTS_H_

#include <cstdint>

namespace bloomline::tests {

enum class FileOperation { kOpen, kWrite, kSync, kClose, kRename, kUnlink };
constexpr int kNumFileOperations = 6;

// By the names that both engines use.
enum class FileKind { kTable, kLog, kManifest, kOther };
constexpr int kNumFileKinds = 4;

enum class KillTime {
  kBefore,
  kMiddle,  // half of a write has reached the file; for other operations: kBefore
  kAfter,
};
constexpr int kNumKillTimes = 3;

struct KillPoint {
  FileOperation operation = FileOperation::kWrite;
  FileKind kind = FileKind::kTable;
  uint64_t nth = 1;  // number of the operation among these, from 1
  KillTime time = KillTime::kBefore;
};

// Kills at the n-th operation from now on. Reads, and opening to read, are not counted.
void ArmKillPoint(const KillPoint& point);

// Makes fsync and the like do nothing: written data outlives a killed process without them, and no
// test here cuts the power.
void SkipSyncs();

[[noreturn]] void KillThisProcess();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_KILL_POINTS_H_

// Ends this process by SIGKILL at a chosen file operation of whatever code makes it: the program
// that links this has its own open, write, rename and so on in front of libc's.
#ifndef BLOOMLINE_TESTS_INJECTED_KILL_POINTS_H_
#define BLOOMLINE_TESTS_INJECTED_KILL_POINTS_H_

#include <cstdint>

namespace bloomline::tests {

enum class FileOperation { kOpen, kWrite, kSync, kClose, kRename, kUnlink };
constexpr int kNumFileOperations = 6;
const char* Name(FileOperation operation);

// By name, as both engines call them. Saved filters and their temporary files are kOther.
enum class FileKind { kTable, kLog, kManifest, kOther };
constexpr int kNumFileKinds = 4;
const char* Name(FileKind kind);

enum class KillTime {
  kBefore,
  kMiddle,  // of a write: half of it has reached the file; of others: kBefore
  kAfter,
};
constexpr int kNumKillTimes = 3;

struct KillPoint {
  FileOperation operation = FileOperation::kWrite;
  FileKind kind = FileKind::kTable;
  uint64_t nth = 1;  // of such operations, from 1
  KillTime time = KillTime::kBefore;
};

// From now on. Reading is not counted, nor opening to read.
void ArmKillPoint(const KillPoint& point);

// fsync and its kin do nothing: what a process wrote outlives it without them, and tests are not
// about lost power.
void SkipSyncs();

[[noreturn]] void KillThisProcess();

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_KILL_POINTS_H_

// Preloaded, it is a disk that does not answer: a sync of a file or folder with "hung" in its path,
// and from the second on, each renaming of a file with "hung" in its name never returns.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace {

void HangIfIn(const char* path) {
  while (strstr(path, "hung") != nullptr) pause();
}

}  // namespace

extern "C" int fsync(int descriptor) {
  char link[64];
  char path[4096] = "";
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  if (readlink(link, path, sizeof(path) - 1) > 0) HangIfIn(path);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

extern "C" int rename(const char* from, const char* to) {
  static std::atomic<int> renamed{0};
  if (strstr(from, "hung") != nullptr && renamed++ > 0) HangIfIn(from);
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

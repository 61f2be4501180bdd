// Preloaded, it is a disk that does not answer: from the second on, each renaming of a file with
// "hung" in its name never returns.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

extern "C" int rename(const char* from, const char* to) {
  static std::atomic<int> renamed{0};
  if (strstr(from, "hung") != nullptr && renamed++ > 0) {
    for (;;) pause();
  }
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

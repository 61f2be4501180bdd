#include "src/support/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <initializer_list>

namespace bloomline::support {

uint64_t ProcessNumber() {
  static std::atomic<uint64_t> number{0};  // 0: not known
  static const bool is_forgotten_at_fork =
      pthread_atfork(nullptr, nullptr, [] { number = 0; }) == 0;
  uint64_t known = is_forgotten_at_fork ? number.load(std::memory_order_relaxed) : 0;
  if (known == 0) {
    known = static_cast<uint64_t>(getpid());
    number.store(known, std::memory_order_relaxed);
  }
  return known;
}

bool IsTerminal(int descriptor) { return isatty(descriptor) == 1; }

bool PrepareStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The system gives the lowest free number, which is this one.
    const int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", flags) != descriptor) return false;
  }
  return true;
}

}  // namespace bloomline::support

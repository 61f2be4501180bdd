#include "src/tool/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace bloomline::tool {
namespace {

// errno of the first write that failed; kUnknown: somebody else has seen it.
constexpr int kUnknown = -1;
int first_error = 0;

}  // namespace

void OccupyStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one.
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) _exit(1);
  }
}

bool FlushOutput() {
  errno = 0;
  // std::cout has no buffer of its own: it writes through stdout.
  const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !std::cout.fail();
  if (!flushed && first_error == 0) first_error = errno != 0 ? errno : kUnknown;
  return flushed;
}

bool CloseOutput() {
  FlushOutput();
  // Some file systems report only now that a disk or a quota is full.
  if (std::fclose(stdout) != 0 && first_error == 0) first_error = errno;
  if (first_error != 0 && first_error != EPIPE) {
    std::fprintf(stderr, "bloomline: standard output: cannot be written%s%s\n",
                 first_error == kUnknown ? "" : ": ",
                 first_error == kUnknown ? "" : std::strerror(first_error));
  }
  return first_error == 0;
}

}  // namespace bloomline::tool

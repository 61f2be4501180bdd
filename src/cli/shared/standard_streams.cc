#include "src/cli/shared/standard_streams.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "src/support/file_calls.h"
#include "src/support/process.h"

namespace bloomline::cli {

void PrepareStandardStreams() {
  if (!support::PrepareStandardDescriptors()) std::_Exit(1);
}

bool FlushOutput() { return static_cast<bool>(std::cout.flush()) && std::fflush(stdout) == 0; }

bool CloseOutput() {
  errno = 0;  // a write that failed earlier does not tell its reason
  // Some file systems report only now that a disk or a quota is full.
  if (FlushOutput() && support::CloseFile(support::kStandardOutput) == 0) return true;
  if (errno != EPIPE) {
    std::fprintf(stderr, "bloomline: standard output: cannot be written%s%s\n",
                 errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  }
  return false;
}

}  // namespace bloomline::cli

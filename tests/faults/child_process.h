// Runs code in a process that may be killed.
#ifndef BLOOMLINE_TESTS_FAULTS_CHILD_PROCESS_H_
#define BLOOMLINE_TESTS_FAULTS_CHILD_PROCESS_H_

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace bloomline::tests {

// Runs f in a process of its own, which is killed after at_most. Returns its status as waitpid
// does.
template <typename F>
int InChild(std::chrono::microseconds at_most, F f) {
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(2);
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    f();
    _exit(0);
  }
  const auto end = std::chrono::steady_clock::now() + at_most;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    const auto now = std::chrono::steady_clock::now();
    if (now >= end) break;
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(std::chrono::milliseconds(1), end - now));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

inline bool WasKilled(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_CHILD_PROCESS_H_

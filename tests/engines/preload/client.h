// What the programs that know one engine have in common.
#ifndef BLOOMLINE_TESTS_PRELOAD_CLIENT_H_
#define BLOOMLINE_TESTS_PRELOAD_CLIENT_H_

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

constexpr int kNumKeys = 10000;

template <typename Status>  // of either engine
void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

// Many threads ask for their first policy at the same time, then a forked child does.
// `make_policies` returns how many were wrong.
inline int UseThreadsAndFork(int (*make_policies)()) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { wrong += make_policies(); });
  for (std::thread& thread : threads) thread.join();
  const pid_t child = fork();
  if (child == 0) _exit(make_policies() != 0);
  int status = 1;
  waitpid(child, &status, 0);
  std::printf("wrong %d, child %d\n", wrong.load(), status);
  return wrong != 0 || status != 0;
}

#endif  // BLOOMLINE_TESTS_PRELOAD_CLIENT_H_

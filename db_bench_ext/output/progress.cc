#include "db_bench_ext/output/progress.h"

#include <csignal>
#include <iostream>

namespace bloomline::bench {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

void CatchInterrupts() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = 1; });
}

void Progress::Start(const std::string& what) {
  what_ = what;
  Print();
}

void Progress::Add(uint64_t operations) {
  if (interrupted != 0) throw Interrupted();
  done_ += operations;
  Print();
}

void Progress::Print() const {
  if (!enabled_) return;
  std::cout << "@progress " << done_ << ' ' << total_ << ' ' << what_ << std::endl;
}

}  // namespace bloomline::bench

#include "tests/migration/report.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace bloomline::tests {
namespace {

std::string TablesText(const std::map<std::string, int>& tables) {
  std::string text;
  for (const auto& [name, count] : tables) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return text;
}

// "Bloom 1.02 %": the missing keys that passed, of those that filters of the kind were queried for.
std::string PassedText(const Checked& checked) {
  std::string text;
  for (int kind = 0; kind < kNumKinds; ++kind) {
    const uint64_t queries = checked.yes[kind] + checked.no[kind];
    if (queries == 0) continue;
    char part[64];
    std::snprintf(part, sizeof(part), "%s%s %.2f %%", text.empty() ? "" : ", ",
                  Name(static_cast<Kind>(kind)),
                  100 * static_cast<double>(checked.yes[kind]) / static_cast<double>(queries));
    text += part;
  }
  return text.empty() ? "-" : text;
}

}  // namespace

Report::Report() {
  void* memory =
      mmap(nullptr, sizeof(Totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    std::exit(2);
  }
  totals_ = new (memory) Totals();
}

void Report::Line(const std::string& text) {
  std::puts(text.c_str());
  std::fflush(stdout);
}

void Report::Heading(const std::string& text) {
  heading_ = text;
  Line("\n" + text);
}

void Report::Step(const std::string& name, const Checked& checked, const std::string& problem,
                  double seconds) {
  ++totals_->steps;
  totals_->keys += checked.keys;
  totals_->wrong += checked.wrong;
  totals_->missing += checked.missing;
  std::printf("  %-34s %9" PRIu64 " keys %" PRIu64 " wrong, %7" PRIu64
              " missing: passed %-32s %.2f blocks, %5.1f s; %s\n",
              name.c_str(), checked.keys, checked.wrong, checked.missing,
              PassedText(checked).c_str(), checked.blocks_per_missing, seconds,
              TablesText(checked.tables).c_str());
  std::fflush(stdout);
  if (checked.wrong != 0) {
    Fail(name + ": " + std::to_string(checked.wrong) + " wrong, first: " + checked.first_wrong);
  }
  if (!problem.empty()) Fail(name + ": " + problem);
}

void Report::Fail(const std::string& what) {
  ++totals_->failures;
  Line("FAILED (" + heading_ + ") " + what);
}

bool Report::InProcess(const std::function<void()>& f, bool* aborted) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(2);
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core = {0, 0};
    if (aborted != nullptr) setrlimit(RLIMIT_CORE, &no_core);
    f();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return false;
  if (aborted != nullptr && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) {
    *aborted = true;
    return true;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    Fail("a process ended with status " + std::to_string(status));
  }
  return true;
}

}  // namespace bloomline::tests

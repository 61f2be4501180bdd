#include "db_bench_ext/support/output.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace bloomline::bench {
namespace {

volatile std::sig_atomic_t interrupted = 0;
size_t steps_begun = 0;
size_t steps_in_all = 0;

}  // namespace

void Output::Print(const std::string& text) {
  std::cout << text << std::flush;
  text_ += text;
}

std::string Output::Elapsed() const {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  return "Elapsed: " + std::to_string(seconds) + " s.\n";
}

int Output::PrintVerdict(uint64_t wrong_answers) {
  const std::string verdict = wrong_answers == 0
                                  ? "Every answer was right."
                                  : "WRONG ANSWERS: " + std::to_string(wrong_answers) + ".";
  Print(verdict + " " + Elapsed());
  return wrong_answers == 0 ? 0 : 1;
}

void WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + path.string());
}

TemporaryDirectory::TemporaryDirectory(const std::string& parent)
    : path_(parent + "/bloomline-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr)
    throw std::runtime_error("cannot make a folder in " + parent);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void CatchInterrupts() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = 1; });
}

void CheckInterrupted() {
  if (interrupted != 0) throw Interrupted();
}

void ExpectSteps(size_t all) { steps_in_all = all; }

void Begin(const std::string& what) {
  CheckInterrupted();
  if (steps_in_all != 0) std::cerr << '[' << steps_begun++ << '/' << steps_in_all << "] ";
  if (steps_in_all != 0 || isatty(STDERR_FILENO) != 0) std::cerr << what << std::endl;
}

}  // namespace bloomline::bench

// The command lines of the benches: the flags that several of them have, and main. What each flag
// does is in db_bench_ext/flags.txt.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_FLAGS_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_FLAGS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace bloomline::bench {

void AddRounds(CLI::App* app, int* rounds);
void AddOut(CLI::App* app, std::string* directory);

// False if the process should end now: with *exit_code 0 after --help, with 2 after a bad flag,
// which has been reported on stderr. Else *exit_code is 0, too.
bool Parse(CLI::App* app, int argc, char** argv, int* exit_code);

// False if the kernel in BLOOMLINE_KERNEL cannot be used, which is reported: a bench then ends,
// because figures of another kernel would be misleading.
bool KernelVariableIsUsable(const char* program);
// Reports on stderr what was thrown. The exit status.
int ReportException(const char* program);

// The main of a bench. parse_flags returns nothing if the process should end with *exit_code.
template <typename Flags>
int Main(const char* program, int argc, char** argv,
         std::optional<Flags> (*parse_flags)(int argc, char** argv, int* exit_code),
         int (*run)(const Flags& flags)) {
  int exit_code = 0;
  const std::optional<Flags> flags = parse_flags(argc, argv, &exit_code);
  if (!flags) return exit_code;
  if (!KernelVariableIsUsable(program)) return 1;
  try {
    return run(*flags);
  } catch (...) {
    return ReportException(program);
  }
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_FLAGS_H_

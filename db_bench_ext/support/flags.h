// The command lines of the benches: flags, commands, and main. What each flag does is in
// db_bench_ext/flags.txt.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_FLAGS_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_FLAGS_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace bloomline::bench {

// A command line, or one of its commands. CLI11 does the work in flags.cc alone: each file that
// includes it takes as long to compile as five others.
class CommandLine {
 public:
  CommandLine(const char* program, const char* description);
  ~CommandLine();

  // From the first command on, each command line must name one of them. The pointer lives as long
  // as this.
  CommandLine* AddCommand(const char* name, const char* description);
  // After Parse: whether it was named.
  bool is_chosen() const;

  // The values keep what they have if the flag is not given.
  void AddFlag(const char* name, bool* is_given);
  // --quick and --short, of which only one may be given.
  void AddForms(bool* is_quick, bool* is_short);
  // Refuses `flag` together with one of the others, which it would ignore.
  void Exclude(const char* flag, std::initializer_list<const char*> others);
  // int, uint64_t
  template <typename Number>
  void AddNumber(const char* name, Number* value, Number min, Number max);
  // int, double; separated by commas
  template <typename Number>
  void AddNumbers(const char* name, std::vector<Number>* values, Number min, Number max);
  void AddNames(const char* name, std::set<std::string>* names,
                const std::set<std::string>& allowed);
  void AddRequired(const char* name, std::string* text);
  // db_bench_ext/run gives it, and --help does not list it.
  void AddHidden(const char* name, std::string* text);
  void AddFile(const char* name, std::string* file);  // which exists, as the folder
  void AddFolder(const char* name, std::string* folder);
  void AddRounds(int* rounds) { AddNumber("--rounds", rounds, 1, 1000); }
  void AddOut(std::string* folder);

  // False if the process should end now: with *exit_code 0 after --help, with 2 after a bad flag,
  // which has been reported on stderr. Else *exit_code is 0, too.
  bool Parse(int argc, char** argv, int* exit_code);

 private:
  explicit CommandLine(CLI::App* command);

  std::unique_ptr<CLI::App> own_;  // null for a command
  CLI::App* const app_;
  std::vector<std::unique_ptr<CommandLine>> commands_;
};

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

#include "db_bench_ext/support/flags.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>

#include "bloomline/cpu.h"
#include "db_bench_ext/support/output.h"

namespace bloomline::bench {

CommandLine::CommandLine(const char* program, const char* description)
    : own_(std::make_unique<CLI::App>(description, program)), app_(own_.get()) {}
CommandLine::CommandLine(CLI::App* command) : app_(command) {}
CommandLine::~CommandLine() = default;

CommandLine* CommandLine::AddCommand(const char* name, const char* description) {
  app_->require_subcommand(1);
  commands_.emplace_back(new CommandLine(app_->add_subcommand(name, description)));
  return commands_.back().get();
}

bool CommandLine::is_chosen() const { return app_->parsed(); }

void CommandLine::AddFlag(const char* name, bool* is_given) { app_->add_flag(name, *is_given); }

void CommandLine::AddForms(bool* is_quick, bool* is_short) {
  app_->add_flag("--short", *is_short)->excludes(app_->add_flag("--quick", *is_quick));
}

void CommandLine::Exclude(const char* flag, std::initializer_list<const char*> others) {
  for (const char* const other : others) app_->get_option(flag)->excludes(app_->get_option(other));
}

template <typename Number>
void CommandLine::AddNumber(const char* name, Number* value, Number min, Number max) {
  app_->add_option(name, *value)->check(CLI::Range(min, max));
}
template void CommandLine::AddNumber(const char*, int*, int, int);
template void CommandLine::AddNumber(const char*, uint64_t*, uint64_t, uint64_t);

template <typename Number>
void CommandLine::AddNumbers(const char* name, std::vector<Number>* values, Number min,
                             Number max) {
  app_->add_option(name, *values)->delimiter(',')->check(CLI::Range(min, max));
}
template void CommandLine::AddNumbers(const char*, std::vector<int>*, int, int);
template void CommandLine::AddNumbers(const char*, std::vector<double>*, double, double);

void CommandLine::AddNames(const char* name, std::set<std::string>* names,
                           const std::set<std::string>& allowed) {
  app_->add_option(name, *names)->delimiter(',')->check(CLI::IsMember(allowed));
}

void CommandLine::AddRequired(const char* name, std::string* text) {
  app_->add_option(name, *text)->required();
}
void CommandLine::AddHidden(const char* name, std::string* text) {
  app_->add_option(name, *text)->group("");
}
void CommandLine::AddFile(const char* name, std::string* file) {
  app_->add_option(name, *file)->check(CLI::ExistingFile);
}
void CommandLine::AddFolder(const char* name, std::string* folder) {
  app_->add_option(name, *folder)->check(CLI::ExistingDirectory);
}

void CommandLine::AddOut(std::string* folder) {
  *folder = "results";
  // db_bench_ext/run passes its default first, so the last one counts.
  app_->add_option("--out", *folder)->take_last();
}

bool CommandLine::Parse(int argc, char** argv, int* exit_code) {
  *exit_code = 0;
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app_->exit(error) == 0 ? 0 : 2;
    return false;
  }
  return true;
}

bool KernelVariableIsUsable(const char* program) {
  const std::string error = KernelVariableError();
  if (!error.empty()) std::cerr << program << ": " << error << "\n";
  return error.empty();
}

int ReportException(const char* program) {
  try {
    throw;
  } catch (const Interrupted&) {
    std::cerr << program << ": interrupted\n";
    return 130;
  } catch (const NotHere& why) {
    std::cerr << program << ": " << why.what() << "\n";
    return 77;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bloomline::bench

// bloomline: sizes, builds, queries and inspects filters, lists the kernels (docs/tool.md).
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/version.h"
#include "src/cli/shared/commands.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/standard_streams.h"
#include "src/db/commands.h"
#include "src/support/process.h"

namespace bloomline::cli {
namespace {

int Fail(const char* why) {
  std::fprintf(stderr, "bloomline: %s\n", why);
  return kExitFailure;
}

// "bloomline size", if that is the command that was found.
std::string NameOfParsed(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* command = &app; !command->get_subcommands().empty();) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return name;
}

// CLI11's own sentences end with the whole of what was typed.
std::string Shortened(const std::string& sentence) {
  constexpr size_t kMaxBytes = 400;
  return sentence.size() <= kMaxBytes ? sentence : sentence.substr(0, kMaxBytes) + "...";
}

int Run(int argc, char** argv) {
  const std::string kernel_error = KernelVariableError();
  if (!kernel_error.empty()) return Fail(kernel_error.c_str());
  int exit_code = kExitOk;
  CLI::App app("Sizes, builds, queries and inspects filters for key-value stores", "bloomline");
  app.set_version_flag("--version", "bloomline " BLOOMLINE_VERSION_STRING,
                       "Print the version and exit");
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // on Windows, "/tmp/keys" would be an option
  UseOwnHelp(&app);
  AddSizeCommand(&app, &exit_code);
  AddBuildCommand(&app, &exit_code);
  AddQueryCommand(&app, &exit_code);
  AddInspectCommand(&app, &exit_code);
  db::AddDbCommand(&app, &exit_code);
  AddKernelsCommand(&app, &exit_code);
  const std::vector<std::string> typed = support::CommandLineWords(argc, argv);
  const std::vector<std::string> words = WithHelpInWords(app, typed);
  std::string mistake = ExplainEmptyValue(app, words);
  // CLI11 would print the help of the program for "help COMMAND", whatever COMMAND is.
  if (mistake.empty() && words != typed) mistake = ExplainMistype(app, words);
  if (!mistake.empty()) {
    PrintError(mistake);
    return kExitImpossible;
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return kExitOk;
    }
    mistake = ExplainMistype(app, words);
    if (mistake.empty()) {
      const std::string name = NameOfParsed(app);
      PrintError(name + ": " + Shortened(error.what()) + "; see " + name + " --help");
    } else {
      PrintError(mistake);
    }
    return kExitImpossible;
  }
  return exit_code;
}

}  // namespace
}  // namespace bloomline::cli

int main(int argc, char** argv) {
  using namespace bloomline::cli;  // NOLINT: nothing else is here
  PrepareStandardStreams();
  int exit_code;
  try {
    exit_code = Run(argc, argv);
  } catch (const std::bad_alloc&) {
    exit_code = Fail("out of memory");
  } catch (const std::exception& error) {
    exit_code = Fail(error.what());
  }
  return CloseOutput() || exit_code != kExitOk ? exit_code : kExitFailure;
}

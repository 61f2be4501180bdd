// bloomline: sizes, builds, queries and inspects filters, and lists the kernels (docs/tool.md).
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/version.h"
#include "src/cli/subcommands.h"
#include "src/db/subcommands.h"
#include "src/support/file_io.h"
#include "src/support/nearest_name.h"
#include "src/support/process.h"
#include "src/support/quoted.h"
#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/terminal.h"

namespace bloomline::cli {
namespace {

// ---- bloomline kernels: the SIMD implementations in this binary, which of them this machine
// supports, and which one is active.

void PrintKernelsJson() {
  auto list = tool::Json::array();
  for (const KernelInfo& kernel : Kernels()) {
    list.push_back({{"name", kernel.name},
                    {"description", kernel.description},
                    {"extensions", kernel.extensions},
                    {"supported", kernel.supported},
                    {"active", kernel.active}});
  }
  tool::Print(tool::Json{{"kernels", list}});
}

void PrintKernels() {
  std::cout << "slowest first\n";
  for (const KernelInfo& kernel : Kernels()) {
    const char* state = kernel.active      ? "active"
                        : kernel.supported ? "supported"
                                           : "not supported by this machine";
    const std::string line = std::string(kernel.name) + ": " + kernel.description + "; " + state;
    std::cout << tool::Wrapped(line, tool::kColumns) << '\n';
  }
}

void AddKernelsCommand(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("kernels", "Lists the SIMD kernels; BLOOMLINE_KERNEL forces one");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->footer(
      "Example:\n"
      "    BLOOMLINE_KERNEL=portable bloomline kernels");
  command->callback([=] {
    *json ? PrintKernelsJson() : PrintKernels();
    *exit_code = tool::kExitOk;
  });
}

// ---- All commands.

// Returns false, with a message on stderr, if the system did not take all of the output. A reader
// that has gone away (EPIPE) is not an error.
bool CloseOutput() {
  errno = 0;  // the reason of an earlier failed write is lost
  // Some file systems report only now that a disk or a quota is full.
  if (tool::FlushOutput() && support::CloseFile(support::kStandardOutput) == 0) return true;
  if (errno != EPIPE) {
    std::fprintf(stderr, "bloomline: standard output: cannot be written%s%s\n",
                 errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  }
  return false;
}

int Fail(const char* why) {
  std::fprintf(stderr, "bloomline: %s\n", why);
  return tool::kExitFailure;
}

// The command that was typed, as far as CLI11 got.
const CLI::App& Parsed(const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? app : Parsed(*commands.front());
}

// "bloomline size"
std::string FullName(const CLI::App& app) {
  return (app.get_parent() == nullptr ? "" : FullName(*app.get_parent()) + " ") + app.get_name();
}

// Returns a sentence about a word that is neither an option nor a command of `app`, with the word
// that was probably meant. Empty if `app` has no commands: then the word is another mistake.
std::string ExplainMistype(const CLI::App& app, const std::string& word) {
  const bool is_option = word.size() > 1 && word[0] == '-';
  const std::string typed = is_option ? word.substr(0, word.find('=')) : word;
  std::vector<std::string> names;
  if (is_option) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands(nullptr)) {
      names.push_back(command->get_name());
    }
  }
  if (names.empty()) return "";
  const std::string meant = support::NearestName(typed, names);
  return std::string("there is no ") + (is_option ? "option " : "command ") +
         support::Quoted(typed) +
         (meant.empty() ? "; allowed: " + CLI::detail::join(names, ", ")
                        : "; did you mean '" + meant + "'?");
}

// CLI11's own sentences end with the whole input.
std::string Shortened(const std::string& sentence) {
  constexpr size_t kMaxBytes = 400;
  return sentence.size() <= kMaxBytes ? sentence : sentence.substr(0, kMaxBytes) + "...";
}

int Run(int argc, char** argv) {
  const std::string kernel_error = KernelVariableError();
  if (!kernel_error.empty()) return Fail(kernel_error.c_str());
  int exit_code = tool::kExitOk;
  CLI::App app("Sizes, builds, queries and inspects filters for key-value stores", "bloomline");
  app.set_version_flag("--version", "bloomline " BLOOMLINE_VERSION_STRING,
                       "Print the version and exit");
  app.require_subcommand(1);
  app.footer("bloomline(1) is the manual. The operator's guide:\n" BLOOMLINE_DOC_FOLDER
             "/docs/operating.md");
  app.get_formatter()->column_width(26);  // leaves 54 for descriptions, which CLI11 does not wrap
  AddSizeCommand(&app, &exit_code);
  AddBuildCommand(&app, &exit_code);
  AddQueryCommand(&app, &exit_code);
  AddInspectCommand(&app, &exit_code);
  db::AddDbCommand(&app, &exit_code);
  AddKernelsCommand(&app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return tool::kExitOk;
    }
    const CLI::App& command = Parsed(app);
    const std::vector<std::string> unknown = app.remaining(true);
    std::string mistake = unknown.empty() ? "" : ExplainMistype(command, unknown.front());
    if (mistake.empty()) mistake = Shortened(error.what());
    tool::PrintError(FullName(command) + ": " + mistake + "; see " + FullName(command) + " --help");
    return tool::kExitImpossible;
  }
  return exit_code;
}

}  // namespace
}  // namespace bloomline::cli

int main(int argc, char** argv) {
  using namespace bloomline::cli;  // nothing else is here
  namespace tool = bloomline::tool;
  if (!bloomline::support::PrepareStandardDescriptors()) return tool::kExitFailure;
  int exit_code;
  try {
    exit_code = Run(argc, argv);
  } catch (const std::bad_alloc&) {
    exit_code = Fail("out of memory");
  } catch (const std::exception& error) {
    exit_code = Fail(error.what());
  }
  return CloseOutput() || exit_code != tool::kExitOk ? exit_code : tool::kExitFailure;
}

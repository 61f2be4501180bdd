// bloomline: sizes filters, inspects them, lists the kernels (docs/tool.md).
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "bloomline/cpu.h"
#include "bloomline/version.h"
#include "src/tool/commands.h"

int main(int argc, char** argv) {
  using namespace bloomline::tool;  // NOLINT: nothing else is here
  try {
    const std::string kernel_error = bloomline::KernelVariableError();
    if (!kernel_error.empty()) throw std::runtime_error(kernel_error);
    int exit_code = kExitOk;
    CLI::App app("Sizes and inspects filters for key-value stores.", "bloomline");
    app.set_version_flag("--version", "bloomline " BLOOMLINE_VERSION_STRING);
    app.require_subcommand(1);
    AddSizeCommand(&app, &exit_code);
    AddInspectCommand(&app, &exit_code);
    AddKernelsCommand(&app, &exit_code);
    AddDbCommand(&app, &exit_code);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {  // also --help and --version
      return app.exit(error) == 0 ? kExitOk : kExitImpossible;
    }
    return exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bloomline: %s\n", error.what());
    return kExitFailure;
  }
}

// bloomline kernels: the SIMD implementations in this binary, which of them this machine supports,
// and which one is active.
#include <iostream>
#include <memory>

#include "bloomline/cpu.h"
#include "src/cli/shared/commands.h"
#include "src/cli/shared/json.h"

namespace bloomline::cli {
namespace {

void PrintJson() {
  auto list = Json::array();
  for (const KernelInfo& kernel : Kernels()) {
    list.push_back({{"name", kernel.name},
                    {"description", kernel.description},
                    {"extensions", kernel.extensions},
                    {"supported", kernel.supported},
                    {"active", kernel.active}});
  }
  Print(Json{{"kernels", list}});
}

void PrintTable() {
  std::cout << "slowest first\n";
  for (const KernelInfo& kernel : Kernels()) {
    const char* state = kernel.active      ? "active"
                        : kernel.supported ? "supported"
                                           : "not supported by this machine";
    std::cout << kernel.name << ": " << kernel.description << "; " << state << '\n';
  }
}

}  // namespace

void AddKernelsCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "kernels", "Lists the SIMD implementations (kernels); BLOOMLINE_KERNEL forces one");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->footer(
      "Example:\n"
      "    BLOOMLINE_KERNEL=portable bloomline kernels");
  command->callback([=] {
    *json ? PrintJson() : PrintTable();
    *exit_code = kExitOk;
  });
}

}  // namespace bloomline::cli

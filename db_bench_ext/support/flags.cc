#include "db_bench_ext/support/flags.h"

#include <iostream>

#include "bloomline/cpu.h"
#include "db_bench_ext/support/output.h"

namespace bloomline::bench {

void AddRounds(CLI::App* app, int* rounds) {
  app->add_option("--rounds", *rounds)->check(CLI::Range(1, 1000));
}

void AddOut(CLI::App* app, std::string* directory) {
  *directory = "results";
  // db_bench_ext/run passes its default first, so the last one counts.
  app->add_option("--out", *directory)->take_last();
}

bool Parse(CLI::App* app, int argc, char** argv, int* exit_code) {
  *exit_code = 0;
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app->exit(error) == 0 ? 0 : 2;
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

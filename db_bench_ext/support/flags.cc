#include "db_bench_ext/support/flags.h"

#include <iostream>

#include "bloomline/cpu.h"
#include "db_bench_ext/support/output.h"

namespace bloomline::bench {

CLI::Option* AddQuick(CLI::App* app, bool* quick, const std::string& sizes) {
  return app->add_flag("--quick", *quick, sizes + ": takes seconds, its times mean nothing");
}

void AddRounds(CLI::App* app, int* rounds, const std::string& what, const std::string& standard) {
  app->add_option("--rounds", *rounds,
                  what + "; the report has their median (default: " + standard + ")")
      ->check(CLI::Range(1, 1000));
}

void AddOut(CLI::App* app, std::string* directory, const std::string& files) {
  *directory = "results";
  app->add_option("--out", *directory, "folder for " + files + " (default: db_bench_ext/results)")
      ->take_last();
  app->add_flag("--print-out")->group("");
}

CLI::Option* AddDbDirectory(CLI::App* app, std::string* directory, const std::string& what) {
  return app->add_option("--db-dir", *directory, "existing folder " + what)
      ->check(CLI::ExistingDirectory)
      ->take_last();
}

bool Parse(CLI::App* app, int argc, char** argv, int* exit_code) {
  *exit_code = 0;
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app->exit(error) == 0 ? 0 : 2;
    return false;
  }
  const CLI::Option* print_out = app->get_option_no_throw("--print-out");
  if (print_out == nullptr || print_out->count() == 0) return true;
  std::cout << app->get_option("--out")->as<std::string>() << "\n";
  return false;
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
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bloomline::bench

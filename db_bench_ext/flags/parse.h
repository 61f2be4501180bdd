// What all benches do with their command lines.
#ifndef BLOOMLINE_DB_BENCH_EXT_FLAGS_PARSE_H_
#define BLOOMLINE_DB_BENCH_EXT_FLAGS_PARSE_H_

#include <CLI/CLI.hpp>

namespace bloomline::bench {

// False if the process should end now: with *exit_code 0 after --help, with 2 after a bad flag,
// which has been reported on stderr. Else *exit_code is 0, too.
inline bool Parse(CLI::App* app, int argc, char** argv, int* exit_code) {
  *exit_code = 0;
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app->exit(error) == 0 ? 0 : 2;
    return false;
  }
  return true;
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FLAGS_PARSE_H_

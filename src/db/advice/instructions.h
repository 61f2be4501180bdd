// How to set a choice: RocksDB's option string, the environment of the preload libraries, C++.
#ifndef BLOOMLINE_DB_ADVICE_INSTRUCTIONS_H_
#define BLOOMLINE_DB_ADVICE_INSTRUCTIONS_H_

#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/db/advice/advice.h"
#include "src/db/advice/division.h"
#include "src/db/sstable/table.h"

namespace bloomline::advice {

struct Settings {
  sstable::Engine engine = sstable::Engine::kRocksDB;
  Format format = Format::kBlocked;
  double bits_per_key = 10;               // cut to the range of `format`
  std::vector<double> bits_from_level_0;  // empty: the same in all levels
};

// A value of filter_policy in RocksDB's option strings, OPTIONS files and SetOptions.
// Empty for LevelDB.
std::string OptionString(const Settings& settings);
// What RocksDB follows with the levels by itself: bits_by_level=auto.
std::string AutoOptionString(const Settings& settings, double level_size_ratio);
// The variables of the preload library, to put before a command.
std::string EnvironmentLine(const Settings& settings);
// Statements. RocksDB: `table` is a BlockBasedTableOptions; LevelDB: `options` an Options.
std::string Code(const Settings& settings);

// ---- What an operator should know beside the figures of a piece of advice.

// The advice has its figures and choices.
std::vector<std::string> Remarks(const Situation& situation, const Request& request,
                                 const Tree& tree, const Advice& advice);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_INSTRUCTIONS_H_

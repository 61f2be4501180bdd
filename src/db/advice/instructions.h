// Printed beside the figures of a choice: its settings, as RocksDB's option string and the
// environment of the preload libraries; and remarks for an operator.
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
  bool is_auto = false;                   // RocksDB follows with the levels by itself
  double level_size_ratio = 10;           // with is_auto

  bool is_stock() const { return format == Format::kBloom || format == Format::kRibbon; }
};

constexpr double kDefaultRatio = 10;

// A value of filter_policy in RocksDB's option strings, OPTIONS files and SetOptions.
// Empty for LevelDB.
std::string OptionString(const Settings& settings);
// The variables of the preload library, to put before a command. No variable has the ratio: with
// another one than kDefaultRatio, they list the bits instead of auto.
std::string EnvironmentLine(const Settings& settings);

// Fills in the remarks of an advice that has its figures and choices (remarks.cc).
void AddRemarks(const Situation& situation, const Request& request, const Tree& tree,
                Advice* advice);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_INSTRUCTIONS_H_

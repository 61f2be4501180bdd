#include "tests/rocksdb_matrix/phases.h"

#include "tests/rocksdb_matrix/prefixes.h"
#include "tests/rocksdb_matrix/range_reads.h"

namespace bloomline::matrix {
namespace {

// Whether the tables of a phase all have the prefixes of the database's current extractor, or none.
bool HasCurrentPrefixes(const Cell& cell, Phase phase) {
  const bool is_changed =
      cell.changes_prefix() && (phase == Phase::kReopened || phase == Phase::kMixed);
  return !is_changed;
}

bool HasExtractor(const Cell& cell, Phase phase) {
  const bool is_later = phase >= Phase::kReopened;
  return (is_later ? LaterExtractor(cell.prefix()) : FirstExtractor(cell.prefix())) != nullptr;
}

bool HasFilters(const Cell& cell, Phase phase) {
  const bool has_others = phase == Phase::kLevels || phase == Phase::kMixed;
  return has_others || cell.filter() != Filter::kNoBottom;
}

// Checks one count: `wanted` is whether filters are to be queried.
std::string Compare(const std::string& what, const Consulted& consulted, bool wanted) {
  if (wanted == (consulted.queries() > 0)) return "";
  return what + ": " + std::to_string(consulted.queries()) + " queries of filters, expected " +
         (wanted ? "some" : "none");
}

}  // namespace

const char* Name(Phase phase) {
  constexpr const char* kNames[] = {"levels", "compacted", "reopened", "mixed", "rewritten"};
  return kNames[static_cast<int>(phase)];
}

std::string WhyGetsQueryNone(const Cell& cell, Phase phase) {
  if (!HasFilters(cell, phase)) return "all files are at the bottom, and no-bottom has none there";
  if (cell.whole_key()) return "";
  if (!HasCurrentPrefixes(cell, phase)) {
    // A file of the phase kMixed is new.
    if (phase == Phase::kMixed && HasExtractor(cell, phase)) return "";
    return "the tables have other prefixes than the database's extractor gives";
  }
  return HasExtractor(cell, phase) ? "" : "there are neither keys nor prefixes in filters";
}

std::string WrongUse(const Cell& cell, const Report& report) {
  Consulted points;  // where filters are queried
  Consulted prefixes;
  for (const auto& [name, consulted] : report.consulted) {
    const std::string phase_name = name.substr(0, name.find_first_of(" -"));
    const std::string reads = name.substr(name.find(' ') + 1);
    Phase phase = Phase::kLevels;
    while (Name(phase) != phase_name) phase = static_cast<Phase>(static_cast<int>(phase) + 1);
    bool wanted = false;
    if (reads == "points") {
      wanted = WhyGetsQueryNone(cell, phase).empty();
      if (wanted) points += consulted;
    } else if (reads == Name(Mode::kDefault) && HasCurrentPrefixes(cell, phase)) {
      wanted = HasExtractor(cell, phase) && HasFilters(cell, phase);
      if (wanted) prefixes += consulted;
    } else if (reads != Name(Mode::kTotalOrder)) {
      continue;  // with changed prefixes, and with auto_prefix_mode, it depends on upper bounds
    }
    std::string wrong = Compare(name, consulted, wanted);
    if (!wrong.empty()) return wrong;
  }
  if (points.queries() > 0 && points.no == 0) return "Gets: no filter excluded a key";
  if (prefixes.queries() > 0 && prefixes.no == 0) return "Seeks: no filter excluded a prefix";
  return "";
}

}  // namespace bloomline::matrix

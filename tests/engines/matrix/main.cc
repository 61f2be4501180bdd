// Reads databases of every cell of the matrix and compares each answer with a model. Tells
// RocksDB's own wrong answers from those of filters, and sums up.
#include <getopt.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "tests/engines/matrix/cell.h"
#include "tests/engines/matrix/run_cell.h"

namespace bloomline::matrix {
namespace {

constexpr char kUsage[] =
    "Usage: matrix [--short] [--cell CELL] [--gets N] [--seed N]\n"
    "Writes a database for each combination of prefix extractor, index, keys, whole_key_filtering\n"
    "and filter; reads it with Get, MultiGet and iterators on several levels, compacted, reopened\n"
    "with another extractor, and rewritten; and compares every answer with a model. Prints the\n"
    "number of cells, Gets and wrong answers, and for each failing cell the command that repeats\n"
    "it. Answers that are wrong with RocksDB's own filters, too, are told apart.\n"
    "  --short      few cells that have every pair of values, instead of all\n"
    "  --cell CELL  only the cells with these values: prefix=fixed,whole=off\n"
    "  --gets N     Gets of all cells together; default 100000000, with --short\n"
    "               or --cell 2000 for each cell\n"
    "  --seed N     another choice of databases and reads; default 1\n"
    "Exit status: 0 if no answer is wrong but RocksDB's own, 1 otherwise, 2 for a bad argument.\n";

constexpr uint64_t kDefaultGets = 100000000;
constexpr uint64_t kShortGets = 2000;

struct Flags {
  bool is_short = false;
  std::string cell;
  uint64_t gets = 0;
  uint64_t seed = 1;
};

[[noreturn]] void Refuse() {
  std::fputs(kUsage, stderr);
  std::exit(2);
}

Flags Parse(int argc, char** argv) {
  constexpr option kOptions[] = {
      {"short", no_argument, nullptr, 's'},      {"cell", required_argument, nullptr, 'c'},
      {"gets", required_argument, nullptr, 'g'}, {"seed", required_argument, nullptr, 'r'},
      {"help", no_argument, nullptr, 'h'},       {nullptr, 0, nullptr, 0}};
  Flags flags;
  for (int name; (name = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;) {
    if (name == 's') {
      flags.is_short = true;
    } else if (name == 'c') {
      flags.cell = optarg;
    } else if (name == 'g') {
      flags.gets = std::stoull(optarg);
    } else if (name == 'r') {
      flags.seed = std::stoull(optarg);
    } else if (name == 'h') {
      std::fputs(kUsage, stdout);
      std::exit(0);
    } else {
      Refuse();
    }
  }
  if (optind != argc) Refuse();
  return flags;
}

struct CheckedCell {
  Report report;
  // The parts of report.wrong that are right with RocksDB's own filters, and those that are not.
  std::map<std::string, std::string> ours;
  std::map<std::string, std::string> rocksdbs;
  std::string wrong_use;
};

CheckedCell CheckCell(const Cell& cell, uint64_t gets, uint64_t seed) {
  CheckedCell checked;
  const Policy policy = NewCellPolicy(cell.filter(), &checked.report.failure);
  if (policy == nullptr) return checked;
  checked.report = RunCell(cell, gets, seed, policy);
  checked.wrong_use = WrongUse(cell, checked.report);
  if (checked.report.wrong.empty()) return checked;
  const Policy reference = NewReferencePolicy(cell.filter(), &checked.report.failure);
  if (reference == nullptr) return checked;
  const Report stock = RunCell(cell, gets, seed, reference);
  for (const auto& [read, answer] : checked.report.wrong) {
    (stock.wrong.count(read) != 0 ? checked.rocksdbs : checked.ours).emplace(read, answer);
  }
  return checked;
}

// "MODE OPERATION" of "PHASE MODE OPERATION KEY ...".
std::string KindOf(const std::string& read) {
  const size_t mode = read.find(' ') + 1;
  const size_t key = read.find(' ', read.find(' ', mode) + 1);
  return read.substr(mode, key - mode);
}

class Summary {
 public:
  // Prints what is wrong with the cell, and `repeat` behind the command that repeats it.
  void Add(const Cell& cell, const CheckedCell& checked, const std::string& repeat) {
    const Report& report = checked.report;
    ++cells_;
    gets_ += report.gets;
    missing_gets_ += report.missing_gets;
    seeks_ += report.seeks;
    wrong_ += checked.ours.size();
    by_gets_ += report.by_gets;
    by_seeks_ += report.by_seeks;
    for (const auto& [read, answer] : checked.rocksdbs) {
      ++rocksdbs_[KindOf(read) + (cell.is_partitioned() ? ", partitioned" : ", full") +
                  (cell.whole_key() ? ", whole=on" : ", whole=off")];
    }
    if (checked.ours.empty() && report.failure.empty() && checked.wrong_use.empty()) return;
    ++failed_cells_;
    std::printf("%s: %" PRIu64 " Gets, %" PRIu64 " seeks, %zu wrong, %zu wrong in RocksDB\n",
                cell.Name().c_str(), report.gets, report.seeks, checked.ours.size(),
                checked.rocksdbs.size());
    if (!report.failure.empty()) std::printf("  FAILED: %s\n", report.failure.c_str());
    if (!checked.wrong_use.empty()) std::printf("  FILTERS: %s\n", checked.wrong_use.c_str());
    int num_examples = 0;
    for (const auto& [read, answer] : checked.ours) {
      if (++num_examples <= 3) std::printf("  %s: %s\n", read.c_str(), answer.c_str());
    }
    std::printf("  repeat: tests/engines/matrix/run --cell %s%s\n", cell.Name().c_str(),
                repeat.c_str());
  }

  void Print(double seconds) const {
    std::printf("filters say no to %" PRIu64 " of %" PRIu64 " queries of Gets, and to %" PRIu64
                " of %" PRIu64 " of seeks\n",
                by_gets_.no, by_gets_.queries(), by_seeks_.no, by_seeks_.queries());
    for (const auto& [kind, count] : rocksdbs_) {
      std::printf("wrong in RocksDB with its own filters, too: %" PRIu64 " reads: %s\n", count,
                  kind.c_str());
    }
    std::printf("%" PRIu64 " cells, %" PRIu64 " Gets (%" PRIu64 " of missing keys), %" PRIu64
                " seeks: %" PRIu64 " wrong; %" PRIu64 " cells failed; %.0f s\n",
                cells_, gets_, missing_gets_, seeks_, wrong_, failed_cells_, seconds);
  }

  uint64_t failed_cells() const { return failed_cells_; }

 private:
  uint64_t cells_ = 0;
  uint64_t failed_cells_ = 0;
  uint64_t gets_ = 0;
  uint64_t missing_gets_ = 0;
  uint64_t seeks_ = 0;
  uint64_t wrong_ = 0;
  Consulted by_gets_;
  Consulted by_seeks_;
  std::map<std::string, uint64_t> rocksdbs_;  // wrong answers by kind and cell
};

int Run(int argc, char** argv) {
  const Flags flags = Parse(argc, argv);
  std::vector<Cell> cells = flags.is_short ? PairwiseCells(flags.seed) : AllCells();
  if (flags.is_short) {  // partitions without entries need these values at once
    const auto more = CellsNamed("prefix=domain,index=partitioned,keys=single,whole=off");
    cells.insert(cells.end(), more.begin(), more.end());
  }
  if (!flags.cell.empty()) {
    cells = CellsNamed(flags.cell);
    if (cells.empty()) {
      std::fprintf(stderr, "no cell has '%s'\n", flags.cell.c_str());
      Refuse();
    }
  }
  const bool is_sample = flags.is_short || !flags.cell.empty();
  const uint64_t all_gets = flags.gets != 0 ? flags.gets
                            : is_sample     ? kShortGets * cells.size()
                                            : kDefaultGets;
  const uint64_t gets = std::max<uint64_t>(1, all_gets / cells.size());
  std::printf("RocksDB %s, kernel %s, seed %" PRIu64 ": %zu cells with %" PRIu64 " Gets each\n",
              rocksdb::GetRocksVersionAsString(true).c_str(), ActiveKernelName(), flags.seed,
              cells.size(), gets);
  if (!kHasDecoupled) std::printf("index=decoupled: RocksDB has it from 9.6 on\n");

  const auto start = std::chrono::steady_clock::now();
  Summary summary;
  const std::string repeat =
      " --gets " + std::to_string(gets) + " --seed " + std::to_string(flags.seed);
  for (const Cell& cell : cells) summary.Add(cell, CheckCell(cell, gets, flags.seed), repeat);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  summary.Print(seconds.count());
  return summary.failed_cells() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::matrix

int main(int argc, char** argv) { return bloomline::matrix::Run(argc, argv); }

// Reads databases of every cell of the matrix and compares each answer with a model.
#include <rocksdb/db.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/cpu.h"
#include "tests/injected/arguments.h"
#include "tests/rocksdb_matrix/cell.h"
#include "tests/rocksdb_matrix/check_cell.h"

namespace bloomline::matrix {
namespace {

constexpr char kUsage[] =
    "Usage: matrix [--short] [--cell CELL] [--gets N] [--seed N] [--part I/N] [--jobs N]\n"
    "              [--defect DEFECT] [--list]\n"
    "Writes a database for each combination of prefix extractor, index, keys, whole_key_filtering\n"
    "and filter; reads it with Get, MultiGet and iterators on several levels, compacted, reopened\n"
    "with another extractor, and rewritten; and compares every answer with a model. Prints the\n"
    "number of cells, Gets and wrong answers, and for each failing cell the command that repeats\n"
    "it. Answers that are wrong with RocksDB's own filters, too, are told apart.\n"
    "  --short          few cells that have every pair of values, instead of all\n"
    "  --cell CELL      only the cells with these values: prefix=fixed,whole=off\n"
    "  --gets N         Gets of all cells together, 1e3 to 1e10; default 100000000, with --short\n"
    "                   or --cell 2000 for each cell\n"
    "  --seed N         0 to 1000000000; default 1\n"
    "  --part I/N       only each Nth cell, from the Ith on, with its share of the Gets\n"
    "  --jobs N         threads, 1 to 64; default 1\n"
    "  --defect DEFECT  plants a mistake in the filters: reader, batch, prefix or duplicate\n"
    "  --list           prints a line for each cell, too\n"
    "Exit status: 0 if no answer is wrong but RocksDB's own, 1 otherwise, 2 for a bad argument.\n";

constexpr uint64_t kDefaultGets = 100000000;
constexpr uint64_t kShortGets = 2000;

struct Flags {
  bool is_short = false;
  bool lists = false;
  std::string cell;
  uint64_t gets = 0;
  uint64_t seed = 1;
  uint64_t part = 1;
  uint64_t parts = 1;
  uint64_t jobs = 1;
  Defect defect = Defect::kNone;
  std::string defect_name = "none";
};

Flags Parse(tests::Arguments* arguments) {
  Flags flags;
  std::string error;
  for (std::string argument; arguments->Next(&argument);) {
    if (argument == "--short") {
      flags.is_short = true;
    } else if (argument == "--list") {
      flags.lists = true;
    } else if (argument == "--cell") {
      flags.cell = arguments->Text();
    } else if (argument == "--gets") {
      flags.gets = arguments->Number(1000, 10000000000);
    } else if (argument == "--seed") {
      flags.seed = arguments->Number(0, 1000000000);
    } else if (argument == "--jobs") {
      flags.jobs = arguments->Number(1, 64);
    } else if (argument == "--part") {
      const std::string text = arguments->Text();
      const size_t slash = std::min(text.find('/'), text.size());
      flags.parts =
          arguments->Number("N of --part", text.substr(std::min(slash + 1, text.size())), 1, 1000);
      flags.part = arguments->Number("I of --part", text.substr(0, slash), 1, flags.parts);
    } else if (argument == "--defect") {
      flags.defect_name = arguments->Text();
      if (!ParseDefect(flags.defect_name, &flags.defect, &error)) arguments->Refuse(error);
    } else {
      arguments->Refuse("'" + argument + "' is not known");
    }
  }
  return flags;
}

int Run(int argc, char** argv) {
  tests::Arguments arguments("matrix", kUsage, argc, argv);
  const Flags flags = Parse(&arguments);
  std::string error;
  std::vector<Cell> cells = flags.is_short ? PairwiseCells(flags.seed) : AllCells();
  if (!flags.cell.empty()) {
    cells = CellsNamed(flags.cell, &error);
    if (!error.empty()) arguments.Refuse(error);
  }
  const bool is_sample = flags.is_short || !flags.cell.empty();
  const uint64_t all_gets = flags.gets != 0 ? flags.gets
                            : is_sample     ? kShortGets * cells.size()
                                            : kDefaultGets;
  const uint64_t gets = std::max<uint64_t>(1, all_gets / cells.size());
  std::vector<Cell> part;
  for (size_t i = flags.part - 1; i < cells.size(); i += flags.parts) part.push_back(cells[i]);
  std::printf("RocksDB %s, kernel %s, seed %" PRIu64 ": %zu cells with %" PRIu64 " Gets each\n",
              rocksdb::GetRocksVersionAsString(true).c_str(), ActiveKernelName(), flags.seed,
              part.size(), gets);
  if (!kHasDecoupled) std::printf("index=decoupled: RocksDB has it from 9.6 on\n");

  const auto start = std::chrono::steady_clock::now();
  std::vector<CheckedCell> checked(part.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < part.size(); i = next++) {
      checked[i] = CheckCell(part[i], gets, flags.seed, flags.defect);
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i < flags.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();

  Summary summary;
  const std::string repeat =
      " --gets " + std::to_string(gets) + " --seed " + std::to_string(flags.seed) +
      (flags.defect == Defect::kNone ? "" : " --defect " + flags.defect_name);
  for (size_t i = 0; i < part.size(); ++i) {
    summary.Add(part[i], checked[i], repeat, flags.lists);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  summary.Print(seconds.count());
  return summary.failed_cells() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::matrix

int main(int argc, char** argv) { return bloomline::matrix::Run(argc, argv); }

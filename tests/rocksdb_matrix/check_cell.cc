#include "tests/rocksdb_matrix/check_cell.h"

#include <cinttypes>
#include <cstdio>

#include "tests/rocksdb_matrix/filters.h"
#include "tests/rocksdb_matrix/phases.h"
#include "tests/rocksdb_matrix/run_cell.h"

namespace bloomline::matrix {
namespace {

constexpr int kExamples = 3;

void PrintExamples(const std::map<std::string, std::string>& wrong) {
  int count = 0;
  for (const auto& [read, answer] : wrong) {
    if (++count > kExamples) break;
    std::printf("  %s: %s\n", read.c_str(), answer.c_str());
  }
}

// "MODE OPERATION" of "PHASE MODE OPERATION KEY ...".
std::string KindOf(const std::string& read) {
  const size_t mode = read.find(' ') + 1;
  const size_t key = read.find(' ', read.find(' ', mode) + 1);
  return read.substr(mode, key - mode);
}

}  // namespace

CheckedCell CheckCell(const Cell& cell, uint64_t gets, uint64_t seed, Defect defect) {
  CheckedCell checked;
  const Policy policy = NewCellPolicy(cell.filter(), defect, &checked.report.failure);
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

void Summary::Add(const Cell& cell, const CheckedCell& checked, const std::string& repeat,
                  bool lists) {
  const Report& report = checked.report;
  ++cells_;
  gets_ += report.gets;
  missing_gets_ += report.missing_gets;
  seeks_ += report.seeks;
  wrong_ += checked.ours.size();
  for (const auto& [reads, consulted] : report.consulted) {
    Reads& all = reads_[reads];
    all.cells += consulted.queries() > 0 ? 1 : 0;
    all.consulted += consulted;
  }
  for (const Phase phase : kAllPhases) {
    const std::string why = WhyGetsQueryNone(cell, phase);
    if (!why.empty()) ++unconsulted_[Name(phase) + (": " + why)];
  }
  for (const auto& [read, answer] : checked.rocksdbs) {
    ++rocksdbs_[KindOf(read) + (cell.is_partitioned() ? ", partitioned" : ", full") +
                (cell.whole_key() ? ", whole=on" : ", whole=off")];
  }
  const bool failed =
      !checked.ours.empty() || !report.failure.empty() || !checked.wrong_use.empty();
  if (lists || failed) {
    std::printf("%s: %" PRIu64 " Gets, %" PRIu64 " seeks, %zu wrong, %zu wrong in RocksDB\n",
                cell.Name().c_str(), report.gets, report.seeks, checked.ours.size(),
                checked.rocksdbs.size());
  }
  if (lists) PrintExamples(checked.rocksdbs);
  if (!failed) return;
  ++failed_cells_;
  if (!report.failure.empty()) std::printf("  FAILED: %s\n", report.failure.c_str());
  if (!checked.wrong_use.empty()) std::printf("  FILTERS: %s\n", checked.wrong_use.c_str());
  PrintExamples(checked.ours);
  std::printf("  repeat: tests/matrix --cell %s%s\n", cell.Name().c_str(), repeat.c_str());
}

void Summary::Print(double seconds) const {
  std::printf("%-28s %8s %14s %14s\n", "filters queried by", "cells", "may match", "no");
  for (const auto& [name, reads] : reads_) {
    std::printf("%-28s %8" PRIu64 " %14" PRIu64 " %14" PRIu64 "\n", name.c_str(), reads.cells,
                reads.consulted.yes, reads.consulted.no);
  }
  for (const auto& [reason, cells] : unconsulted_) {
    std::printf("Gets of %" PRIu64 " cells query no filter, %s\n", cells, reason.c_str());
  }
  for (const auto& [kind, count] : rocksdbs_) {
    std::printf("wrong in RocksDB with its own filters, too: %" PRIu64 " reads: %s\n", count,
                kind.c_str());
  }
  std::printf("partitions that RocksDB's own builders leave without bytes: %" PRIu64
              "; got some, see empty_partitions_test\n",
              empty_stock_partitions.load());
  std::printf("%" PRIu64 " cells, %" PRIu64 " Gets (%" PRIu64 " of missing keys), %" PRIu64
              " seeks: %" PRIu64 " wrong; %" PRIu64 " cells failed; %.0f s\n",
              cells_, gets_, missing_gets_, seeks_, wrong_, failed_cells_, seconds);
}

}  // namespace bloomline::matrix

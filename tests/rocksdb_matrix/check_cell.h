// Runs cells, tells RocksDB's own wrong answers from those of filters, and sums up.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_CHECK_CELL_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_CHECK_CELL_H_

#include <cstdint>
#include <map>
#include <string>

#include "tests/rocksdb_matrix/cell.h"
#include "tests/rocksdb_matrix/defects.h"
#include "tests/rocksdb_matrix/report.h"

namespace bloomline::matrix {

struct CheckedCell {
  Report report;
  // Of report.wrong: those that are right with RocksDB's own filters, and those that are not.
  std::map<std::string, std::string> ours;
  std::map<std::string, std::string> rocksdbs;
  std::string wrong_use;
};

CheckedCell CheckCell(const Cell& cell, uint64_t gets, uint64_t seed, Defect defect);

class Summary {
 public:
  // Prints what is wrong with the cell, and `repeat` behind the command that repeats it; a line in
  // any case if `lists`.
  void Add(const Cell& cell, const CheckedCell& checked, const std::string& repeat, bool lists);
  void Print(double seconds) const;
  uint64_t failed_cells() const { return failed_cells_; }

 private:
  struct Reads {
    uint64_t cells = 0;
    Consulted consulted;
  };

  uint64_t cells_ = 0;
  uint64_t failed_cells_ = 0;
  uint64_t gets_ = 0;
  uint64_t missing_gets_ = 0;
  uint64_t seeks_ = 0;
  uint64_t wrong_ = 0;
  std::map<std::string, Reads> reads_;           // by phase and kind of read
  std::map<std::string, uint64_t> unconsulted_;  // cells by phase and reason
  std::map<std::string, uint64_t> rocksdbs_;     // wrong answers by kind and cell
};

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_CHECK_CELL_H_

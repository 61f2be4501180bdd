// Get and MultiGet, compared with the model.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_POINT_READS_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_POINT_READS_H_

#include <rocksdb/db.h>

#include <cstdint>
#include <string>

#include "tests/rocksdb_matrix/keys.h"
#include "tests/rocksdb_matrix/random.h"
#include "tests/rocksdb_matrix/report.h"

namespace bloomline::matrix {

// A moment of a database: now, or that of a snapshot.
struct View {
  rocksdb::DB* db;
  const Universe& universe;
  const Model& model;
  const rocksdb::Snapshot* snapshot;  // null: now
  std::string phase;                  // a name for reports
};

// Gets about `gets` random keys of the universe: half with Get, half with MultiGet of 1 to 40 keys,
// sorted and not.
void ReadPoints(const View& view, uint64_t gets, Random* random, Report* report);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_POINT_READS_H_

// What the reads of one cell found.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_REPORT_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_REPORT_H_

#include <rocksdb/perf_context.h>

#include <cstdint>
#include <map>
#include <string>

namespace bloomline::matrix {

// How often filters answered.
struct Consulted {
  uint64_t yes = 0;
  uint64_t no = 0;

  uint64_t queries() const { return yes + no; }
  Consulted& operator+=(const Consulted& other) {
    yes += other.yes;
    no += other.no;
    return *this;
  }
};

// Counts the filter queries of this thread from its construction on.
class FilterWatch {
 public:
  FilterWatch() : start_(Now()) {}
  Consulted Count() const {
    const Consulted now = Now();
    return {now.yes - start_.yes, now.no - start_.no};
  }

 private:
  static Consulted Now() {
    const rocksdb::PerfContext& context = *rocksdb::get_perf_context();
    return {context.bloom_sst_hit_count, context.bloom_sst_miss_count};
  }

  const Consulted start_;
};

struct Report {
  uint64_t gets = 0;  // single ones, and keys of MultiGet
  uint64_t seeks = 0;
  uint64_t missing_gets = 0;  // those of keys that are not there
  // Wrong answers: which read, and what it answered. Reads are the same in every run of a cell with
  // the same seed, so the wrong ones of two policies can be compared.
  std::map<std::string, std::string> wrong;
  // By "PHASE points" and "PHASE MODE".
  std::map<std::string, Consulted> consulted;
  // What broke: a status that is not OK, or a filter that was not used where it should be.
  std::string failure;
};

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_REPORT_H_

// Get, MultiGet and iterators, compared with the model.
#ifndef BLOOMLINE_TESTS_ENGINES_MATRIX_READS_H_
#define BLOOMLINE_TESTS_ENGINES_MATRIX_READS_H_

#include <rocksdb/db.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/slice_transform.h>

#include <cstdint>
#include <map>
#include <string>

#include "tests/engines/matrix/keys.h"

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
  Consulted by_gets;
  Consulted by_seeks;
  // Filters queried once new files had the prefixes of the later extractor.
  uint64_t later_gets = 0;
  uint64_t later_seeks = 0;
  std::string failure;  // a status that is not OK
};

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

enum class Mode {
  kDefault,     // within the prefix of the key that is looked for
  kSamePrefix,  // prefix_same_as_start
  kTotalOrder,  // total_order_seek
  kAutoPrefix,  // auto_prefix_mode
};
constexpr Mode kAllModes[] = {Mode::kDefault, Mode::kSamePrefix, Mode::kTotalOrder,
                              Mode::kAutoPrefix};
const char* Name(Mode mode);

// Whether RocksDB takes iterators of this mode: prefix_same_as_start transforms every key that it
// comes to, also those outside the extractor's domain, for which extractors assert.
bool IsAllowed(Mode mode, const rocksdb::SliceTransform* extractor, const Universe& universe);

// Seek and SeekForPrev about `seeks` times, each followed by steps in its direction and one back;
// SeekToFirst and SeekToLast once with all steps. With upper bounds of several kinds and without.
// In prefix modes only keys of the prefix are compared: RocksDB says nothing about the others.
void ReadRanges(const View& view, const rocksdb::SliceTransform* extractor, Mode mode,
                uint64_t seeks, Random* random, Report* report);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ENGINES_MATRIX_READS_H_

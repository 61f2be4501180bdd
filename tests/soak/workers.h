// Threads that write a database, and threads that compare its answers with the truth.
#ifndef BLOOMLINE_TESTS_SOAK_WORKERS_H_
#define BLOOMLINE_TESTS_SOAK_WORKERS_H_

#include <atomic>
#include <cstdint>
#include <random>
#include <string>

#include "tests/soak/database.h"
#include "tests/soak/truth.h"

namespace bloomline::soak {

struct Counts {
  std::atomic<uint64_t> writes{0};
  std::atomic<uint64_t> failed_writes{0};
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> failed_reads{0};  // a status other than OK and NotFound
  std::atomic<uint64_t> scans{0};
  std::atomic<uint64_t> empty_scans{0};
  std::atomic<uint64_t> scanned_keys{0};  // compared, with those that are missing
  std::atomic<uint64_t> wrong{0};
};

class Workers {
 public:
  static constexpr int kWriters = 2;

  Workers(Database* database, Truth* truth, Counts* counts)
      : database_(database), truth_(truth), counts_(counts) {}

  // Writes half of the keys.
  void Fill();
  // Each does a batch of some operations. Writer w, below kWriters, has keys of its own.
  void Write(int writer, std::mt19937_64* random);
  void Read(std::mt19937_64* random);
  void Scan(std::mt19937_64* random);
  // Compares all keys, by scans without filters.
  void CompareAll();
  // Removes keys behind the truth's back. The readers must notice.
  void PlantLoss();

 private:
  void WriteOne(rocksdb::DB* db, int writer, std::mt19937_64* random);
  void ReadMany(rocksdb::DB* db, std::mt19937_64* random);
  void ScanRange(rocksdb::DB* db, uint64_t first, uint64_t last, bool is_backward,
                 bool uses_filters);
  // `before` is what the truth was before the read. Does nothing if it is another now.
  void Compare(const char* how, uint64_t i, const State& before, bool is_found,
               const rocksdb::Slice& value);

  Database* const database_;
  Truth* const truth_;
  Counts* const counts_;
};

}  // namespace bloomline::soak

#endif  // BLOOMLINE_TESTS_SOAK_WORKERS_H_

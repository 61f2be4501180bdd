// Threads that write a database, and threads that compare its answers with the truth.
#ifndef BLOOMLINE_TESTS_SOAK_WORKERS_H_
#define BLOOMLINE_TESTS_SOAK_WORKERS_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "tests/soak/database.h"
#include "tests/soak/truth.h"

namespace bloomline::soak {

// Reads and keys that were being written are not compared, and not counted.
struct Counts {
  std::atomic<uint64_t> writes{0};
  std::atomic<uint64_t> failed_writes{0};
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> failed_reads{0};  // a status other than OK and NotFound
  std::atomic<uint64_t> scans{0};         // that came to their end
  std::atomic<uint64_t> empty_scans{0};
  std::atomic<uint64_t> scanned_keys{0};  // with those that are missing
  std::atomic<uint64_t> wrong{0};
};

// Sentences about wrong answers. Thread-safe.
class WrongAnswers {
 public:
  // Prints and keeps the first ones, which are enough to look at the database.
  void Add(const std::string& text);
  std::vector<std::string> texts() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

class Workers {
 public:
  static constexpr int kWriters = 2;

  Workers(Database* database, Truth* truth, Counts* counts, WrongAnswers* wrong)
      : database_(database), truth_(truth), counts_(counts), wrong_(wrong) {}

  // Writes half of the keys. An empty string, or why a key could not be written.
  std::string Fill();
  // Each does a batch of some operations. Writer w, below kWriters, has keys of its own.
  void Write(int writer, std::mt19937_64* random);
  void Read(std::mt19937_64* random);
  void Scan(std::mt19937_64* random);
  // Compares all keys, by scans without filters.
  void CompareAll();
  // Removes keys behind the truth's back. The readers must notice.
  void PlantLoss();
  // From now on, scans find their first key twice.
  void PlantOrder() { repeats_keys_ = true; }

 private:
  void WriteOne(rocksdb::DB* db, int writer, std::mt19937_64* random);
  void ReadMany(rocksdb::DB* db, std::mt19937_64* random);
  void ScanRange(rocksdb::DB* db, uint64_t first, uint64_t last, bool is_backward,
                 bool uses_filters);
  // `before` is what the truth was before the read. Does nothing and returns false if it is another
  // now.
  bool Compare(const char* how, uint64_t i, const State& before, bool is_found,
               const rocksdb::Slice& value);
  // A read that has no answer: wrong, unless it met an injected fault.
  void CountFailure(const std::string& what, const rocksdb::Status& status);
  void Wrong(const std::string& text);

  Database* const database_;
  Truth* const truth_;
  Counts* const counts_;
  WrongAnswers* const wrong_;
  std::atomic<bool> repeats_keys_{false};
};

}  // namespace bloomline::soak

#endif  // BLOOMLINE_TESTS_SOAK_WORKERS_H_

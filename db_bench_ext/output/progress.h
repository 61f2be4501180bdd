// Progress as lines on stdout, which progress.py turns into a bar; and an orderly end on Ctrl-C.
#ifndef BLOOMLINE_DB_BENCH_EXT_OUTPUT_PROGRESS_H_
#define BLOOMLINE_DB_BENCH_EXT_OUTPUT_PROGRESS_H_

#include <cstdint>
#include <stdexcept>
#include <string>

namespace bloomline::bench {

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// From now on SIGINT and SIGTERM make the next Progress::Add throw Interrupted, so that destructors
// remove temporary files.
void CatchInterrupts();

// Silent unless `enabled`. Lines read "@progress <done> <total> <what runs now>"; the unit of done
// and total is the bench's choice.
class Progress {
 public:
  Progress(bool enabled, uint64_t total) : enabled_(enabled), total_(total) {}

  void Start(const std::string& what);
  void Add(uint64_t operations);

 private:
  void Print() const;

  const bool enabled_;
  const uint64_t total_;
  uint64_t done_ = 0;
  std::string what_;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_OUTPUT_PROGRESS_H_

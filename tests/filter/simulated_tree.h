// An LSM tree of which only the keys, ranges and filters of files exist, with the account of live
// files that gives them their bits. Shows what the rule of left_over.h does to thousands of
// databases.
#ifndef BLOOMLINE_TESTS_FILTER_SIMULATED_TREE_H_
#define BLOOMLINE_TESTS_FILTER_SIMULATED_TREE_H_

#include <cstddef>
#include <list>
#include <random>
#include <utility>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/filter/sizing/left_over.h"

namespace bloomline::tests {

class SimulatedTree {
 public:
  enum class Compaction { kDynamic, kStatic, kUniversal };
  struct Options {
    Compaction compaction = Compaction::kDynamic;
    Format format = Format::kRibbon;
    Format flush_format = Format::kRibbon;
    double mean_bits = 9.84;      // of memory per key
    double limit_bits = 0;        // of all filters, with floor; 0: none
    bool reads_old_files = true;  // else, the mean is assumed for files before a restart
    double floor = 0;
    unsigned seed = 1;
  };

  // Level 1 is as large as some six flushed files and has two files.
  static constexpr double kFlushKeys = 4000, kBaseKeys = 23000, kFileKeys = 11500;
  static constexpr int kNumLevels = 7;

  explicit SimulatedTree(const Options& options) : options_(options), random_(options.seed) {}

  // Writes a file of level 0 whose keys lie in this part of the range of all keys.
  void Flush(double keys, double low = 0, double high = 1);
  // Begins a compaction that is due, or lets a running one write its next file, or end. Returns
  // false if there is nothing to do.
  bool Compact();
  // The part of the keys that merges drop from now on, because they were overwritten or deleted.
  void SetDropped(double part) { dropped_ = part; }
  // The part of the compactions that fail from now on.
  void SetFailing(double part) { failing_ = part; }
  // Running compactions fail, and the keys of flushed files are forgotten.
  void Restart();
  // As DeleteFilesInRange: the deepest level goes, without what is being compacted.
  void DropBottom();

  // Sums of live files: inputs of running compactions live, outputs do not.
  double keys() const;
  double memory_bits() const;
  // The part of the promised mean by which the mean exceeds it.
  double over() const { return memory_bits() / keys() / options_.mean_bits - 1; }
  size_t files_at_top() const { return levels_[0].size(); }
  // Wasted reads of uniform filters of the same memory over those per lookup of a missing key.
  double Gain() const;

 private:
  struct File {
    double keys, low, high;
    double bits;       // of memory per key
    double keys_then;  // of the tree when it was written; 0: unknown
    int job = 0;       // the running compaction that replaces it
    bool is_assumed = false;
  };
  using Level = std::list<File>;
  using Input = std::pair<int, Level::iterator>;  // with its level
  struct Job {
    int id, output_level;
    double keys_read = 0, bits_read = 0;  // of all inputs
    double keys_written = 0, bits_written = 0;
    double keys_left = 0;          // without those dropped
    double keys_when_failing = 0;  // fails once no more are left
    double bits = 0;               // per key, of the further outputs
    double assumed_keys = 0;       // of the inputs
    double low = 1, high = 0;
    std::vector<File> outputs = {};

    double keys_expected() const { return keys_read - keys_written; }
  };

  // The bits of the file in the account.
  double KnownBits(const File& file) const {
    return file.is_assumed ? options_.mean_bits : file.bits;
  }
  int BaseLevel() const;
  double Target(int level) const;
  bool BeginLeveled();
  bool BeginUniversal();
  bool Begin(const std::vector<Input>& inputs, int output_level);
  void WriteNext(Job* job);
  void End(const Job& job, bool succeeds);
  // A file of a flush or, with a job, of a compaction.
  File Write(double keys, double low, double high, Job* job);
  filter::TreeFill Describe(const Job* job) const;
  double Mean(double all_keys) const;
  double Random() { return std::uniform_real_distribution<double>()(random_); }
  template <typename F>
  void ForEachFile(F f) const {
    for (const Level& level : levels_) {
      for (const File& file : level) f(file);
    }
  }

  const Options options_;
  std::mt19937 random_;
  Level levels_[kNumLevels];  // files of level 0, oldest first
  std::list<Job> jobs_;
  int last_job_ = 0;
  double last_flush_keys_ = 0;  // 0: unknown
  double dropped_ = 0, failing_ = 0;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FILTER_SIMULATED_TREE_H_

// The harness of the benches of databases: what the workloads compare, disk, ranges and
// rewrite share. A workload lets its subjects take turns in rounds, and prints what they showed.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_HARNESS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_HARNESS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/timing.h"

// Not its headers, because LevelDB's part of compare may be compiled without type information.
namespace rocksdb {
class DB;
}  // namespace rocksdb

namespace bloomline::bench {

// The workloads: each reads its flags, runs, and returns the exit status.
int Compare(int argc, char** argv);
int Disk(int argc, char** argv);
int Ranges(int argc, char** argv);
int Rewrite(int argc, char** argv);

// Blocks that a thread's queries touched.
struct BlockCounts {
  uint64_t data_reads = 0;  // from the files, not from the cache
  uint64_t index_reads = 0;
  uint64_t filter_reads = 0;
  uint64_t bytes_read = 0;
  uint64_t cache_hits = 0;        // blocks of all kinds
  uint64_t data_blocks = 0;       // from the files or the cache
  uint64_t filter_positives = 0;  // files for which a filter said "may match"

  uint64_t Reads() const { return data_reads + index_reads + filter_reads; }
  void Add(const BlockCounts& other);
};

// What this thread's queries touch in RocksDB from now on.
void StartCounting();
BlockCounts StopCounting();

struct FileSums {
  uint64_t num_files = 0;
  uint64_t num_filters = 0;
  uint64_t num_keys = 0;
  uint64_t data_bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t filter_bytes = 0;

  void Add(const FileSums& other);
  double FilterBitsPerKey() const {
    return 8.0 * static_cast<double>(filter_bytes) / static_cast<double>(num_keys);
  }
};

// The files of each level, from level 0 on. Throws std::runtime_error.
std::vector<FileSums> SumsOfLevels(rocksdb::DB* db);
FileSums SumsOfFiles(rocksdb::DB* db);

// Prints the verdict, writes NAME.txt and the other files, by name, and returns the exit status.
int Finish(Output* output, uint64_t wrong_answers, const std::string& directory,
           const std::string& name, const std::map<std::string, std::string>& files);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_HARNESS_H_

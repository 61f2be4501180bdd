// The disk under the databases: whether it is one, and how long it takes to read a block.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_DIRECT_READS_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_DIRECT_READS_H_

#include <cstdint>
#include <string>

namespace bloomline::bench {

// Empty if databases of `bytes` can be read from the disk of this folder with direct I/O; else one
// sentence that says why not.
std::string WhyNotOnDisk(const std::string& directory, uint64_t bytes);

// The median of reads of 4 KiB at random places of the file. Throws std::runtime_error if it cannot
// be read.
double MedianDirectReadUs(const std::string& path);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_DIRECT_READS_H_

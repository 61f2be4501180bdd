// What filters spare scans of ranges that hold no key: ranges beside stored keys, and which files
// RocksDB would read for each.
#ifndef BLOOMLINE_DB_MEASURE_SCAN_H_
#define BLOOMLINE_DB_MEASURE_SCAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/db/inputs.h"
#include "src/db/inspect/inspection.h"
#include "src/db/measure/measure_file.h"

namespace bloomline::db {

// Ranges of one kind.
struct ScanWidth {
  std::string name;
  uint64_t made = 0;
  uint64_t empty = 0;  // of these, those that hold no key, unless they lie beside all files
  // The files that scans of empty ranges reach, and how many of these a filter rejects.
  uint64_t files = 0;
  uint64_t rejected = 0;

  double rejected_share() const;  // NaN: no files
  double reads_without() const;   // files per empty range; NaN: there are none
  double reads() const;
};

struct FamilyScan {
  uint64_t num_keys = 0;  // that ranges were made beside
  std::vector<ScanWidth> widths;
  std::string not_measured;  // why; empty: it was
  // Ranges that hold a key, in a file whose filter rejects them; and one of them.
  uint64_t lost = 0;
  std::string lost_example;
};

// Why ranges of a column family cannot be asked for; empty: they can.
std::string WhyNoScans(const Inspection& inspection, const FamilyGroups& family);

// Draws about options.samples stored keys of each column family, and reads a data block of each
// file for each range. Results are as Inspection::groups. Memory: the ranges, 100 bytes and twice a
// key for each, up to a dozen for each drawn key.
std::vector<FamilyScan> Scan(Inputs* inputs, const CommonOptions& common,
                             const MeasureOptions& options, const Inspection& inspection);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_MEASURE_SCAN_H_

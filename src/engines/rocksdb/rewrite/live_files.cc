#include "src/engines/rocksdb/rewrite/live_files.h"

#include <algorithm>

#include "rocksdb/comparator.h"
#include "src/engines/rocksdb/budget/file_seed.h"

namespace bloomline {

uint64_t LiveFiles::Unit::bytes() const {
  uint64_t sum = 0;
  for (const File& file : files) sum += file.size;
  return sum;
}

LiveFiles::LiveFiles(ROCKSDB_NAMESPACE::DB* db,
                     ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family)
    : comparator_(column_family->GetComparator()) {
  db->GetColumnFamilyMetaData(column_family, &metadata_);
}

const std::vector<LiveFiles::File>& LiveFiles::Files(int level) const {
  return metadata_.levels[static_cast<size_t>(level)].files;
}

bool LiveFiles::Touch(const File& a, const File& b) const {
  return comparator_->CompareWithoutTimestamp(a.largestkey, b.smallestkey) >= 0;
}

bool LiveFiles::IsBottommost(int level, size_t index) const {
  // Compaction::IsBottommostLevel and VersionStorageInfo::RangeMightExistAfterSortedRun.
  const File& file = Files(level)[index];
  if (level == 0 && index + 1 != Files(0).size()) return false;
  for (size_t below = static_cast<size_t>(level) + 1; below < metadata_.levels.size(); ++below) {
    for (const File& other : metadata_.levels[below].files) {
      if (level == 0 || (Touch(file, other) && Touch(other, file))) return false;
    }
  }
  return true;
}

LiveFiles::Unit LiveFiles::FindUnit(uint64_t number) const {
  Unit unit;
  for (const auto& level : metadata_.levels) {
    const std::vector<File>& files = level.files;
    const auto found = std::find_if(files.begin(), files.end(), [&](const File& file) {
      return FileNumber(file.name) == number;
    });
    if (found == files.end()) continue;
    auto first = found;
    auto last = found;
    if (level.level > 0) {
      while (first != files.begin() && Touch(*(first - 1), *first)) --first;
      while (last + 1 != files.end() && Touch(*last, *(last + 1))) ++last;
    }
    unit.level = level.level;
    unit.files.assign(first, last + 1);
  }
  return unit;
}

}  // namespace bloomline

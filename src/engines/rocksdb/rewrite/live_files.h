// The table files of a column family, as DB::GetColumnFamilyMetaData lists them.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_REWRITE_LIVE_FILES_H_
#define BLOOMLINE_ENGINES_ROCKSDB_REWRITE_LIVE_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"

namespace bloomline {

class LiveFiles {
 public:
  using File = ROCKSDB_NAMESPACE::SstFileMetaData;
  // Files of one level that one compaction must take together.
  struct Unit {
    int level = 0;
    std::vector<File> files;

    uint64_t bytes() const;
  };

  LiveFiles(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family);

  // Calls f(level, index, file) for each file, from the bottom up.
  template <typename F>
  void ForEach(F f) const {
    for (auto level = metadata_.levels.rbegin(); level != metadata_.levels.rend(); ++level) {
      for (size_t i = 0; i < level->files.size(); ++i) f(level->level, i, level->files[i]);
    }
  }

  // Whether no older data lies below the file, by the rule of RocksDB's compactions.
  bool IsBottommost(int level, size_t index) const;

  // The file of this number with those that share user keys with it at their ends, and those that
  // share keys with these. Without files if the database no longer has it.
  Unit FindUnit(uint64_t number) const;

 private:
  const std::vector<File>& Files(int level) const;
  // The last key of one is not before the first of the other.
  bool Touch(const File& a, const File& b) const;

  const ROCKSDB_NAMESPACE::Comparator* const comparator_;
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData metadata_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_REWRITE_LIVE_FILES_H_

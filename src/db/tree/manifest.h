// The tables that are live after the last whole record of a MANIFEST.
#ifndef BLOOMLINE_DB_TREE_MANIFEST_H_
#define BLOOMLINE_DB_TREE_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/tree/database.h"
#include "src/db/tree/version_edit.h"

namespace bloomline::tree {

struct LiveFamily {
  ColumnFamily family;
  std::map<uint64_t, TableFile> files;  // by number
  uint64_t first_log = 0;               // the first write-ahead log whose keys the tables may lack
};

// Keeps the live files, not the history. Refuses an edit that contradicts earlier ones: such a
// contradiction shows that edits are missing.
class LiveFiles {
 public:
  LiveFiles() { families_[0]; }

  // Returns false with *problem: "deletes table 5 of level 0, which is not there", or the like.
  bool Apply(VersionEdit&& edit, std::string* problem);

  const std::map<uint32_t, LiveFamily>& families() const { return families_; }  // by number
  bool is_in_group() const { return !group_.empty(); }                          // edits are missing
  bool has_rocksdb_tags() const { return has_rocksdb_tags_; }
  bool has_previous_log() const { return has_previous_log_; }
  const Numbers& numbers() const { return numbers_; }  // the last ones
  uint64_t next_file_number() const { return numbers_[1].value_or(0); }

 private:
  bool ApplyOne(VersionEdit&& edit, std::string* problem);

  std::map<uint32_t, LiveFamily> families_;
  std::vector<VersionEdit> group_;  // an atomic group that is not complete yet
  bool has_rocksdb_tags_ = false;
  bool has_previous_log_ = false;
  Numbers numbers_;
};

// Returns false with *error: the file, what is wrong, and where. Damage is an error because the
// live tables are then unknown, except in a last record that may be incomplete. A MANIFEST that
// ends before it has all kNumbers is an error, too. *end is set to the end of the last record that
// counts: an atomic group that is not complete, or a record that is not whole, may follow.
bool ReadManifest(const std::string& path, LiveFiles* live, std::string* error,
                  uint64_t* end = nullptr);

// Appends a record to *log, the end of a MANIFEST from `offset` on.
void AppendRecord(uint64_t offset, std::string_view record, std::string* log);

}  // namespace bloomline::tree

#endif  // BLOOMLINE_DB_TREE_MANIFEST_H_

// The tables that are live after the last whole record of a MANIFEST.
#ifndef BLOOMLINE_INSPECT_DATABASE_MANIFEST_H_
#define BLOOMLINE_INSPECT_DATABASE_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/inspect/database/version_edit.h"

namespace bloomline::database {

struct LiveFamily {
  std::string name = "default";
  std::string comparator;
  std::map<uint64_t, LiveFile> files;  // by number
};

// Keeps what is live, not the history.
class LiveFiles {
 public:
  LiveFiles() { families_[0]; }

  void Apply(VersionEdit&& edit);

  const std::map<uint32_t, LiveFamily>& families() const { return families_; }  // by number
  // Changes that do not fit what was there: edits before them are missing.
  uint64_t num_contradictions() const { return num_contradictions_; }
  bool has_rocksdb_tags() const { return has_rocksdb_tags_; }

 private:
  void ApplyOne(VersionEdit&& edit);

  std::map<uint32_t, LiveFamily> families_;
  std::vector<VersionEdit> group_;  // an atomic group that is not complete yet
  uint64_t num_contradictions_ = 0;
  bool has_rocksdb_tags_ = false;
};

struct Manifest {
  LiveFiles live;
  uint64_t bytes = 0;                 // of the file that were there
  std::vector<std::string> warnings;  // damage
};

// False with *error: the file and what is wrong. *vanished: it does not exist.
bool ReadManifest(const std::string& path, Manifest* manifest, bool* vanished, std::string* error);

}  // namespace bloomline::database

#endif  // BLOOMLINE_INSPECT_DATABASE_MANIFEST_H_

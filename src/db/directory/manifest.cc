#include "src/db/directory/manifest.h"

#include <utility>

#include "src/db/directory/file_names.h"
#include "src/db/directory/record_log.h"

namespace bloomline::directory {

void LiveFiles::Apply(VersionEdit&& edit) {
  has_rocksdb_tags_ = has_rocksdb_tags_ || edit.has_rocksdb_tags;
  if (!edit.remaining_in_group) {
    if (!group_.empty()) {  // the group has lost its end
      ++num_contradictions_;
      group_.clear();
    }
    return ApplyOne(std::move(edit));
  }
  const uint32_t remaining = *edit.remaining_in_group;
  if (!group_.empty() && *group_.back().remaining_in_group != remaining + 1) {
    ++num_contradictions_;
    group_.clear();
  }
  group_.push_back(std::move(edit));
  if (remaining > 0) return;
  for (VersionEdit& one : group_) ApplyOne(std::move(one));
  group_.clear();
}

void LiveFiles::ApplyOne(VersionEdit&& edit) {
  if (edit.adds_column_family) {
    LiveFamily family;
    family.name = std::move(edit.column_family_name);
    if (!families_.try_emplace(edit.column_family, std::move(family)).second) ++num_contradictions_;
  }
  const auto found = families_.find(edit.column_family);
  if (found == families_.end()) {
    ++num_contradictions_;
    return;
  }
  if (edit.drops_column_family) {
    families_.erase(found);
    return;
  }
  LiveFamily& family = found->second;
  if (edit.comparator) family.comparator = std::move(*edit.comparator);
  // First the deleted files: a file that moves to another level is in both lists.
  for (const DeletedFile& deleted : edit.deleted_files) {
    const auto file = family.files.find(deleted.number);
    if (file == family.files.end() || file->second.level != deleted.level) {
      ++num_contradictions_;
    } else {
      family.files.erase(file);
    }
  }
  for (LiveFile& file : edit.new_files) {
    const uint64_t number = file.number;
    if (!family.files.insert_or_assign(number, std::move(file)).second) ++num_contradictions_;
  }
}

bool ReadManifest(const std::string& path, Manifest* manifest, bool* vanished, std::string* error) {
  *vanished = false;
  RecordLog log;
  if (!log.Open(path, error)) {
    *vanished = !Exists(path);
    return false;
  }
  manifest->bytes = log.size();
  std::string_view record;
  VersionEdit edit;
  std::string what;
  uint64_t num_records = 0;
  uint64_t num_unreadable = 0;
  while (log.Next(&record)) {
    switch (DecodeVersionEdit(record, &edit, &what)) {
      case EditError::kNone:
        manifest->live.Apply(std::move(edit));
        ++num_records;
        break;
      case EditError::kDamaged:
        if (num_unreadable++ == 0) {
          manifest->warnings.push_back(path + ": the record at offset " +
                                       std::to_string(log.record_offset()) + " is damaged (" +
                                       what + ") and skipped");
        }
        break;
      case EditError::kNewerVersion:
        *error = path + ": the record at offset " + std::to_string(log.record_offset()) + " has " +
                 what + ", which is not known here: a newer version or another engine wrote it";
        return false;
    }
  }
  if (!log.error().empty()) {
    *error = log.error();
    return false;
  }
  if (num_records == 0) {
    *error = path + ": has no whole record in its " + std::to_string(log.size()) + " bytes";
    return false;
  }
  if (num_unreadable > 1) {
    manifest->warnings.push_back(path + ": " + std::to_string(num_unreadable - 1) +
                                 " more records are damaged and skipped");
  }
  if (log.num_damaged() > 0) {
    manifest->warnings.push_back(
        path + ": damaged at offset " + std::to_string(log.first_damage()) +
        (log.num_damaged() == 1 ? "" : " and elsewhere") + "; tables and levels may be wrong");
  }
  if (manifest->live.num_contradictions() > 0) {
    manifest->warnings.push_back(path + ": " + std::to_string(manifest->live.num_contradictions()) +
                                 " changes contradict the ones before; tables and levels may be "
                                 "wrong");
  }
  return true;
}

}  // namespace bloomline::directory

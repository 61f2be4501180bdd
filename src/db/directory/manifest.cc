#include "src/db/directory/manifest.h"

#include <utility>

#include "src/db/directory/record_log.h"

namespace bloomline::directory {

bool LiveFiles::Apply(VersionEdit&& edit, std::string* what) {
  has_rocksdb_tags_ = has_rocksdb_tags_ || edit.has_rocksdb_tags;
  const bool continues_group = !group_.empty();
  if (continues_group && (!edit.remaining_in_group || *group_.back().remaining_in_group !=
                                                          *edit.remaining_in_group + uint64_t{1})) {
    *what = "does not belong to the atomic group before it";
    return false;
  }
  if (!edit.remaining_in_group) return ApplyOne(std::move(edit), what);
  const bool is_last = *edit.remaining_in_group == 0;
  group_.push_back(std::move(edit));
  if (!is_last) return true;
  for (VersionEdit& one : group_) {
    if (!ApplyOne(std::move(one), what)) return false;
  }
  group_.clear();
  return true;
}

bool LiveFiles::ApplyOne(VersionEdit&& edit, std::string* what) {
  const std::string family_number = std::to_string(edit.column_family);
  if (edit.adds_column_family) {
    LiveFamily family;
    family.name = std::move(edit.column_family_name);
    if (!families_.try_emplace(edit.column_family, std::move(family)).second) {
      *what = "adds column family " + family_number + ", which is there";
      return false;
    }
  }
  const auto found = families_.find(edit.column_family);
  if (found == families_.end()) {
    *what = "is of column family " + family_number + ", which is not there";
    return false;
  }
  if (edit.drops_column_family) {
    families_.erase(found);
    return true;
  }
  LiveFamily& family = found->second;
  if (edit.comparator) family.comparator = std::move(*edit.comparator);
  // First the deleted files: a file that moves to another level is in both lists.
  for (const DeletedFile& deleted : edit.deleted_files) {
    const auto file = family.files.find(deleted.number);
    if (file == family.files.end() || file->second.level != deleted.level) {
      *what = "deletes table " + std::to_string(deleted.number) + ", which is not in level " +
              std::to_string(deleted.level);
      return false;
    }
    family.files.erase(file);
  }
  for (LiveFile& file : edit.new_files) {
    const uint64_t number = file.number;
    if (!family.files.try_emplace(number, std::move(file)).second) {
      *what = "adds table " + std::to_string(number) + ", which is there";
      return false;
    }
  }
  return true;
}

bool ReadManifest(const std::string& path, Manifest* manifest, std::string* error) {
  RecordLog log;
  if (!log.Open(path, error)) return false;
  manifest->bytes = log.size();
  std::string_view record;
  VersionEdit edit;
  std::string what;
  bool has_record = false;
  const auto refuse = [&](const std::string& problem) {
    *error = path + ": is damaged: the record at offset " + std::to_string(log.record_offset()) +
             " " + problem + "; which tables are live is unknown";
    return false;
  };
  while (log.Next(&record)) {
    switch (DecodeVersionEdit(record, &edit, &what)) {
      case EditError::kNone:
        break;
      case EditError::kDamaged:
        return refuse("has wrong bytes in " + what);
      case EditError::kNewerVersion:
        *error = path + ": the record at offset " + std::to_string(log.record_offset()) + " has " +
                 what + ", which is not known here: a newer version or another engine wrote it";
        return false;
    }
    if (!manifest->live.Apply(std::move(edit), &what)) return refuse(what);
    has_record = true;
  }
  if (!log.error().empty()) {
    *error = log.error();
    return false;
  }
  if (!has_record) {
    *error = path + ": has no whole record in its " + std::to_string(log.size()) + " bytes";
    return false;
  }
  return true;
}

}  // namespace bloomline::directory

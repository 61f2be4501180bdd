#include "src/engines/preload/database_rewrite.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rocksdb/db.h"
#include "src/engines/preload/next_function.h"
#include "src/support/out_of_memory.h"

namespace bloomline::preload {
namespace {

using Handles = std::vector<std::unique_ptr<rocksdb::ColumnFamilyHandle>>;

// rocksdb::DBImpl::GetColumnFamilyHandleUnlocked(uint32_t id), the same in 7.8, 9.10 and 11.9. No
// public function makes a handle, and the program may destroy its own at any time.
constexpr char kHandleFunction[] = "_ZN7rocksdb6DBImpl29GetColumnFamilyHandleUnlockedEj";
using HandleFunction = std::unique_ptr<rocksdb::ColumnFamilyHandle> (*)(rocksdb::DB* db,
                                                                        uint32_t id);

// Each family that the database has now has a handle.
bool HasAll(const Handles& handles, rocksdb::DB* db) {
  std::vector<rocksdb::ColumnFamilyMetaData> families;
  db->GetAllColumnFamilyMetaData(&families);
  return std::all_of(families.begin(), families.end(), [&](const auto& family) {
    return std::any_of(handles.begin(), handles.end(),
                       [&](const auto& handle) { return handle->GetName() == family.name; });
  });
}

// All families; none if this RocksDB lacks the function.
Handles OpenFamilies(rocksdb::DB* db) {
  Handles handles;
  const auto open = reinterpret_cast<HandleFunction>(NextMethod(kHandleFunction, db));
  if (open == nullptr) return handles;
  std::vector<rocksdb::ColumnFamilyMetaData> families;
  db->GetAllColumnFamilyMetaData(&families);
  // Numbers rise with each family that was ever created. Each call takes the database's lock, so
  // after many numbers without a family, and twice as many, and so on, see whether a family was
  // dropped since.
  constexpr uint32_t kMaxId = 1 << 20;
  uint32_t patience = 1 << 12;
  uint32_t without = 0;
  for (uint32_t id = 0; id < kMaxId && handles.size() < families.size(); ++id) {
    auto handle = open(db, id);
    without = handle == nullptr ? without + 1 : 0;
    if (handle != nullptr) handles.push_back(std::move(handle));
    if (without < patience) continue;
    if (HasAll(handles, db)) break;
    patience *= 2;
  }
  return handles;
}

std::string ProgressLine(const std::string& family, const RewriteProgress& progress) {
  return "column family '" + family + "': " + std::to_string(progress.files_done) + " of " +
         std::to_string(progress.files_to_rewrite) + " files, " +
         std::to_string(progress.bytes_done) + " of " + std::to_string(progress.bytes_to_rewrite) +
         " bytes";
}

}  // namespace

DatabaseReport RewriteDatabase(rocksdb::DB* db, RewriteOptions options,
                               const std::function<void(const std::string& line)>& show_progress) {
  DatabaseReport all;
  const Handles handles = OpenFamilies(db);
  if (handles.empty()) all.text = "this RocksDB gives no handles of column families\n";
  all.is_complete = !handles.empty();
  for (const auto& handle : handles) {
    const std::string& family = handle->GetName();
    if (db->GetOptions(handle.get()).disable_auto_compactions) {
      all.text += "Column family '" + family +
                  "' is left out: disable_auto_compactions is true; allowed: false\n";
      all.is_complete = false;
      continue;
    }
    options.progress = [&](const RewriteProgress& progress) {
      support::OrIfOutOfMemory(false, [&] {
        show_progress(ProgressLine(family, progress));
        return true;
      });
    };
    RewriteReport report;
    std::string error;
    const bool is_done = RewriteFilters(db, handle.get(), options, &report, &error);
    all.text += report.ToString();
    if (!is_done) all.text += "Error: " + error + "\n";
    all.is_complete = all.is_complete && is_done && report.IsComplete();
    if (options.cancel->load()) break;
  }
  return all;
}

}  // namespace bloomline::preload

// bloomline_rocksdb_rewrite_filters of include/bloomline/c_rocksdb.h.
#include <cstring>
#include <string>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rewrite_filters.h"
#include "rocksdb/c.h"
#include "rocksdb/db.h"
#include "src/engines/rocksdb/rewrite/rewrite_options.h"
#include "src/support/c_error.h"

namespace bloomline {
namespace {

// The handles of RocksDB's C functions are structs that begin with the pointer to the C++ object
// (db/c.cc in 7.8, 9.10 and 11.9).
template <typename Object, typename Handle>
Object* PointerIn(Handle* handle) {
  Object* object = nullptr;
  std::memcpy(static_cast<void*>(&object), handle, sizeof(object));
  return object;
}

ROCKSDB_NAMESPACE::DB* Database(rocksdb_t* db) { return PointerIn<ROCKSDB_NAMESPACE::DB>(db); }

// Null means the default column family.
ROCKSDB_NAMESPACE::ColumnFamilyHandle* Family(rocksdb_t* db,
                                              rocksdb_column_family_handle_t* column_family) {
  return column_family == nullptr ? Database(db)->DefaultColumnFamily()
                                  : PointerIn<ROCKSDB_NAMESPACE::ColumnFamilyHandle>(column_family);
}

}  // namespace
}  // namespace bloomline

extern "C" uint8_t bloomline_rocksdb_rewrite_filters(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, const char* options,
    uint8_t (*progress)(void* state, uint64_t bytes_done, uint64_t bytes_to_rewrite), void* state,
    uint64_t* num_skipped, char** report, char** errptr) {
  if (report != nullptr) *report = nullptr;
  bloomline::RewriteReport result;
  const bool is_done = bloomline::support::OrSetError(errptr, [&](std::string* reason) {
    if (db == nullptr) {
      *reason = "db is NULL; allowed: an open database";
      return false;
    }
    if (bloomline::support::IsNullText(options, "options", reason)) return false;
    bloomline::RewriteOptions parsed;
    if (!bloomline::engine::ParseRewriteOptions(options, &parsed, reason)) return false;
    std::atomic<bool> cancel{false};
    parsed.cancel = &cancel;
    if (progress != nullptr) {
      parsed.progress = [&](const bloomline::RewriteProgress& now) {
        if (progress(state, now.bytes_done, now.bytes_to_rewrite) == 0) cancel = true;
      };
    }
    return bloomline::RewriteFilters(bloomline::Database(db), bloomline::Family(db, column_family),
                                     parsed, &result, reason);
  });
  if (num_skipped != nullptr) *num_skipped = result.skipped.size();
  if (report != nullptr) {
    bloomline::support::OrIfItThrows(false, [&] {
      bloomline::support::SetCError(result.ToString(), report);
      return true;
    });
  }
  return is_done;
}

// bloomline_rocksdb_rewrite_filters of include/bloomline/c_rocksdb.h.
#include <string>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rewrite_filters.h"
#include "src/engines/rocksdb/rewrite/c_handles.h"
#include "src/engines/rocksdb/rewrite/rewrite_options.h"
#include "src/support/c_error.h"

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
    if (!bloomline::ParseRewriteOptions(options, &parsed, reason)) return false;
    std::atomic<bool> cancel{false};
    parsed.cancel = &cancel;
    if (progress != nullptr) {
      parsed.progress = [&](const bloomline::RewriteProgress& now) {
        if (progress(state, now.bytes_done, now.bytes_to_rewrite) == 0) cancel = true;
      };
    }
    return bloomline::RewriteFilters(
        bloomline::DatabaseOf(db), bloomline::FamilyOf(db, column_family), parsed, &result, reason);
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

// bloomline_rocksdb_rewrite_filters of include/bloomline/c_rocksdb.h, whose options are text.
#include <cstring>
#include <string>
#include <string_view>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rewrite_filters.h"
#include "rocksdb/c.h"
#include "rocksdb/db.h"
#include "src/support/c_error.h"
#include "src/support/number_text.h"
#include "src/support/option_text.h"
#include "src/support/quoted.h"
#include "src/support/set_error.h"

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

// ---- The options.

constexpr char kBytesPerSecond[] = "bytes_per_second";

struct FlagOption {
  const char* name;
  bool RewriteOptions::*field;
};
constexpr FlagOption kFlags[] = {
    {"dry_run", &RewriteOptions::dry_run},
    {"include_level0", &RewriteOptions::include_level0},
    {"all_files", &RewriteOptions::all_files},
};

std::string Names() {
  std::string names = kBytesPerSecond;
  for (const FlagOption& option : kFlags) names += std::string(", ") + option.name;
  return names;
}

bool ParseOne(std::string_view name, std::string_view value, RewriteOptions* options,
              std::string* error) {
  const auto refuse = [&](const std::string& allowed) {
    return support::Refuse(error, name, " is ", support::Quoted(value), "; allowed: ", allowed);
  };
  if (name == kBytesPerSecond) {
    return support::ParseSize(value, &options->bytes_per_second) || refuse(support::kAllowedSizes);
  }
  for (const FlagOption& option : kFlags) {
    if (name != option.name) continue;
    if (value != "true" && value != "false") return refuse("true, false");
    options->*option.field = value == "true";
    return true;
  }
  return support::Refuse(error, "option is ", support::Quoted(name), "; allowed: ", Names());
}

// Sets fields that are numbers or flags, by their names in "bytes_per_second=20M;dry_run=true".
// Returns false and sets *error if a name or a value is wrong.
bool ParseOptions(std::string_view text, RewriteOptions* options, std::string* error) {
  *error = support::GivenTwice(text);
  if (!error->empty()) return false;
  while (!text.empty()) {
    const size_t end = text.find(';');
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (part.empty()) continue;
    const size_t sign = part.find('=');
    const std::string_view value = sign == part.npos ? "" : part.substr(sign + 1);
    if (!ParseOne(part.substr(0, sign), value, options, error)) return false;
  }
  return true;
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
    if (!bloomline::ParseOptions(options, &parsed, reason)) return false;
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

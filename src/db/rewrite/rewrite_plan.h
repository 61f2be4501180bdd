// What `bloomline db rewrite` will do with each file of a database, before it writes anything.
#ifndef BLOOMLINE_DB_REWRITE_REWRITE_PLAN_H_
#define BLOOMLINE_DB_REWRITE_REWRITE_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/db/inputs.h"
#include "src/db/inspection.h"
#include "src/db/rewrite/database_folder.h"
#include "src/db/rewrite/rewrite_policy.h"

namespace bloomline::db {

struct RewriteOptions {
  CommonOptions common;  // but its paths
  std::string folder;
  std::string new_folder;
  std::string policy;  // empty: what advise chooses
  std::vector<std::string> families;
  uint64_t bytes_per_second = 0;
  bool clones = false;
  bool dry_run = false;
  bool untested_version = false;
};

// A table that gets a new filter.
struct PlannedTable {
  size_t file = 0;  // of Inputs::files
  Format format = Format::kBloom;
  double bits_per_key = 0;
  bool is_legacy = false;
  uint64_t new_bytes = 0;  // about
};

struct RewritePlan {
  std::vector<PlannedTable> tables;         // by number
  std::vector<size_t> staying;              // live tables that stay as they are
  std::map<std::string, uint64_t> reasons;  // why, with the number of files
  std::vector<std::string> filters;         // what is written, for each column family
  uint64_t next_number = 0;                 // no file has this number or a higher one
};

// Returns an exit code with *error, or kExitOk. `inputs` has one database, whose files are all
// read.
int MakePlan(const RewriteOptions& options, const DatabaseFolder& folder, const Inputs& inputs,
             const Inspection& inspection, RewritePlan* plan, std::string* error);

// The number in the names of a database's files: "000012.sst", "MANIFEST-000012"; none: 0.
uint64_t NumberIn(const std::string& name);
// "000012"
std::string SixDigits(uint64_t number);

// The path of the MANIFEST that CURRENT names. Returns false with *error.
bool FindManifest(const DatabaseFolder& folder, std::string* path, std::string* error);

// Reads a file of a few megabytes.
bool ReadWhole(const std::string& path, std::string* text, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_REWRITE_PLAN_H_

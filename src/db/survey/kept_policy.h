// What a program has to set so that new files get the filters that its files have.
#ifndef BLOOMLINE_DB_SURVEY_KEPT_POLICY_H_
#define BLOOMLINE_DB_SURVEY_KEPT_POLICY_H_

#include <cstddef>
#include <optional>
#include <string>

#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"
#include "src/db/tree/database.h"

namespace bloomline::db {

struct KeptFilters {
  std::string policy;  // the filter_policy to set; empty: nothing
  // RocksDB's Bloom filters have the weak hash below format_version 5, which is to be set, too.
  bool needs_format_version = false;

  bool operator<(const KeptFilters& other) const { return policy < other.policy; }
};

// Returns what writes filters like those of the g-th column family's files, as far as their bytes
// show. Nothing if the running policy does so, if it is unknown or an application's, and if the
// files have filters of several kinds or of none that RocksDB's option strings name.
KeptFilters FiltersToKeep(const Inputs& inputs, const Inspection& inspection, size_t g);

// The memory per key of what `policy` writes, if it is known.
std::optional<double> BitsOfPolicy(const std::string& policy);

// Whether RocksDB's Bloom policy writes filters with the weak hash there.
bool WritesOldBloom(const tree::ColumnFamily& family);

// Prints it, so that it can be copied.
void PrintFiltersToKeep(const KeptFilters& kept);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_KEPT_POLICY_H_

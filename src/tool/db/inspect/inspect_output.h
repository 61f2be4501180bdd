// The output of `bloomline db inspect`.
#ifndef BLOOMLINE_TOOL_DB_INSPECT_INSPECT_OUTPUT_H_
#define BLOOMLINE_TOOL_DB_INSPECT_INSPECT_OUTPUT_H_

#include <string>
#include <vector>

#include "src/tool/db/common.h"
#include "src/tool/db/inspect/groups.h"
#include "src/tool/json.h"

namespace bloomline::tool::db {

// What is known of the policy with which each column family runs.
struct RunningPolicy {
  std::string name;  // "bloomfilter:10:false"; empty: unknown
  std::string from;  // "OPTIONS", "--policy"
};

void PrintInspection(const Inputs& inputs, const std::vector<InspectedFile>& files,
                     const std::vector<RunningPolicy>& policies,
                     const std::vector<FamilyGroups>& groups, bool with_files);

// One document; files of all databases with all their facts.
Json InspectionJson(const Inputs& inputs, const std::vector<InspectedFile>& files,
                    const std::vector<RunningPolicy>& policies,
                    const std::vector<FamilyGroups>& groups);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_INSPECT_INSPECT_OUTPUT_H_

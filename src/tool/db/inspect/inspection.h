// The inspection of all files: what inspect prints, and what the other commands begin with.
#ifndef BLOOMLINE_TOOL_DB_INSPECT_INSPECTION_H_
#define BLOOMLINE_TOOL_DB_INSPECT_INSPECTION_H_

#include <string>
#include <vector>

#include "src/tool/db/common.h"
#include "src/tool/db/inspect/groups.h"
#include "src/tool/db/inspect/inspect_output.h"

namespace bloomline::tool::db {

struct Inspection {
  std::vector<InspectedFile> files;  // as Inputs::files
  std::vector<FamilyGroups> groups;
  std::vector<RunningPolicy> policies;  // as groups
};

// `policy`: the running one, for all databases; empty: that of the OPTIONS file.
Inspection Inspect(Inputs* inputs, const CommonOptions& options, const std::string& name,
                   const std::string& policy);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_INSPECT_INSPECTION_H_

// What src/inspect/advice needs to know of a column family.
#ifndef BLOOMLINE_TOOL_DB_ADVISE_SITUATION_H_
#define BLOOMLINE_TOOL_DB_ADVISE_SITUATION_H_

#include <vector>

#include "src/inspect/advice/advice.h"
#include "src/tool/db/common.h"
#include "src/tool/db/inspect/inspection.h"
#include "src/tool/db/measure/measurement.h"

namespace bloomline::tool::db {

// `measured` is null if rates are to be those of theory.
advice::Situation SituationOf(const Inputs& inputs, const Inspection& inspection,
                              const FamilyGroups& groups, const MeasuredFamily* measured);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_ADVISE_SITUATION_H_

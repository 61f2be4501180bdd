// The output of `bloomline db measure`.
#ifndef BLOOMLINE_TOOL_DB_MEASURE_MEASURE_OUTPUT_H_
#define BLOOMLINE_TOOL_DB_MEASURE_MEASURE_OUTPUT_H_

#include <vector>

#include "src/tool/db/common.h"
#include "src/tool/db/inspect/inspection.h"
#include "src/tool/db/measure/measurement.h"
#include "src/tool/json.h"

namespace bloomline::tool::db {

void PrintMeasurement(const Inputs& inputs, const Inspection& inspection,
                      const std::vector<MeasureResult>& results,
                      const std::vector<MeasuredFamily>& families, bool with_files);

Json MeasurementJson(const Inputs& inputs, const Inspection& inspection,
                     const std::vector<MeasureResult>& results,
                     const std::vector<MeasuredFamily>& families);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_MEASURE_MEASURE_OUTPUT_H_

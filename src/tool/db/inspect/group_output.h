// Groups as text and JSON.
#ifndef BLOOMLINE_TOOL_DB_INSPECT_GROUP_OUTPUT_H_
#define BLOOMLINE_TOOL_DB_INSPECT_GROUP_OUTPUT_H_

#include <string>

#include "src/tool/db/inspect/groups.h"
#include "src/tool/json.h"

namespace bloomline::tool::db {

Json GroupJson(const Group& group);
Json LayoutsJson(const LayoutCounts& layouts);

// "RocksDB Bloom, RocksDB Ribbon"; of files without filters "none".
std::string LayoutsText(const LayoutCounts& layouts);

// "1.2 %", "-" for NaN.
std::string RateOrDash(double rate);
Json RateOrNull(double rate);

// "12,000", or "~12,000".
std::string KeysText(uint64_t num_keys, bool estimated);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_INSPECT_GROUP_OUTPUT_H_

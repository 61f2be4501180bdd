// Format compact in the texts of RocksDB's policies. Programs with bloomline before 0.4.0 may have
// written OPTIONS files that name it; it now means Ribbon filters of the same memory.
#ifndef BLOOMLINE_DB_SURVEY_FORMER_COMPACT_H_
#define BLOOMLINE_DB_SURVEY_FORMER_COMPACT_H_

#include <string>

namespace bloomline::db {

// The policy of an OPTIONS file as bloomline reads it.
std::string WithoutCompact(const std::string& policy);

// Why --policy may not be this text: "format is compact, which is ..."; empty: it has no compact.
std::string WhyNoCompact(const std::string& policy);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_FORMER_COMPACT_H_

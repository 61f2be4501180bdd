// What advise has to know of a column family, for the commands that ask it.
#ifndef BLOOMLINE_DB_SURVEY_SITUATION_H_
#define BLOOMLINE_DB_SURVEY_SITUATION_H_

#include "src/db/model/advice.h"
#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"

namespace bloomline::db {

// Why goleveldb's databases are not given other filters, and what to do: a sentence without its
// end.
constexpr char kGoLevelDBCure[] =
    "goleveldb reads only its own filters; to change them, give its Options another "
    "filter.NewBloomFilter(BITS), write the first and the last key again, and call "
    "CompactRange(util.Range{})";

// Returns the levels, keys and filters of `groups`, with the wasted reads that inspect expects. A
// filter that is not understood counts as one that matches every key.
model::Situation SituationOf(const Inputs& inputs, const FamilyGroups& groups);

// Whether RocksDB is known to read Ribbon filters: from the version that opened the database last
// or, if that is unknown, from such filters.
bool ReadsRibbon(const Inputs& inputs, const FamilyGroups& groups);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_SITUATION_H_

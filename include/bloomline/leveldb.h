// bloomline as a LevelDB filter policy. The only header that names LevelDB types.
#ifndef BLOOMLINE_LEVELDB_H_
#define BLOOMLINE_LEVELDB_H_

#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "leveldb/filter_policy.h"

namespace bloomline {

// LevelDB's own policy name. LevelDB uses a filter block only under the name it was written with,
// so the name is part of the file format.
constexpr char kLevelDBBuiltinName[] = "leveldb.BuiltinBloomFilter2";

// A policy for leveldb::Options::filter_policy. The caller owns it and must keep it until the
// database is closed. It is immutable and thread-safe.
//
// Under the default name it reads every filter that stock LevelDB wrote, and stock LevelDB reads
// ours as "may match": a database can go back and forth with no wrong answer (docs/format.md,
// section 4). Another name gives up both; existing filters of other names then lie unused until
// compaction rewrites their files.
//
// A seed needs a name of the caller's own. Name() is then that name with ".seed-" and a check of
// the seed behind it: LevelDB uses filters only under the name they were written with, so that with
// another seed, or without one, they lie unused and no key is lost. Filters have no room for the
// seed itself, so the caller keeps it: draw one with DrawSeed (seed.h), store it with the
// database's options, and give it to each policy for that database (docs/chosen_keys.md).
//
// Invalid options give nullptr: what FilterOptions::Validate refuses, random_seed, a seed with
// LevelDB's own name or with kClassic, an empty name or one with a zero byte, or, without a seed, a
// name that ends as one with a check. So does missing memory. The reason goes to *error if it is
// not null, else to stderr. LevelDB takes a null policy as "no filters".
const leveldb::FilterPolicy* NewLevelDBFilterPolicy(const FilterOptions& options,
                                                    std::string_view name = kLevelDBBuiltinName,
                                                    std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_LEVELDB_H_

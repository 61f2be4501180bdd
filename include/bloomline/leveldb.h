// bloomline as a filter policy of LevelDB: it builds and reads the filters in LevelDB's table
// files.
//
//   std::string error;
//   const leveldb::FilterPolicy* policy = bloomline::NewLevelDBFilterPolicy(
//       bloomline::FilterOptions(), bloomline::kLevelDBBuiltinName, &error);
//   if (policy == nullptr) return 1;  // error says why
//   db_options.filter_policy = policy;  // delete it after the database
//
// The filters of existing tables: under LevelDB's own policy name, bloomline reads and uses every
// filter that LevelDB wrote. LevelDB without bloomline reads bloomline's filters as "may match".
// Its results are right, but lookups of missing keys read from disk until a compaction writes
// LevelDB's own filters (docs/format.md, section 4; docs/compatibility.md). kClassic writes
// LevelDB's own filters, byte for byte.
//
// Link with bloomline::leveldb. This header needs LevelDB's C++ headers. For LevelDB's C bindings:
// c_leveldb.h.
#ifndef BLOOMLINE_LEVELDB_H_
#define BLOOMLINE_LEVELDB_H_

#include <memory>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "bloomline/key_canonicalizer.h"
#include "leveldb/filter_policy.h"

namespace bloomline {

// LevelDB's own policy name. LevelDB uses a filter only under the name that it was written with, so
// the name is part of the file format.
constexpr char kLevelDBBuiltinName[] = "leveldb.BuiltinBloomFilter2";

// Returns a policy for leveldb::Options::filter_policy. The caller owns it, and deletes it after
// the database is closed. It is immutable and thread-safe; several databases may use it. Cost:
// less than 0.1 ms.
//
// Name: copied. Under any name other than kLevelDBBuiltinName, bloomline and LevelDB do not use
// each other's filters. Those that are in the files already are not used until a compaction
// rewrites the files; no key is lost.
//
// Seed: a policy with a FilterOptions::seed other than 0 needs a name of the caller's own. Name()
// is then that name, `.seed-` and 32 hex digits that follow from the seed. So LevelDB does not use
// a filter with a different seed or none, and no key is lost. LevelDB's filters have no space for
// the seed itself. The caller keeps it: draw one with DrawSeed (seed.h), store it with the
// database's options, and pass it to each policy for that database (docs/keys.md).
//
// Errors: returns null if
// - FilterOptions::Validate refuses the options, or random_seed is set;
// - a seed is given with LevelDB's own name or with kClassic;
// - the name is empty, contains a zero byte or `.canonicalizer-`, or, without a seed, already ends
//   in `.seed-` and 32 hex digits.
// *error then has the reason; if `error` is null, stderr has it. On success *error is left alone.
// Check for null: LevelDB takes a null policy as "no filters".
//
// After that the policy cannot fail. Without memory, the process ends, as with LevelDB's own
// filter.
const leveldb::FilterPolicy* NewLevelDBFilterPolicy(const FilterOptions& options,
                                                    std::string_view name = kLevelDBBuiltinName,
                                                    std::string* error = nullptr);

// Returns a policy around `policy`, which it takes over, for a comparator that treats different
// keys as equal (key_canonicalizer.h, docs/keys.md). It hands on canonical forms in place of
// keys. Name() is the policy's name, `.canonicalizer-` and the canonicalizer's name, so LevelDB
// uses no filter with a different canonicalizer or none, and no other policy uses these.
//
// Errors: returns null if an argument is null or the canonicalizer has an empty name. *error then
// has the reason; if `error` is null, stderr has it.
const leveldb::FilterPolicy* NewCanonicalLevelDBFilterPolicy(
    std::unique_ptr<const leveldb::FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer, std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_LEVELDB_H_

// A filter policy that builds and reads the filters in LevelDB's table files.
//
//   const leveldb::FilterPolicy* policy = bloomline::NewLevelDBFilterPolicy(
//       bloomline::FilterOptions(), bloomline::kLevelDBBuiltinName, &error);
//   if (policy == nullptr) return 1;  // error says why
//   db_options.filter_policy = policy;
//
// Under LevelDB's own policy name, bloomline uses every filter that LevelDB wrote.
// In LevelDB without bloomline, filters other than kClassic match every key
// (docs/compatibility.md).
//
// Link bloomline::leveldb.
#ifndef BLOOMLINE_LEVELDB_H_
#define BLOOMLINE_LEVELDB_H_

#include <memory>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "bloomline/key_canonicalizer.h"
#include "leveldb/filter_policy.h"

namespace bloomline {

constexpr char kLevelDBBuiltinName[] = "leveldb.BuiltinBloomFilter2";

// Returns a policy for leveldb::Options::filter_policy. It is thread-safe; several databases may
// use it. The caller deletes it after they are closed.
//
// The name is copied. Under another name, LevelDB ignores the existing filters.
//
// A policy with a FilterOptions::seed needs another name. Name() is then that name, `.seed-` and 32
// hex digits derived from the seed, so LevelDB uses no filters with another seed. Store the seed
// with the database's options (docs/keys.md): filters do not record it.
//
// Errors: returns null, which means "no filters" to LevelDB, with the reason in *error (on stderr
// if `error` is null), if
// - FilterOptions::Validate refuses the options, or random_seed is set;
// - a seed is given with LevelDB's own name or with kClassic;
// - the name is empty, contains a zero byte or `.canonicalizer-`, or, without a seed, ends in
//   `.seed-` and 32 hex digits.
const leveldb::FilterPolicy* NewLevelDBFilterPolicy(const FilterOptions& options,
                                                    std::string_view name = kLevelDBBuiltinName,
                                                    std::string* error = nullptr);

// Takes over `policy` and wraps it for a comparator that treats different keys as equal
// (key_canonicalizer.h, docs/keys.md). No other policy uses its filters, and it uses no others.
// Returns null, with the reason as above, if an argument is null or the canonicalizer has no name.
const leveldb::FilterPolicy* NewCanonicalLevelDBFilterPolicy(
    std::unique_ptr<const leveldb::FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer, std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_LEVELDB_H_

// A LevelDB policy of canonical forms, around a policy of keys.
#ifndef BLOOMLINE_ENGINES_LEVELDB_CANONICAL_POLICY_H_
#define BLOOMLINE_ENGINES_LEVELDB_CANONICAL_POLICY_H_

#include <memory>

#include "bloomline/key_canonicalizer.h"
#include "leveldb/filter_policy.h"

namespace bloomline {

// Passes on canonical forms in place of keys. Where one is missing, a filter matches everything,
// and a query may match. `policy` has the name that says so (docs/format.md, section 4). May throw
// bad_alloc; the result throws nothing.
std::unique_ptr<const leveldb::FilterPolicy> NewCanonicalLevelDBPolicy(
    std::unique_ptr<const leveldb::FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_LEVELDB_CANONICAL_POLICY_H_

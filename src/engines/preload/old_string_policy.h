// Policies for a LevelDB that was compiled with the std::string before GCC 5, as those in wheels of
// Python are.
#ifndef BLOOMLINE_SRC_ENGINES_PRELOAD_OLD_STRING_POLICY_H_
#define BLOOMLINE_SRC_ENGINES_PRELOAD_OLD_STRING_POLICY_H_

#include <cstddef>

#include "bloomline/leveldb.h"

namespace bloomline::preload {

// A policy whose filters go to an old std::string. It owns `policy`, whose filters go to a new one.
const leveldb::FilterPolicy* NewOldStringPolicy(const leveldb::FilterPolicy* policy);

// For the policy above, which cannot call CreateFilter: `append` gets `string` and the bytes.
using AppendFunction = void (*)(void* string, const char* bytes, size_t num_bytes);
void AppendFilter(const leveldb::FilterPolicy& policy, const leveldb::Slice* keys, int n,
                  AppendFunction append, void* string) noexcept;

}  // namespace bloomline::preload

#endif  // BLOOMLINE_SRC_ENGINES_PRELOAD_OLD_STRING_POLICY_H_

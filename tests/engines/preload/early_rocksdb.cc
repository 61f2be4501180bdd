// Asks for a policy while the process starts.
#include "rocksdb/filter_policy.h"

namespace {
const rocksdb::FilterPolicy* const policy = rocksdb::NewBloomFilterPolicy(12);
__attribute__((destructor)) void AtEnd() { delete policy; }
}  // namespace

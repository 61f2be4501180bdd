// Creates, opens and deletes filters. docs/redis.md, "Creation and deletion", has the order and its
// reasons.
#ifndef BLOOMLINE_REDIS_LIFECYCLE_H_
#define BLOOMLINE_REDIS_LIFECYCLE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

// Each function returns false, with the reason, on failure.

// Creates the filter, or opens one with the same parameters. *layout gets its id.
bool CreateFilter(Router* router, const std::string& name, Layout* layout, std::string* error);

// Opens the filter. All its shards exist.
bool OpenFilter(Router* router, const std::string& name, Layout* layout, std::string* error);

bool DeleteFilter(Router* router, const std::string& name, std::string* error);

// Waits until options.min_replicas replicas have the entry and the shards. Otherwise a replica that
// takes over could lack the filter, or have an older one of this name.
bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options, std::string* error);

// Removes the strings that BITFIELD created in place of these shards, which were missing.
void RemoveRemnants(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                    const std::set<uint32_t>& lost);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_LIFECYCLE_H_

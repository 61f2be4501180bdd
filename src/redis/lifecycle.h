// Creates, opens and deletes filters. docs/redis.md, "Creation and deletion", has the order and its
// reasons.
#ifndef BLOOMLINE_REDIS_LIFECYCLE_H_
#define BLOOMLINE_REDIS_LIFECYCLE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

// Each function returns nothing or false, with the reason, on failure.

// Creates the filter, or opens one with the same parameters. `wanted` has no id.
std::optional<Filter> CreateFilter(Router* router, const std::string& name, const Layout& wanted,
                                   std::string* error);

// Opens the filter. All its shards exist.
std::optional<Filter> OpenFilter(Router* router, const std::string& name, std::string* error);

bool DeleteFilter(Router* router, const std::string& name, std::string* error);

// Waits until options.min_replicas replicas have the entry and the shards. Without them, a replica
// that takes over could have no filter of this name, or an older one.
bool ConfirmFilter(Router* router, const Filter& filter, const AddOptions& options,
                   std::string* error);

// Removes the strings that BITFIELD created in place of these shards, which were missing.
void RemoveRemnants(Router* router, const Filter& filter, const std::set<uint32_t>& lost);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_LIFECYCLE_H_

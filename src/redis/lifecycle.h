// Creates, opens, checks and deletes the keys of a filter.
//
//   (CreateFilter | OpenFilter) CheckShards ConfirmFilter*
#ifndef BLOOMLINE_REDIS_LIFECYCLE_H_
#define BLOOMLINE_REDIS_LIFECYCLE_H_

#include <string>
#include <vector>

#include "src/redis/creation.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

// Each function returns false, with the reason, on failure.

// Creates the filter, or finds one with the same parameters. *layout gets its id. If another client
// has left a filter unfinished, finishes it, or removes it if one of its shards has expired.
bool CreateFilter(Router* router, const std::string& name, Layout* layout, std::string* error,
                  const CreationPace& pace = {});

// Finds the filter. Finishes it if its creator has not.
bool OpenFilter(Router* router, const std::string& name, Layout* layout, std::string* error);

// Checks that all shards exist and have their length.
bool CheckShards(Router* router, const std::string& name, const Layout& layout, std::string* error);

bool DeleteFilter(Router* router, const std::string& name, std::string* error);

// Waits until options.min_replicas replicas have the metadata and the permanent shards. Without the
// metadata, the shards would not be found after a failover, and a filter created in their place
// would be empty. Without the end of the creation, the shards would expire with all keys added
// since.
bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options, std::string* error);

// Removes a string that BITFIELD created in place of a missing shard: one without its last marker.
void RemoveRemnant(Router* router, const std::string& name, const Layout& layout, uint32_t shard);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_LIFECYCLE_H_

#include "src/engines/rocksdb/cache_charge.h"

#include <cstdint>
#include <cstring>

#include "src/engines/rocksdb/cache_role_abi.h"
#include "src/support/out_of_memory.h"

namespace bloomline {
namespace {

// As large as RocksDB's: each entry costs a lock and a place in the cache's table.
constexpr size_t kEntryBytes = size_t{256} << 10;

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

#if BLOOMLINE_ROCKSDB_HAS_CACHE_ROLES
constexpr auto kRole = ROCKSDB_NAMESPACE::CacheEntryRole::kFilterConstruction;
#endif

// What tells the role of an entry (cache_role_abi.h).
#if BLOOMLINE_ROCKSDB_HAS_CACHE_HELPERS
const Cache::CacheItemHelper* Role() {
  using Upstream = ROCKSDB_NAMESPACE::CacheReservationManagerImpl<kRole>;
  static const Cache::CacheItemHelper own(kRole);
  static const Cache::CacheItemHelper* const role =
      &Upstream::TEST_GetCacheItemHelperForRole == nullptr
          ? &own
          : Upstream::TEST_GetCacheItemHelperForRole();
  return role;
}
#else
void DeleteNothing(const Slice&, void*) {}

Cache::DeleterFn Role() {
#if BLOOMLINE_ROCKSDB_HAS_CACHE_ROLES
  using Upstream = ROCKSDB_NAMESPACE::CacheReservationManagerImpl<kRole>;
  if (&Upstream::TEST_GetNoopDeleterForRole != nullptr) {
    return Upstream::TEST_GetNoopDeleterForRole();
  }
#endif
  return DeleteNothing;
}
#endif

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 703
bool IsCharged(const BlockBasedTableOptions& options) {
  using ROCKSDB_NAMESPACE::CacheEntryRoleOptions;
  const auto& usage = options.cache_usage_options;
  const auto override_of_role = usage.options_overrides.find(kRole);
  const CacheEntryRoleOptions& role =
      override_of_role == usage.options_overrides.end() ? usage.options : override_of_role->second;
  return role.charged == CacheEntryRoleOptions::Decision::kEnabled;
}
#else
bool IsCharged(const BlockBasedTableOptions& options) {
  return options.reserve_table_builder_memory;
}
#endif

// A key that no other entry of the cache has: as RocksDB makes it for its own entries of this kind,
// from a number that the cache gives once. 16 bytes, which some caches require.
struct Key {
  explicit Key(Cache* cache) : words{0, cache->NewId() + 1} {}
  Slice slice() const { return Slice(reinterpret_cast<const char*>(words), sizeof(words)); }
  uint64_t words[2];
};

}  // namespace

std::shared_ptr<Cache> ChargedCache(const BlockBasedTableOptions& options) {
  return IsCharged(options) ? options.block_cache : nullptr;
}

bool ConstructionCharge::Insert() {
  return support::OrIfOutOfMemory(false, [&] {
    // First, so that no handle is lost.
    if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 4);
    Cache::Handle* entry = nullptr;
#if BLOOMLINE_ROCKSDB_HAS_CACHE_HELPERS
    const Status status =
        cache_->Insert(Key(cache_.get()).slice(), nullptr, Role(), kEntryBytes, &entry);
#else
    const Status status =
        cache_->Insert(Key(cache_.get()).slice(), nullptr, kEntryBytes, Role(), &entry);
#endif
    const bool accepted = status.ok() && entry != nullptr;
    if (accepted) entries_.push_back(entry);
    return accepted;
  });
}

void ConstructionCharge::Charge(size_t bytes) {
  if (cache_ == nullptr) return;
  const size_t wanted = bytes / kEntryBytes + (bytes % kEntryBytes == 0 ? 0 : 1);
  while (entries_.size() < wanted && Insert()) {
  }
  while (entries_.size() > wanted) {
    cache_->Release(static_cast<Cache::Handle*>(entries_.back()), true);
    entries_.pop_back();
  }
}

size_t ConstructionCharge::ListHas(size_t num_hashes) {
  constexpr size_t kHashesPerEntry = kEntryBytes / sizeof(uint64_t);
  const size_t num_entries = (num_hashes + kHashesPerEntry / 2) / kHashesPerEntry;
  SetHashes(num_entries * kEntryBytes);
  return num_entries * kHashesPerEntry + kHashesPerEntry / 2;
}

void ConstructionCharge::SetHashes(size_t bytes) {
  if (bytes == hash_bytes_) return;
  hash_bytes_ = bytes;
  Update();
}

void ConstructionCharge::AddFilter(size_t bytes) {
  filter_bytes_ += bytes;
  Update();
}

void ConstructionCharge::BuildingTakes(uint64_t temporary_bytes) {
  temporary_bytes_ = static_cast<size_t>(temporary_bytes);
  Update();
}

}  // namespace bloomline

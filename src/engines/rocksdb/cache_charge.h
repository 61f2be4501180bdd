// Charges memory to RocksDB's block cache, as RocksDB's own builders do: with entries that have no
// content, but the size of the memory. So the cache evicts as much as filters under construction
// take, and both together stay within its capacity.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_CACHE_CHARGE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_CACHE_CHARGE_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "src/filter/writer/hash_list.h"

namespace bloomline {

// The cache that filter construction is charged to; null if it is not charged. That is
// BlockBasedTableOptions::cache_usage_options, and reserve_table_builder_memory before RocksDB 7.3.
std::shared_ptr<ROCKSDB_NAMESPACE::Cache> ChargedCache(
    const ROCKSDB_NAMESPACE::BlockBasedTableOptions& options);

// What a builder of filters charges: hashes, the memory that it sorts them in, and finished
// filters. RocksDB's builders charge the same, so hashes are charged in halves of entries, rounded.
// A cache that is full and has a strict limit refuses: less is charged then, and the next call
// tries again. As in RocksDB, that changes no filter. Not thread-safe. Throws nothing. Gives
// everything back when destroyed.
class ConstructionCharge : public filter::HashListObserver {
 public:
  ConstructionCharge() = default;
  ~ConstructionCharge() override { Charge(0); }
  ConstructionCharge(const ConstructionCharge&) = delete;
  ConstructionCharge& operator=(const ConstructionCharge&) = delete;

  // Needs that nothing is charged so far. Null: nothing is charged.
  void ChargeTo(std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache) { cache_ = std::move(cache); }

  size_t ListHas(size_t num_hashes) override;
  void BuildingTakes(uint64_t temporary_bytes) override;

  // A filter of so many bytes is about to be built. They stay charged until this is destroyed:
  // RocksDB keeps the filters of a file until it has written all of them.
  void AddFilter(size_t bytes);
  // The hashes have been forgotten.
  void ReleaseHashes() { SetHashes(0); }

 private:
  void SetHashes(size_t bytes);
  void Update() { Charge(hash_bytes_ + filter_bytes_ + temporary_bytes_); }
  // Charges so many bytes instead of those so far, in whole entries.
  void Charge(size_t bytes);
  bool Insert();

  std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache_;
  std::vector<void*> entries_;  // Cache::Handle*, a class of another header in some versions
  size_t hash_bytes_ = 0;
  size_t filter_bytes_ = 0;
  size_t temporary_bytes_ = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_CACHE_CHARGE_H_

// New filters for a RocksDB table (table_walk.h).
#include <memory>
#include <string>
#include <utility>

#include "src/db/rewrite/rocksdb_tail.h"
#include "src/db/rewrite/table_filter.h"
#include "src/db/rewrite/table_walk.h"

namespace bloomline::db {
namespace {

// Partitions end where data blocks do: the index has separators there, so no comparator is needed
// to make them.
class RocksDBWalk final : public TableWalk {
 public:
  RocksDBWalk(const KnownTable& known, const TableRewrite& rewrite, sstable::TableWriter* out)
      : TableWalk(*known.table, out),
        known_(known),
        rewrite_(rewrite),
        is_partitioned_(known.table->filter_kind() == sstable::FilterKind::kPartitioned),
        filter_(rewrite) {}

  bool WriteTail(RewrittenTable* result, std::string* error) override {
    EndFilter();
    result->num_filter_entries = num_filter_entries_;
    return WriteRocksDBTail(known_, rewrite_, std::move(filters_of_table_), out_, result, error);
  }

 private:
  void AddKey(std::string_view key) override { filter_.AddKey(key); }
  void AddPrefix(std::string_view prefix) override { filter_.AddPrefix(prefix); }

  void BeginBlock() override {
    if (!is_partitioned_) return;
    if (IsFull()) BeginPartition();
    separator_.assign(entry().block_separator());
  }

  // A partition gets as many bytes as the old ones had on average.
  bool IsFull() {
    if (partition_bytes_ == 0) {
      constexpr uint64_t kDefault = 4096;  // RocksDB's metadata_block_size
      const uint64_t bytes = known_.parts().stored_properties.Number(kFilterSize, 0);
      const uint64_t partitions = filters_.reader().num_filters();
      partition_bytes_ = partitions == 0 || bytes == 0 ? kDefault : bytes / partitions;
    }
    const double bits = static_cast<double>(filter_.num_entries()) * rewrite_.bits_per_key;
    return bits >= 8 * static_cast<double>(partition_bytes_);
  }

  // A seek may lead to a partition that ends before the first key with the sought prefix, or begins
  // behind the last one. So both partitions have the prefixes of the keys on either side.
  void BeginPartition() {
    AddPrefixOf(keys_.Key(entry().user_key()));
    EndFilter();
    AddPrefixOf(last_key());
    ForgetLastKey();
  }

  void AddPrefixOf(std::string_view key) {
    std::string_view prefix;
    if (keys_.Prefix(key, &prefix)) filter_.AddPrefix(prefix);
  }

  void EndFilter() {
    num_filter_entries_ += filter_.num_entries();
    std::string bytes = filter_.Finish();
    filters_of_table_.emplace_back(separator_, std::move(bytes));
  }

  const KnownTable& known_;
  const TableRewrite& rewrite_;
  const bool is_partitioned_;
  uint64_t partition_bytes_ = 0;
  TableFilter filter_;
  std::string separator_;  // of the current block
  NewFilters filters_of_table_;
  uint64_t num_filter_entries_ = 0;
};

}  // namespace

std::unique_ptr<TableWalk> NewRocksDBWalk(const KnownTable& table, const TableRewrite& rewrite,
                                          sstable::TableWriter* out) {
  return std::make_unique<RocksDBWalk>(table, rewrite, out);
}

}  // namespace bloomline::db

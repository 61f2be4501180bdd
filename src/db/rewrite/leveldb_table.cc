// New filters for a LevelDB table (table_walk.h): one for each 2 KiB of data offsets, as
// LevelDB's table/filter_block.cc writes them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/db/rewrite/table_walk.h"
#include "src/db/tables/bytes/block_writer.h"
#include "src/db/tables/bytes/coding.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::db {
namespace {

using tables::BlockHandle;

// LevelDB's FilterBlockBuilder, with the filters of bloomline's policy for LevelDB.
class FilterBlock {
 public:
  FilterBlock(Format format, double bits_per_key)
      : is_classic_(format == Format::kClassic), shapes_(format, bits_per_key) {}

  // The next key is in a data block at this offset.
  void StartBlock(uint64_t offset) {
    while (offset >> kBaseLg > num_filters_) EndFilter();
  }
  void AddKey(std::string_view key) {
    const uint64_t hash = is_classic_ ? filter::LevelDBHash32(key) : filter::Hash64(key, 0);
    if (is_classic_ || hashes_.empty() || hashes_.back() != hash) hashes_.push_back(hash);
  }

  // LevelDB begins a block behind the last one, too.
  std::string Finish(uint64_t data_end) {
    StartBlock(data_end);
    if (!hashes_.empty()) EndFilter();
    const auto list = static_cast<uint32_t>(bytes_.size());
    bytes_ += offsets_;
    tables::AppendFixed32(list, &bytes_);
    bytes_ += static_cast<char>(kBaseLg);
    return std::move(bytes_);
  }

 private:
  static constexpr unsigned kBaseLg = 11;

  void EndFilter() {
    ++num_filters_;
    const size_t begin = bytes_.size();
    tables::AppendFixed32(static_cast<uint32_t>(begin), &offsets_);
    if (hashes_.empty()) return;
    filter::FilterShape shape = shapes_.For(hashes_.size());
    bytes_.resize(begin + static_cast<size_t>(shape.payload_bytes()) + 1, '\0');
    filter::BuildSmallPayload(hashes_.data(), hashes_.size(), &shape, kernels::ActiveKernel(),
                              bytes_.data() + begin);
    bytes_.back() = filter::LevelDBCode(shape);
    hashes_.clear();
  }

  const bool is_classic_;
  const filter::LevelDBShapes shapes_;
  std::vector<uint64_t> hashes_;  // of the next filter
  uint64_t num_filters_ = 0;
  std::string bytes_;
  std::string offsets_;
};

class LevelDBWalk final : public TableWalk {
 public:
  LevelDBWalk(const KnownTable& known, const TableRewrite& rewrite, tables::TableWriter* out)
      : TableWalk(*known.table, out),
        parts_(known.parts()),
        has_filter_(!rewrite.without_filter),
        new_filters_(rewrite.format, rewrite.bits_per_key) {}

  bool WriteTail(RewrittenTable* result, std::string* error) override {
    tables::BlockReader reader(&parts_.blocks, tables::BlockReader::Access::kRandom);
    BlockHandle filters, metaindex, index;
    tables::BlockWriter block;
    if (has_filter_) {
      if (!out_->AddBlock(new_filters_.Finish(data_end()), 0, &filters, error)) return false;
      result->filter_bytes = filters.size;
      const std::string& name = parts_.filter_name;
      block.Add("filter." + (name.empty() ? std::string(engine_filters::kLevelDBName) : name),
                tables::BlockHandleText(filters));
    }
    return out_->AddBlock(block.Finish(), 0, &metaindex, error) &&
           out_->MoveBlock("index block", parts_.index, &reader, &index, error) &&
           out_->AddFooter(metaindex, index, error);
  }

 private:
  void BeginBlock() override { new_filters_.StartBlock(entry().block_offset()); }
  // LevelDB adds a key as often as it has entries.
  void AddVersion(std::string_view user_key) override { new_filters_.AddKey(user_key); }

  const tables::TableParts& parts_;
  const bool has_filter_;
  FilterBlock new_filters_;
};

}  // namespace

std::unique_ptr<TableWalk> NewLevelDBWalk(const KnownTable& table, const TableRewrite& rewrite,
                                          tables::TableWriter* out) {
  return std::make_unique<LevelDBWalk>(table, rewrite, out);
}

}  // namespace bloomline::db

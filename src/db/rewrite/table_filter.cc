#include "src/db/rewrite/table_filter.h"

#include "src/db/sstable/block_file.h"
#include "src/filter/bits/hash.h"
#include "src/filter/options/formats.h"
#include "src/filter/stock/bloom_bytes.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::db {
namespace {

// The bytes of a filter, with room for the trailer of its block, so that it is not copied.
std::string Zeros(uint64_t n) {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(n + sstable::kBlockTrailerBytes));
  bytes.resize(static_cast<size_t>(n));
  return bytes;
}

}  // namespace

TableFilter::TableFilter(const TableRewrite& rewrite)
    : format_(rewrite.format), bits_per_key_(rewrite.bits_per_key), is_legacy_(rewrite.is_legacy) {
  if (format_ == Format::kRibbon) {
    constexpr bool kUsesActualBits = false;  // RocksDB's default
    ribbon_.emplace(kernels::ActiveKernel().stock.ribbon_solver, bits_per_key_, kUsesActualBits);
  }
  if (filter::IsStock(format_)) return;
  FilterOptions options;
  options.format = format_;
  options.bits_per_key = bits_per_key_;
  bloomline_.emplace(options);
}

uint64_t TableFilter::Hash(std::string_view key) const {
  if (bloomline_) return bloomline_->HashOf(key);
  if (is_legacy_) return filter::RocksDBHash32(key);
  return key.size() <= stock::kMaxShortKeyBytes ? stock::ShortRocksDBHash64(key)
                                                : stock::RocksDBHash64(key);
}

void TableFilter::Append(uint64_t hash) {
  if (bloomline_) {
    bloomline_->AddHash(hash);
  } else if (ribbon_) {
    ribbon_->AddHash(hash);
  } else if (bloom_.size() == 0 || bloom_.back() != hash) {
    bloom_.Append(hash);
  }
}

void TableFilter::AddPrefix(std::string_view prefix) {
  const uint64_t hash = Hash(prefix);
  if (last_prefix_ == hash) return;
  last_prefix_ = hash;
  Append(hash);
}

uint64_t TableFilter::num_entries() const {
  if (bloomline_) return bloomline_->num_keys();
  return ribbon_ ? ribbon_->num_entries() : bloom_.size();
}

std::string TableFilter::Finish() {
  last_prefix_.reset();
  if (num_entries() == 0) return std::string(stock::kAlwaysMatchBytes);
  if (bloomline_) return FinishBloomline();
  return ribbon_ ? FinishRibbon() : FinishBloom();
}

std::string TableFilter::FinishRibbon() {
  ribbon_->Solve();
  const uint64_t payload_bytes = ribbon_->payload_bytes();
  std::string bytes = Zeros(payload_bytes + stock::kTrailerBytes);
  ribbon_->FinishTo(payload_bytes, bytes.data());
  return bytes;
}

std::string TableFilter::FinishBloomline() {
  const filter::FilterShape shape =
      filter::TableShape(format_, {num_entries(), bits_per_key_, filter::kTrailerBytes,
                                   stock::kMaxPayloadBytes - filter::kTrailerBytes});
  std::string bytes = Zeros(shape.payload_bytes() + filter::kTrailerBytes);
  bloomline_->FinishTo(shape, bytes.data());
  return bytes;
}

std::string TableFilter::FinishBloom() {
  const stock::StockFilter shape = is_legacy_
                                       ? stock::LegacyBloomShape(num_entries(), bits_per_key_)
                                       : stock::BloomShape(num_entries(), bits_per_key_);
  std::string bytes = Zeros(shape.payload_bytes + stock::kTrailerBytes);
  const filter::HashList& hashes = bloom_;
  hashes.ForEachChunk(
      [&](const uint64_t* chunk, size_t n) { stock::AddToBloom(shape, n, chunk, bytes.data()); });
  stock::WriteBloomTrailer(shape, bytes.data() + shape.payload_bytes);
  bloom_.Clear();
  return bytes;
}

}  // namespace bloomline::db

#include "src/filter/stock/builder/ribbon_builder.h"

#include <algorithm>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/bloom_bytes.h"
#include "src/filter/stock/stock_size.h"

namespace bloomline::stock {

RibbonBuilder::RibbonBuilder(const RibbonSolver& solver, double bits_per_key, bool uses_actual_bits,
                             bool only_bloom)
    : solver_(solver),
      bits_per_key_(bits_per_key),
      uses_actual_bits_(uses_actual_bits),
      only_bloom_(only_bloom) {}

void RibbonBuilder::Append(uint64_t hash) {
  if (num_entries() == 0) {
    first_hash_ = hash;
  } else if (hashes_.back() == hash) {
    return;
  }
  hashes_.Append(hash);
}

void RibbonBuilder::AddKeyAndAlt(std::string_view key, std::string_view alt) {
  const uint64_t key_hash = RocksDBHash64(key);
  const uint64_t alt_hash = RocksDBHash64(alt);
  std::optional<uint64_t> previous_key_hash;
  if (hashes_.size() != 0) previous_key_hash = hashes_.back();
  const std::optional<uint64_t> previous_alt_hash = previous_alt_hash_;
  if (alt_hash != previous_alt_hash && alt_hash != key_hash && alt_hash != previous_key_hash) {
    Append(alt_hash);
  }
  previous_alt_hash_ = alt_hash;
  if (key_hash != previous_key_hash && key_hash != previous_alt_hash) Append(key_hash);
}

void RibbonBuilder::Solve() {
  const RibbonSize bloom = {0, BloomPayloadBytes(num_entries(), Millibits(bits_per_key_))};
  const auto chance = static_cast<uint32_t>(first_hash_ >> 32);
  size_ = only_bloom_ ? bloom : RibbonSizeOf(num_entries(), bits_per_key_, chance);
  if (is_bloom()) return;
  system_.emplace(solver_, size_.num_rows);
  if (!system_->Solve(&hashes_, static_cast<uint8_t>(first_hash_))) size_ = bloom;
}

double RibbonBuilder::ExpectedRate(uint64_t payload_bytes) const {
  if (payload_bytes == 0) return 1;
  if (!is_bloom()) return ExpectedRibbonRateOf(RibbonShape(num_blocks(), payload_bytes));
  return ExpectedBloomRateOf(num_entries(), payload_bytes, NumProbes(payload_bytes));
}

uint64_t RibbonBuilder::AllowedPayloadBytes(uint64_t at_most) const {
  if (!is_bloom()) return at_most & ~uint64_t{RibbonShape::kSegmentBytes - 1};
  return std::min(at_most, kMaxPayloadBytes) & ~uint64_t{kernels::kBlockBytes - 1};
}

int RibbonBuilder::NumProbes(uint64_t payload_bytes) const {
  if (!uses_actual_bits_) return BloomNumProbes(Millibits(bits_per_key_));
  return BloomNumProbes(static_cast<int>(payload_bytes * 8000 / num_entries()));
}

void RibbonBuilder::WriteBloom(uint64_t payload_bytes, char* filter) const {
  const StockFilter shape = BloomOf(payload_bytes, NumProbes(payload_bytes));
  WriteBloomTrailer(shape, filter + payload_bytes);
  if (payload_bytes == 0) return;
  const auto add = [&](const uint64_t* hashes, size_t n) { AddToBloom(shape, n, hashes, filter); };
  if (system_) {
    system_->ForEachRun(add);
  } else {
    hashes_.ForEachChunk(add);
  }
}

void RibbonBuilder::FinishTo(uint64_t payload_bytes, char* filter) {
  if (is_bloom()) {
    WriteBloom(payload_bytes, filter);
  } else {
    if (payload_bytes != 0) system_->WritePayload(payload_bytes, filter);
    char* const trailer = filter + payload_bytes;
    trailer[0] = static_cast<char>(kRibbonMarker);
    trailer[1] = static_cast<char>(system_->seed());
    for (int i = 0; i < 3; ++i) trailer[2 + i] = static_cast<char>(num_blocks() >> 8 * i);
  }
  system_.reset();
  hashes_.Clear();
  previous_alt_hash_.reset();
}

}  // namespace bloomline::stock

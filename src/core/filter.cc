#include "bloomline/filter.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "bloomline/sizing.h"
#include "src/core/format.h"
#include "src/core/hash_list.h"
#include "src/core/payload.h"
#include "src/core/shape.h"
#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline {
namespace {

core::Layout LayoutOf(Format format) {
  return format == Format::kClassic ? core::Layout::kClassic : core::Layout::kBlocked;
}

}  // namespace

FilterBuilder::FilterBuilder(const FilterOptions& options)
    : options_(options), hashes_(new (std::nothrow) core::HashList), error_(options.Validate()) {
  options_valid_ = error_.empty();
  if (options_valid_) num_probes_ = OptimalNumProbes(options.format, options.bits_per_key);
  out_of_memory_ = hashes_ == nullptr;
  if (out_of_memory_) error_ = "out of memory";
}

FilterBuilder::~FilterBuilder() = default;

void FilterBuilder::AddHash(uint64_t hash) {
  if (hashes_ != nullptr && hashes_->Append(hash)) return;
  out_of_memory_ = true;
  error_ = "out of memory";
}

void FilterBuilder::AddKey(std::string_view key) {
  const uint64_t hash = core::LayoutHash(LayoutOf(options_.format), key, options_.seed);
  const bool repeats =
      options_.format != Format::kClassic && num_entries() != 0 && hashes_->back() == hash;
  if (!repeats) AddHash(hash);
}

void FilterBuilder::AddKeyAndPrefix(std::string_view key, std::string_view prefix) {
  const core::Layout layout = LayoutOf(options_.format);
  const uint64_t key_hash = core::LayoutHash(layout, key, options_.seed);
  const uint64_t prefix_hash = core::LayoutHash(layout, prefix, options_.seed);
  const bool has_previous_key = num_entries() != 0;
  const uint64_t previous_key_hash = has_previous_key ? hashes_->back() : 0;
  const auto equals_previous_key = [&](uint64_t hash) {
    return has_previous_key && hash == previous_key_hash;
  };
  const auto equals_previous_prefix = [&](uint64_t hash) {
    return has_previous_prefix_ && hash == previous_prefix_hash_;
  };
  // The prefix goes first, so that the last hash in the list is always that of a key.
  if (prefix_hash != key_hash && !equals_previous_prefix(prefix_hash) &&
      !equals_previous_key(prefix_hash)) {
    AddHash(prefix_hash);
  }
  if (!equals_previous_key(key_hash) && !equals_previous_prefix(key_hash)) AddHash(key_hash);
  previous_prefix_hash_ = prefix_hash;
  has_previous_prefix_ = true;
}

size_t FilterBuilder::num_entries() const { return hashes_ == nullptr ? 0 : hashes_->size(); }

core::Shape FilterBuilder::CurrentShape() const {
  if (!options_valid_ || out_of_memory_) return {core::Layout::kAlwaysMatch, 0, 0};
  if (num_entries() == 0) return {LayoutOf(options_.format), num_probes_, 0};
  return core::StandaloneShape(options_.format, num_entries(), options_.bits_per_key, num_probes_,
                               max_payload_bytes_);
}

uint64_t FilterBuilder::FinishedBytes() const {
  return CurrentShape().payload_bytes + core::kTrailerBytes;
}

void FilterBuilder::FinishTo(char* dst) {
  const core::Shape shape = CurrentShape();
  std::memset(dst, 0, shape.payload_bytes);
  if (shape.payload_bytes != 0) {
    const kernels::Kernel& kernel = kernels::ActiveKernel();
    hashes_->ForEachRun([&](size_t n, const uint64_t* hashes) {
      core::InsertHashes(shape, kernel, dst, n, hashes);
    });
  }
  core::EncodeTrailer(shape, options_.seed, dst + shape.payload_bytes);
  Reset();
}

void FilterBuilder::Reset() {
  has_previous_prefix_ = false;
  if (hashes_ == nullptr) return;
  hashes_->Clear();
  out_of_memory_ = false;
  if (options_valid_) error_.clear();
}

std::string FilterBuilder::Finish() {
  std::string filter;
  const auto resize = [&](uint64_t bytes) {
    try {
      filter.resize(bytes);
      return true;
    } catch (const std::exception&) {  // bad_alloc, length_error
      return false;
    }
  };
  if (!resize(FinishedBytes())) {
    out_of_memory_ = true;
    if (!resize(FinishedBytes())) return filter;  // no bytes at all also match everything
  }
  FinishTo(filter.data());
  return filter;
}

size_t FilterBuilder::MaxEntries(size_t bytes) const {
  if (!options_valid_ || bytes <= core::kTrailerBytes) return 1;
  // The inverse of StandaloneShape: whole lines for blocked, bytes for classic, rounded down.
  const size_t payload_bytes = bytes - core::kTrailerBytes;
  const bool blocked = options_.format == Format::kBlocked;
  const size_t paid_bytes =
      blocked ? payload_bytes / kernels::kLineBytes * kernels::kLineBytes + core::kTrailerBytes
              : payload_bytes;
  const double entries = static_cast<double>(paid_bytes) * 8 / options_.bits_per_key;
  return std::max<size_t>(1, static_cast<size_t>(entries));
}

FilterView::FilterView() : FilterView(core::Payload{}) {}

FilterView::FilterView(const core::Payload& payload)
    : kernel_(&kernels::ActiveKernel()),
      data_(payload.data),
      num_bytes_(payload.num_bytes),
      seed_(payload.seed),
      layout_(static_cast<uint8_t>(payload.layout)),
      num_probes_(static_cast<uint8_t>(payload.num_probes)) {}

core::Payload FilterView::payload() const {
  return {core::Layout{layout_}, num_probes_, seed_, data_, num_bytes_};
}

FilterView FilterView::Open(std::string_view bytes) {
  return FilterView(core::DecodeStandalone(bytes));
}

bool FilterView::MayMatch(std::string_view key) const {
  return core::HashMayMatch(payload(), *kernel_,
                            core::LayoutHash(core::Layout{layout_}, key, seed_));
}

void FilterView::MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
  constexpr size_t kGroup = 32;
  uint64_t hashes[kGroup];
  for (size_t start = 0; start < n; start += kGroup) {
    const size_t count = std::min(kGroup, n - start);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = core::LayoutHash(core::Layout{layout_}, keys[start + i], seed_);
    }
    core::HashesMayMatch(payload(), *kernel_, count, hashes, may_match + start);
  }
}

bool FilterView::AlwaysMatches() const {
  return core::Layout{layout_} == core::Layout::kAlwaysMatch;
}

}  // namespace bloomline

// FilterBuilder: a FilterWriter with memory for the filter.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "bloomline/filter.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline {
namespace {

uint64_t TotalBytes(const filter::FilterShape& shape) {
  return shape.payload_bytes() + filter::EndBytes(shape);
}

}  // namespace

FilterBuilder::FilterBuilder(const FilterOptions& options)
    : writer_(std::make_unique<filter::FilterWriter>(options)),
      error_(filter::ValidateStatic(options)),
      has_valid_options_(error_.empty()) {
  if (has_valid_options_) error_ = filter::FaultText(writer_->fault());
}

FilterBuilder::~FilterBuilder() = default;
FilterBuilder::FilterBuilder(FilterBuilder&&) noexcept = default;
FilterBuilder& FilterBuilder::operator=(FilterBuilder&&) noexcept = default;

__attribute__((flatten)) void FilterBuilder::AddKey(std::string_view key) { writer_->AddKey(key); }

__attribute__((flatten)) void FilterBuilder::AddKeys(size_t n, const std::string_view* keys) {
  for (size_t i = 0; i < n; ++i) writer_->AddKey(keys[i]);
}

void FilterBuilder::AddKeyAndPrefix(std::string_view key, std::string_view prefix) {
  writer_->AddKeyAndPrefix(key, prefix);
}

__attribute__((flatten)) uint64_t FilterBuilder::HashOf(std::string_view key) const {
  return writer_->HashOf(key);
}

void FilterBuilder::AddHash(uint64_t hash) { writer_->AddHash(hash); }

void FilterBuilder::AddHashes(size_t n, const uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) writer_->AddHash(hashes[i]);
}

bool FilterBuilder::TakeKeysFrom(FilterBuilder* other) {
  const FilterOptions& mine = writer_->options();
  const FilterOptions& theirs = other->writer_->options();
  if (other == this) return true;
  if (mine.format != theirs.format || mine.seed != theirs.seed) return false;
  if (mine.random_seed || theirs.random_seed || !other->has_valid_options_) return false;
  writer_->TakeKeysFrom(other->writer_.get());
  return true;
}

size_t FilterBuilder::num_keys() const { return writer_->num_keys(); }

filter::FilterShape FilterBuilder::NextShape() const {
  if (!has_valid_options_ || writer_->fault() != filter::WriterFault::kNone) return {};
  const FilterOptions& options = writer_->options();
  return filter::StandaloneShape(
      options.format, {writer_->num_keys(), options.bits_per_key, filter::kTrailerBytes});
}

uint64_t FilterBuilder::FinishedBytes() const { return TotalBytes(NextShape()); }

void FilterBuilder::FinishTo(char* dst, int num_threads) {
  FinishAs(NextShape(), dst, num_threads);
}

void FilterBuilder::FinishAs(const filter::FilterShape& shape, char* dst, int num_threads) {
  const filter::WriterFault fault = writer_->FinishTo(shape, dst, num_threads);
  if (has_valid_options_) error_ = filter::FaultText(fault);
}

std::string FilterBuilder::Finish(int num_threads) {
  // Blocks that lie in one cache line each are filled faster: at 1 million keys Finish takes 1.6
  // instead of 1.85 ns per key. The string's memory begins elsewhere, so we move them at the end.
  constexpr size_t kCacheLineBytes = 64;
  const filter::FilterShape shape = NextShape();
  const uint64_t total_bytes = TotalBytes(shape);
  std::string filter;
  if (total_bytes > filter.max_size() - kCacheLineBytes) throw std::bad_alloc();
  filter.resize(static_cast<size_t>(total_bytes) + kCacheLineBytes - 1);
  char* const begin = filter.data();
  char* const bytes = begin + -reinterpret_cast<uintptr_t>(begin) % kCacheLineBytes;
  FinishAs(shape, bytes, num_threads);
  const auto num_bytes = static_cast<size_t>(total_bytes);
  if (bytes != begin) std::memmove(begin, bytes, num_bytes);
  filter.resize(num_bytes);
  return filter;
}

}  // namespace bloomline

#include "bloomline/filter.h"

#include <exception>
#include <new>

#include "src/core/filter_writer.h"
#include "src/core/format.h"
#include "src/core/hash_groups.h"
#include "src/core/payload.h"
#include "src/kernels/kernel.h"

namespace bloomline {
namespace {

// What a builder that could not be made says of itself.
const std::string& OutOfMemory() {
  static const std::string error = "out of memory";
  return error;
}

}  // namespace

FilterBuilder::FilterBuilder(const FilterOptions& options)
    : writer_(new (std::nothrow) core::FilterWriter(options)) {}

FilterBuilder::~FilterBuilder() = default;

__attribute__((flatten)) void FilterBuilder::AddKey(std::string_view key) {
  if (writer_ != nullptr) writer_->AddKey(key);
}

void FilterBuilder::AddKeyAndPrefix(std::string_view key, std::string_view prefix) {
  if (writer_ != nullptr) writer_->AddKeyAndPrefix(key, prefix);
}

bool FilterBuilder::TakeKeysFrom(FilterBuilder* other) {
  if (writer_ == nullptr || other->writer_ == nullptr) {
    // Keys are missing on one side, and a builder that lost keys matches everything.
    if (other->writer_ == nullptr && writer_ != nullptr) writer_->SetOutOfMemory();
    return true;
  }
  const FilterOptions& mine = writer_->options();
  const FilterOptions& theirs = other->writer_->options();
  if (other == this) return true;
  if (mine.format != theirs.format || mine.seed != theirs.seed) return false;
  if (mine.random_seed || theirs.random_seed) return false;
  writer_->TakeKeysFrom(other->writer_.get());
  return true;
}

size_t FilterBuilder::num_entries() const {
  return writer_ == nullptr ? 0 : writer_->num_entries();
}

uint64_t FilterBuilder::FinishedBytes() const {
  return writer_ == nullptr ? core::kTrailerBytes : writer_->FinishedBytes();
}

void FilterBuilder::FinishTo(char* dst, int num_threads) {
  if (writer_ != nullptr) {
    writer_->FinishTo(dst, num_threads);
  } else {
    core::EncodeTrailer(core::Shape(), 0, dst);
  }
}

std::string FilterBuilder::Finish(int num_threads) {
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
    if (writer_ != nullptr) writer_->SetOutOfMemory();
    if (!resize(FinishedBytes())) return filter;  // no bytes at all also match everything
  }
  FinishTo(filter.data(), num_threads);
  return filter;
}

const std::string& FilterBuilder::error() const {
  return writer_ == nullptr ? OutOfMemory() : writer_->error();
}

FilterView::FilterView() : FilterView(core::Payload{}) {}

FilterView::FilterView(const core::Payload& payload)
    : kernel_(&kernels::ActiveKernel()),
      data_(payload.data),
      num_bytes_(payload.num_bytes),
      num_lines_(payload.num_lines),
      seed_(payload.seed),
      layout_(static_cast<uint8_t>(payload.layout)),
      parameter_(static_cast<uint8_t>(payload.parameter)),
      line_bytes_(static_cast<uint8_t>(payload.line_bytes)) {}

core::Payload FilterView::payload() const {
  return {core::Layout{layout_}, parameter_, seed_, data_, num_bytes_, line_bytes_, num_lines_};
}

FilterView FilterView::Open(std::string_view bytes) {
  return FilterView(core::DecodeStandalone(bytes));
}

__attribute__((flatten)) bool FilterView::MayMatch(std::string_view key) const {
  return core::HashMayMatch(payload(), *kernel_,
                            core::LayoutHash(core::Layout{layout_}, key, seed_));
}

__attribute__((flatten)) void FilterView::MayMatch(size_t n, const std::string_view* keys,
                                                   bool* may_match) const {
  const core::Payload asked = payload();
  const auto hash_of = [&](size_t i) {
    return core::LayoutHash(asked.layout, keys[i], asked.seed);
  };
  core::ForEachGroup(
      n, hash_of, core::IsWorthRequesting(asked),
      [&](uint64_t hash) { core::RequestLine(asked, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        core::RequestedMayMatch(asked, *kernel_, count, hashes, may_match + first);
      });
}

int FilterView::num_probes() const {
  const bool bloom = !AlwaysMatches() && !core::IsCompact(core::Layout{layout_});
  return bloom ? parameter_ : 0;
}

bool FilterView::AlwaysMatches() const {
  return core::Layout{layout_} == core::Layout::kAlwaysMatch;
}

}  // namespace bloomline

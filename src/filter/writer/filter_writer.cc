#include "src/filter/writer/filter_writer.h"

#include <algorithm>
#include <cstring>

#include "bloomline/seed.h"
#include "src/filter/layouts/num_probes.h"
#include "src/support/out_of_memory.h"

namespace bloomline::filter {

FilterWriter::FilterWriter(const FilterOptions& options, uint64_t max_payload_bytes,
                           ShapeFunction shape_of_keys, const Extension& extension)
    : options_(options),
      max_payload_bytes_(max_payload_bytes),
      shape_of_keys_(shape_of_keys),
      hasher_(options.seed),
      error_(ValidateForTrailer(options)),
      extension_(extension) {
  options_valid_ = error_.empty();
  if (options_valid_) num_probes_ = filter::OptimalNumProbes(options.format, options.bits_per_key);
  DrawOwnSeed();
  ForgetFinishedFilter();  // there is none: the error is that of the seed
}

void FilterWriter::DrawOwnSeed() {
  if (!options_valid_ || !options_.random_seed) return;
  uint64_t seed = 0;
  seed_error_.clear();
  DrawSeed(&seed, &seed_error_);
  hasher_ = KeyHasher(seed);
}

__attribute__((flatten)) void FilterWriter::AddAnyKey(std::string_view key) {
  AddHash(hasher_(key));
}

void FilterWriter::AddHash(uint64_t hash) {
  if (hashes_.size() == 0 || hashes_.back() != hash) Append(hash);
}

void FilterWriter::AddKeyAndPrefix(std::string_view key, std::string_view prefix) {
  const uint64_t key_hash = hasher_(key);
  const uint64_t prefix_hash = hasher_(prefix);
  const bool has_previous_key = hashes_.size() != 0;
  const uint64_t previous_key_hash = has_previous_key ? hashes_.back() : 0;
  const auto equals_previous_key = [&](uint64_t hash) {
    return has_previous_key && hash == previous_key_hash;
  };
  const auto equals_previous_prefix = [&](uint64_t hash) {
    return has_previous_prefix_ && hash == previous_prefix_hash_;
  };
  // The prefix goes first, so that the last hash in the list is always that of a key.
  if (prefix_hash != key_hash && !equals_previous_prefix(prefix_hash) &&
      !equals_previous_key(prefix_hash)) {
    Append(prefix_hash);
  }
  if (!equals_previous_key(key_hash) && !equals_previous_prefix(key_hash)) Append(key_hash);
  previous_prefix_hash_ = prefix_hash;
  has_previous_prefix_ = true;
}

void FilterWriter::MatchEverything(std::string_view reason) {
  has_given_up_ = true;
  if (options_valid_) support::SetError(reason, &error_);
}

FinishPlan FilterWriter::PlanOf(const FilterShape& shape) const {
  return {shape, shape.payload_bytes() + end_bytes(),
          shape.num_blocks == 0 ? 0 : TemporaryBytes(hashes_, shape)};
}

FinishPlan FilterWriter::Plan() const {
  if (MatchesEverything()) return PlanOf({});
  FilterShape shape = ShapeOf(std::max<size_t>(1, hashes_.size()));
  if (hashes_.size() == 0) shape.num_blocks = 0;
  return PlanOf(shape);
}

void FilterWriter::TakeKeysFrom(FilterWriter* other) {
  ForgetFinishedFilter();
  hashes_.TakeAll(&other->hashes_);
  checksum_ ^= other->checksum_;
  has_previous_prefix_ = false;
  if (other->MatchesEverything()) {
    SetOutOfMemory();
    if (options_valid_) support::SetError(other->error_, &error_);
  }
  other->Reset();
}

bool FilterWriter::HashesAreIntact() const {
  uint64_t checksum = 0;
  hashes_.ForEach([&](uint64_t hash) { checksum ^= hash; });
  return checksum == checksum_;
}

void FilterWriter::FinishTo(const FinishPlan& plan, char* dst, int num_threads,
                            BuiltHashes* hashes) {
  const FilterShape& shape = plan.shape;
  const bool matches_everything = MatchesEverything();  // also if it began to after the plan
  ForgetFinishedFilter();
  std::memset(dst, 0, static_cast<size_t>(shape.payload_bytes()));
  BuiltHashes local;
  BuiltHashes* const built = hashes == nullptr ? &local : hashes;
  built->Clear();
  if (shape.num_blocks != 0 && !matches_everything &&
      !BuildPayload(&hashes_, shape, kernels::ActiveKernel(), num_threads, dst, built->groups())) {
    support::SetError(support::kOutOfMemory, &error_);
  }
  EncodeTrailer(matches_everything ? FilterShape() : shape, seed(), dst + shape.payload_bytes(),
                extension_);
  if (hashes != nullptr) {
    hashes->list()->TakeAll(&hashes_);
    hashes->SetChecksum(checksum_);
  }
  ForgetKeys();
}

void FilterWriter::ForgetKeys() {
  hashes_.Clear();
  has_previous_prefix_ = false;
  checksum_ = 0;
  has_given_up_ = false;
  num_not_kept_ = 0;
  extension_.ranges = {};
  DrawOwnSeed();
}

}  // namespace bloomline::filter

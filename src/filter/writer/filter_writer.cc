#include "src/filter/writer/filter_writer.h"

#include <cstring>

#include "bloomline/seed.h"

namespace bloomline::filter {

FilterWriter::FilterWriter(const FilterOptions& options)
    : options_(options), hasher_(options.seed) {
  Reset();
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
  std::optional<uint64_t> previous_key_hash;
  if (hashes_.size() != 0) previous_key_hash = hashes_.back();
  // The prefix goes first, so that the last hash in the list is always that of a key.
  if (prefix_hash != key_hash && prefix_hash != previous_prefix_hash_ &&
      prefix_hash != previous_key_hash) {
    Append(prefix_hash);
  }
  if (key_hash != previous_key_hash && key_hash != previous_prefix_hash_) Append(key_hash);
  previous_prefix_hash_ = prefix_hash;
}

void FilterWriter::TakeKeysFrom(FilterWriter* other) {
  error_ = reason_;
  hashes_.TakeAll(&other->hashes_);
  previous_prefix_hash_.reset();
  if (other->MatchesEverything() && !MatchesEverything()) Fail(other->fault(), other->reason_);
  other->Reset();
}

void FilterWriter::FinishTo(const FilterShape& shape, char* dst, int num_threads) {
  error_ = reason_;
  std::memset(dst, 0, static_cast<size_t>(shape.payload_bytes()));
  if (shape.num_blocks != 0 && !MatchesEverything()) {
    try {
      BuildPayload(&hashes_, shape, kernels::ActiveKernel(), num_threads, dst);
    } catch (const std::bad_alloc&) {
      Fail(Fault::kMemory, "out of memory");
      throw;
    }
  }
  EncodeTrailer(MatchesEverything() ? FilterShape() : shape, seed(), dst + shape.payload_bytes(),
                extension_);
  BeginNext();
}

// Faults of options stay for each filter.
void FilterWriter::BeginNext() {
  hashes_.Clear();
  previous_prefix_hash_.reset();
  RecordRanges({}, {});
  reason_ = ValidateForTrailer(options_);
  fault_ = reason_.empty() ? Fault::kNone : Fault::kOptions;
  if (fault() == Fault::kOptions || !options_.random_seed) return;
  uint64_t seed = 0;
  fault_ = Fault::kSeed;
  reason_ = "no random seed";  // also without memory for a better reason
  if (DrawSeed(&seed, &reason_)) {
    fault_ = Fault::kNone;
    reason_.clear();
  }
  hasher_ = KeyHasher(seed);
}

}  // namespace bloomline::filter

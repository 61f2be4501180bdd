#include "bloomline/on_disk_filter_builder.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "bloomline/seed.h"
#include "src/filter/container/shapes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/hash.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/writer/block_run_builder.h"
#include "src/filter/writer/run_on_threads.h"
#include "src/sets/hash_spill.h"
#include "src/support/error_text.h"
#include "src/support/file_io.h"
#include "src/support/out_of_memory.h"

namespace bloomline {
namespace {

using filter::BlockRun;
using filter::BlockRunBuilder;
using filter::FilterShape;
using sets::HashSpill;

// More hashes at a time save no more reads: with the 8 GB of 1e9 keys in 2,048 buckets, a run
// of the filter then has the keys of seven or eight buckets.
constexpr uint64_t kMaxHashesAtATime = uint64_t{8} << 20;

// What the threads share that build a filter, each one run after the other.
class Build {
 public:
  Build(const HashSpill& spill, const FilterShape& shape, uint64_t memory_bytes, size_t num_threads,
        const support::ReplacementFile& file)
      : spill_(spill), shape_(shape), num_threads_(num_threads), file_(file) {
    const uint64_t batch_bytes = spill.max_batch_hashes() * sizeof(uint64_t);
    const uint64_t fits =
        (memory_bytes / num_threads - batch_bytes) / BlockRunBuilder::kBytesPerHash;
    // A small set needs no more than itself.
    capacity_ = static_cast<size_t>(
        std::min({fits, kMaxHashesAtATime, 3 * spill.size() + BlockRunBuilder::kMinCapacity}));
  }

  bool Run(std::string* error) {
    filter::RunOnThreads(num_threads_, [&](size_t) {
      std::string reason;
      const auto build = [&](std::string* why) { return BuildPartitions(why); };
      if (!support::OrError(&reason, build)) Fail(reason);
    });
    if (!failed_ && (num_taken_ != spill_.size() || checksum_ != spill_.checksum())) {
      Fail("the temporary file does not hold the hashes that were written to it");
    }
    if (failed_) support::SetError(error_, error);
    return !failed_;
  }

 private:
  bool BuildPartitions(std::string* error) {
    BlockRunBuilder builder(shape_, kernels::ActiveKernel(), capacity_);
    std::vector<uint64_t> hashes(spill_.max_batch_hashes());
    const uint64_t run_blocks =
        std::min<uint64_t>(builder.max_blocks(), shape_.num_blocks / num_threads_ + 1);
    while (!failed_) {
      const uint64_t first = next_run_.fetch_add(1) * run_blocks;
      if (first >= shape_.num_blocks) break;
      const auto num_blocks = static_cast<size_t>(std::min(run_blocks, shape_.num_blocks - first));
      if (!BuildRun({first, num_blocks}, &builder, &hashes, error)) return false;
    }
    num_taken_ += builder.num_taken();
    checksum_ ^= builder.checksum();
    return true;
  }

  bool BuildRun(BlockRun run, BlockRunBuilder* builder, std::vector<uint64_t>* hashes,
                std::string* error) {
    const filter::HashRange range = filter::HashesOf(run, shape_.num_blocks);
    const size_t last_bucket = spill_.BucketOf(range.last);
    builder->Start(run);
    for (size_t bucket = spill_.BucketOf(range.first); bucket <= last_bucket; ++bucket) {
      for (const HashSpill::Batch& batch : spill_.Batches(bucket)) {
        if (!spill_.Read(batch, hashes->data(), error)) return false;
        builder->Add(hashes->data(), batch.num_hashes);
      }
    }
    const char* bytes = builder->Finish();
    return file_.WriteAt(run.first_block * shape_.block_bytes, bytes,
                         run.num_blocks * shape_.block_bytes, error);
  }

  // The first error counts.
  void Fail(std::string_view error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failed_) support::SetError(error, &error_);
    failed_ = true;
  }

  const HashSpill& spill_;
  const FilterShape shape_;
  const size_t num_threads_;
  const support::ReplacementFile& file_;
  size_t capacity_;
  std::atomic<uint64_t> next_run_{0};
  std::atomic<uint64_t> num_taken_{0};
  std::atomic<uint64_t> checksum_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string error_;
};

}  // namespace

std::string OnDiskFilterOptions::Validate() const {
  std::string invalid_filter = filter::ValidateForTrailer(filter);
  if (!invalid_filter.empty()) return invalid_filter;
  support::ErrorText error;
  const uint64_t min_memory =
      static_cast<uint64_t>(std::max(1, num_threads)) * kMinOnDiskMemoryPerThread;
  if (num_threads < 1 || num_threads > kMaxOnDiskThreads) {
    error << "num_threads is " << num_threads << "; allowed: 1 to " << kMaxOnDiskThreads;
  } else if (memory_bytes < min_memory) {
    error << "memory_bytes is " << memory_bytes << "; " << num_threads
          << (num_threads == 1 ? " thread needs " : " threads need ") << min_memory << " or more";
  }
  return error.str();
}

struct OnDiskFilterBuilder::State {
  OnDiskFilterOptions options;
  filter::KeyHasher hasher{0};
  HashSpill spill;
  uint64_t last_hash = 0;
  std::string failure;  // of AddKey; keys are missing

  FilterShape FinishedShape() const {
    const FilterOptions& filter = options.filter;
    return filter::StandaloneShape(filter.format, spill.size(), filter.bits_per_key);
  }

  // Before the first key of each filter.
  bool SetSeed(std::string* error) {
    uint64_t seed = options.filter.seed;
    if (options.filter.random_seed && !DrawSeed(&seed, error)) return false;
    hasher = filter::KeyHasher(seed);
    return true;
  }

  bool Add(uint64_t hash, std::string* error) {
    if (spill.size() != 0 && hash == last_hash) return true;
    if (failure.empty()) {
      if (support::OrIfOutOfMemory(false, [&] { return spill.Add(hash, &failure); })) {
        last_hash = hash;
        return true;
      }
      if (failure.empty()) support::SetError(support::kOutOfMemory, &failure);
    }
    support::SetError(failure, error);
    return false;
  }

  bool Finish(const std::string& path, std::string* error) {
    if (!failure.empty()) {
      *error = failure;
      return false;
    }
    const FilterShape shape = FinishedShape();
    support::ReplacementFile file;
    if (!file.Open(path, error) || !spill.Flush(error)) return false;
    if (shape.num_blocks != 0) {
      const int num_threads = filter::ThreadsForKeys(spill.size(), options.num_threads);
      Build build(spill, shape, options.memory_bytes, static_cast<size_t>(num_threads), file);
      if (!build.Run(error)) return false;
    }
    char trailer[filter::kTrailerBytes];
    filter::EncodeTrailer(shape, hasher.seed(), trailer);
    return file.WriteAt(shape.payload_bytes(), trailer, sizeof(trailer), error) &&
           file.Commit(error);
  }
};

OnDiskFilterBuilder::OnDiskFilterBuilder(std::unique_ptr<State> state) : state_(std::move(state)) {}
OnDiskFilterBuilder::~OnDiskFilterBuilder() = default;
OnDiskFilterBuilder::OnDiskFilterBuilder(OnDiskFilterBuilder&&) noexcept = default;
OnDiskFilterBuilder& OnDiskFilterBuilder::operator=(OnDiskFilterBuilder&&) noexcept = default;

std::unique_ptr<OnDiskFilterBuilder> OnDiskFilterBuilder::Create(const OnDiskFilterOptions& options,
                                                                 std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    std::unique_ptr<OnDiskFilterBuilder> builder;
    *reason = options.Validate();
    if (!reason->empty()) return builder;
    auto state = std::make_unique<State>();
    state->options = options;
    // Half of the memory, because it is filled while blocks are written one by one.
    if (state->SetSeed(reason) &&
        state->spill.Open(options.temp_directory, options.memory_bytes / 2, reason)) {
      builder.reset(new OnDiskFilterBuilder(std::move(state)));
    }
    return builder;
  });
}

__attribute__((flatten)) bool OnDiskFilterBuilder::AddKey(std::string_view key,
                                                          std::string* error) {
  return state_->Add(state_->hasher(key), error);
}

bool OnDiskFilterBuilder::AddKeys(size_t n, const std::string_view* keys, std::string* error) {
  for (size_t i = 0; i < n; ++i) {
    if (!AddKey(keys[i], error)) return false;
  }
  return true;
}

uint64_t OnDiskFilterBuilder::num_keys() const { return state_->spill.size(); }

bool OnDiskFilterBuilder::Finish(const std::string& path, std::string* error) {
  const bool finished =
      support::OrError(error, [&](std::string* reason) { return state_->Finish(path, reason); });
  if (!finished) return false;
  // Nothing depends on the old hashes any more; if they cannot be thrown away, or no next seed be
  // drawn, that is for the next AddKey to tell.
  support::OrError(&state_->failure, [&](std::string* reason) {
    return state_->spill.Clear(reason) && state_->SetSeed(reason);
  });
  return true;
}

}  // namespace bloomline

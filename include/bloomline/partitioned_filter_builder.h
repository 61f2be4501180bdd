// Filters of more keys than memory has room for: the same bytes as FilterBuilder (filter.h), in a
// file, from keys in any order.
//
//   bloomline::PartitionedFilterOptions options;
//   options.filter.format = bloomline::Format::kCompact;
//   options.filter.bits_per_key = 7.1;
//   std::string error;
//   auto builder = bloomline::PartitionedFilterBuilder::Create(options, &error);
//   if (builder == nullptr) { /* error says why */ }
//   if (!builder->AddKey("apple", &error)) { /* no room on disk, for example */ }
//   if (!builder->Finish("apples.filter", &error)) { ... }
//   // Map the file and give its bytes to FilterView::Open.
//
// FilterBuilder keeps a 64-bit hash for each key and needs 92 bits per key in kCompact: 11.5 GB for
// 1e9 keys. Here hashes go to a temporary file, divided by their upper bits, and as the lines of a
// filter are in the order of these bits, its lines are then built part by part.
#ifndef BLOOMLINE_PARTITIONED_FILTER_BUILDER_H_
#define BLOOMLINE_PARTITIONED_FILTER_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"

namespace bloomline {

// The least PartitionedFilterOptions::memory_bytes, for each thread, and the most threads.
constexpr uint64_t kMinPartitionedMemoryPerThread = uint64_t{1} << 20;
constexpr int kMaxPartitionedThreads = 1024;

struct PartitionedFilterOptions {
  // kBlocked or kCompact; the hash of kClassic has no order that its filter follows. With
  // random_seed, Create and each Finish that succeeds draw the seed of the next filter: where the
  // system's generator fails, Create does, or the next AddKey.
  FilterOptions filter;

  // Folder of the temporary file: 8 bytes for each distinct key. The file has no name there, and
  // the system frees its space however the process ends. Needs a local file system: never one in
  // memory, which many systems have at /tmp.
  std::string temp_directory = ".";

  // The most memory used for hashes, lines and buffers; at least kMinPartitionedMemoryPerThread for
  // each thread. Not in it: an index of the temporary file, 0.02 bits per key (below 64 MiB of
  // memory 0.25), and pages of the two files, which the system keeps as long as it likes. More
  // memory spares reads: each part of a filter reads its hashes and some of its neighbours'.
  uint64_t memory_bytes = uint64_t{512} << 20;

  // The most threads that build lines in Finish, one for each 32,768 keys: 1 to
  // kMaxPartitionedThreads.
  int num_threads = 1;

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

// Not thread-safe. Throws nothing. `error` may be null; otherwise it gets one sentence, which names
// the file, when the function fails, and is untouched when it succeeds.
class PartitionedFilterBuilder {
 public:
  // Null on bad options and where the temporary file cannot be made.
  static std::unique_ptr<PartitionedFilterBuilder> Create(const PartitionedFilterOptions& options,
                                                          std::string* error);
  ~PartitionedFilterBuilder();
  // A builder that was moved from can only be destroyed or assigned to.
  PartitionedFilterBuilder(PartitionedFilterBuilder&&) noexcept;
  PartitionedFilterBuilder& operator=(PartitionedFilterBuilder&&) noexcept;

  // Adds a key of any length. A key equal to the one before costs nothing. Repeats with others
  // between them count as keys, as in FilterBuilder: the filter grows, and nothing else happens.
  // False, when the disk is full for example: the key is not in, so that Finish will fail, too, and
  // with the same words. Cost: one hash and 8 bytes written.
  bool AddKey(std::string_view key, std::string* error);

  // Entries kept so far, as FilterBuilder::num_keys.
  uint64_t num_keys() const;

  // Writes the filter over all keys added to `path`, as BloomFilter::Save does: exactly the bytes
  // that FilterBuilder::Finish returns for the same keys and seed. The builder is then empty and
  // can be used again. False: `path` is what it was, or Save's one exception; unless an AddKey
  // failed, all keys are still here and Finish can be called again, with another path for example.
  bool Finish(const std::string& path, std::string* error);

 private:
  struct State;
  explicit PartitionedFilterBuilder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_PARTITIONED_FILTER_BUILDER_H_

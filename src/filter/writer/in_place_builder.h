// Builds the payloads of large filters on one thread, in the memory of the list of hashes. Faster
// than bloom_builder.h and compact_builder.h, which also have threads, and takes less memory.
#ifndef BLOOMLINE_FILTER_WRITER_IN_PLACE_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_IN_PLACE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"
#include "src/filter/writer/hash_groups.h"
#include "src/filter/writer/hash_list.h"

namespace bloomline::filter {

// The hashes that a filter was built of.
class BuiltHashes {
 public:
  BuiltHashes() = default;
  BuiltHashes(const BuiltHashes&) = delete;
  BuiltHashes& operator=(const BuiltHashes&) = delete;

  size_t size() const { return list_.size(); }
  // The XOR of the hashes when they were added; 0 if the writer kept no checksum.
  uint64_t checksum() const { return checksum_; }
  void SetChecksum(uint64_t checksum) { checksum_ = checksum; }
  void Clear() {
    groups_.reset();
    list_.Clear();
    checksum_ = 0;
  }
  // f(hash) for all, in any order.
  template <typename F>
  void ForEach(F f) const {
    if (!groups_) return list_.ForEach(f);
    for (size_t group = 0; group < groups_->num_groups(); ++group) {
      groups_->ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
        for (size_t i = 0; i < n; ++i) f(hashes[i]);
      });
    }
  }

  HashList* list() { return &list_; }
  std::optional<HashGroups>* groups() { return &groups_; }

 private:
  HashList list_;
  std::optional<HashGroups> groups_;  // in the list's memory
  uint64_t checksum_ = 0;
};

enum class InPlace {
  kNotDone,     // nothing has changed: the filter is small, the list not suitable, or no memory
  kIncomplete,  // done, but there was no memory, and some blocks match every key
  kComplete,
};

// Builds a payload of shape.payload_bytes() > 0 bytes at `data`, zeroed for a Bloom filter. Unless
// it is kNotDone, the hashes are in *groups then, and the list must be cleared after these. The
// bytes are those that the other builders write. Throws nothing.
InPlace BuildInPlace(HashList* hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                     char* data, std::optional<HashGroups>* groups);

// The most memory that this takes beside the list and the payload; 0 if it is kNotDone. Hashes that
// are far from random can take more.
uint64_t InPlaceBytes(const HashList& hashes, const FilterShape& shape);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_IN_PLACE_BUILDER_H_

// From hashes to the payload of a filter, in every layout.
//
// A query reads one block, and building is fast where hashes of neighbouring blocks follow each
// other: a compact block needs all its hashes at once, and in large Bloom filters a group of blocks
// stays in the cache. So the hashes of large filters are sorted by groups of blocks first, in their
// own memory (hash_groups.h), and each thread then takes one group after the other.
#ifndef BLOOMLINE_FILTER_WRITER_PAYLOAD_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_PAYLOAD_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/layouts/layout_row.h"
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
  // The XOR of the hashes when they were added, if the writer kept a checksum (KeepChecksum).
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

// From so many bytes on, a blocked payload is filled group by group. Measured at
// 10 bits per key: into 12 MB groups gain nothing, into 125 MB they take half of the time
// (docs/design.md).
constexpr uint64_t kGroupedFromBytes = uint64_t{32} << 20;

// Builds a payload for the trailer container, of shape.payload_bytes() > 0 bytes at `data`, zeroed,
// from at least one hash: a Bloom filter, or kCompact. The hashes may be in *groups afterwards, and
// the list must be cleared after these. The bytes do not depend on num_threads. If it throws
// bad_alloc, the payload lacks keys, and the list can only be cleared.
void BuildPayload(HashList* hashes, const FilterShape& shape, const kernels::Kernel& kernel,
                  int num_threads, char* data, std::optional<HashGroups>* groups);

// About the most memory that this takes on one thread beside the list and the payload. Hashes that
// are far from random can take more.
uint64_t TemporaryBytes(const HashList& hashes, const FilterShape& shape);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_PAYLOAD_BUILDER_H_

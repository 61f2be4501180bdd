// Builders that check what they built: BlockBasedTableOptions::detect_filter_construct_corruption.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BITS_VERIFIED_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BITS_VERIFIED_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/view/hash_query.h"

namespace bloomline {

// A builder of type Builder that queries each finished filter for all of its keys. It keeps a copy
// of their hashes for that, so it also notices if a hash changes in memory before the filter is
// built. Cost: 8 bytes per key and a query per key.
template <typename Builder>
class VerifiedBuilder : public Builder {
 public:
  using Slice = ROCKSDB_NAMESPACE::Slice;
  using Status = ROCKSDB_NAMESPACE::Status;

  using Builder::Builder;

  void AddKey(const Slice& key) noexcept override {
    added_.push_back(this->Hash(key));
    Builder::AddKey(key);
  }

  void AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept BLOOMLINE_OVERRIDE_SINCE_9_6 {
    added_.push_back(this->Hash(key));
    added_.push_back(this->Hash(alt));
    Builder::AddKeyAndAlt(key, alt);
  }

  Status MaybePostVerify(const Slice& filter) noexcept override {
    const filter::Payload payload = filter::DecodeTrailer(filter.ToStringView());
    size_t num_lost = 0;
    for (const uint64_t hash : finished_) {
      num_lost += filter::HashMayMatch(payload, kernels::ActiveKernel(), hash) ? 0 : 1;
    }
    if (num_lost == 0) return Status::OK();
    return Status::Corruption("bloomline: Corrupted filter content: the finished filter lost " +
                              std::to_string(num_lost) + " of " + std::to_string(finished_.size()) +
                              " keys");
  }

 protected:
  Slice Build(std::unique_ptr<const char[]>* buf, Status* status,
              typename Builder::Facts* facts) override {
    finished_ = std::move(added_);
    added_.clear();
    return Builder::Build(buf, status, facts);
  }

 private:
  std::vector<uint64_t> added_;     // to the next filter
  std::vector<uint64_t> finished_;  // hashes of the last filter
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BITS_VERIFIED_BUILDER_H_

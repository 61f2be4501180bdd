#include "src/engines/rocksdb/builder/layout_check.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::engine {
namespace {

// A T with room behind it, for the members that the running RocksDB may have in addition.
template <typename T>
class Padded {
 public:
  template <typename... Arguments>
  explicit Padded(int fill, Arguments&&... arguments) : fill_(static_cast<unsigned char>(fill)) {
    std::memset(bytes_, fill, sizeof(bytes_));
    object_ = new (bytes_) T(arguments...);
  }
  ~Padded() { object_->~T(); }
  Padded(const Padded&) = delete;
  Padded& operator=(const Padded&) = delete;

  T* operator->() { return object_; }
  T& operator*() { return *object_; }
  bool IsPaddingUntouched() const {
    return std::all_of(bytes_ + sizeof(T), bytes_ + sizeof(bytes_),
                       [this](unsigned char byte) { return byte == fill_; });
  }

 private:
  static constexpr size_t kPaddingBytes = 512;

  alignas(T) unsigned char bytes_[sizeof(T) + kPaddingBytes];
  unsigned char fill_;
  T* object_;
};

// RocksDB's constructor sets each member.
bool IsContextKnown(const BlockBasedTableOptions& options) {
  constexpr int kNoMemberHasThis = 0xA5;
  Padded<FilterBuildingContext> context(kNoMemberHasThis, options);
  return context.IsPaddingUntouched() && &context->table_options == &options &&
         context->compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel &&
         context->num_levels == -1 && context->info_log == nullptr &&
         context->column_family_name.empty() && context->level_at_creation == -1 &&
         !context->is_bottommost &&
         context->reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kMisc;
}

// Gives RocksDB options with this member set, and asks it for the member by name.
bool IsMemberKnown(bool BlockBasedTableOptions::*member, const char* name) {
  for (const bool value : {false, true}) {
    Padded<BlockBasedTableOptions> options(0);
    options->no_block_cache = true;
    // Without it, RocksDB sets partition_filters back.
    options->index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    (*options).*member = value;
    const std::unique_ptr<ROCKSDB_NAMESPACE::TableFactory> factory(
        ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(*options));
    std::string text;
    const auto status = factory->GetOption(ConfigOptions(), name, &text);
    if (!status.ok() || text != (value ? "true" : "false")) return false;
  }
  return true;
}

}  // namespace

std::string RocksDBLayoutMismatch() {
  // RocksDB's table of options, in which IsMemberKnown looks, is set just before this name.
  if (ROCKSDB_NAMESPACE::BlockBasedTablePropertyNames::kIndexType.empty()) {
    return "the program asks RocksDB for a filter before RocksDB's own variables are set";
  }
  const char* other = nullptr;
  if (!IsContextKnown(BlockBasedTableOptions())) other = "FilterBuildingContext";
  if (!IsMemberKnown(&BlockBasedTableOptions::partition_filters, "partition_filters") ||
      !IsMemberKnown(&BlockBasedTableOptions::optimize_filters_for_memory,
                     "optimize_filters_for_memory") ||
      !IsMemberKnown(&BlockBasedTableOptions::detect_filter_construct_corruption,
                     "detect_filter_construct_corruption")) {
    other = "BlockBasedTableOptions";
  }
  if (other == nullptr) return "";
  return "RocksDB's struct " + std::string(other) +
         " is another than in the headers that bloomline was compiled with";
}

}  // namespace bloomline::engine

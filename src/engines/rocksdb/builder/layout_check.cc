#include "src/engines/rocksdb/builder/layout_check.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
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

// RocksDB's table of options, in which IsMemberKnown looks, is set just before this name. The first
// word of any std::string of GNU is a pointer, and null before its constructor has run; its member
// functions would read at that address.
bool HasOwnVariables() {
  const void* data = nullptr;
  std::memcpy(&data, &ROCKSDB_NAMESPACE::BlockBasedTablePropertyNames::kIndexType, sizeof(data));
  return data != nullptr;
}

std::string InterfaceMismatch() {
  constexpr int kCompiled = InterfaceOfHeaders(BLOOMLINE_ROCKSDB_VERSION);
  const std::string running = ROCKSDB_NAMESPACE::GetRocksVersionAsString(true);
  const RunningInterface found = InterfaceOf(running.c_str());
  if (found.interface == 0) return found.why_not;
  if (found.interface == kCompiled) return "";
  return "compiled for the interface of RocksDB " + VersionText(kCompiled) + " but running with " +
         running + ", which has that of " + VersionText(found.interface);
}

std::string MinorVersionMismatch() {
  const std::string running = ROCKSDB_NAMESPACE::GetRocksVersionAsString(false);
  const std::string compiled = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  if (running == compiled) return "";
  return "compiled for RocksDB " + compiled + " but running with " + running +
         "; rebuild bloomline against the running version";
}

constexpr size_t kNoPlace = static_cast<size_t>(-1);

// Where the running RocksDB's constructor puts the default comparator; kNoPlace if not in just one
// place. What it makes stays, and that includes an empty cache of some KiB: only the running
// version's destructor could free it. The versions of the table have 680 to 976 bytes.
size_t FindComparator() {
  using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
  constexpr size_t kRoom = sizeof(ColumnFamilyOptions) + 1024;
  static unsigned char* const made = static_cast<unsigned char*>(::operator new(kRoom));
  std::memset(made, 0, kRoom);
  new (made) ColumnFamilyOptions;
  const void* const comparator = ROCKSDB_NAMESPACE::BytewiseComparator();
  size_t place = kNoPlace;
  for (size_t i = 0; i + sizeof(comparator) <= kRoom; i += sizeof(comparator)) {
    if (std::memcmp(made + i, &comparator, sizeof(comparator)) != 0) continue;
    if (place != kNoPlace) return kNoPlace;
    place = i;
  }
  return place;
}

size_t PlaceOfComparator() {
  static const size_t place = FindComparator();
  return place;
}

}  // namespace

std::string RocksDBVersionMismatch() {
  return kIsForProgram ? InterfaceMismatch() : MinorVersionMismatch();
}

bool KnowsListeners() { return kHasAccount && MinorVersionMismatch().empty(); }

std::string RocksDBLayoutMismatch() {
  if (!HasOwnVariables()) {
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
  // Without the comparator, nothing would warn of one that takes different bytes for the same key.
  if (kIsForProgram && PlaceOfComparator() == kNoPlace) other = "ColumnFamilyOptions";
  if (other == nullptr) return "";
  return "RocksDB's struct " + std::string(other) +
         " is another than in the headers that bloomline was compiled with";
}

std::string RocksDBMismatch() {
  static std::atomic<bool> has_known_layout{false};
  std::string mismatch = RocksDBVersionMismatch();
  if (!mismatch.empty() || has_known_layout || !HasOwnVariables()) return mismatch;
  mismatch = RocksDBLayoutMismatch();
  has_known_layout = mismatch.empty();
  return mismatch;
}

const ROCKSDB_NAMESPACE::Comparator* ComparatorOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  if (!kIsForProgram) return family.comparator;
  const ROCKSDB_NAMESPACE::Comparator* comparator = nullptr;
  std::memcpy(&comparator, reinterpret_cast<const unsigned char*>(&family) + PlaceOfComparator(),
              sizeof(comparator));
  return comparator;
}

}  // namespace bloomline::engine

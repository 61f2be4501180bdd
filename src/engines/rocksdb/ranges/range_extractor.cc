#include "src/engines/rocksdb/ranges/range_extractor.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>

#include "bloomline/rocksdb.h"
#include "bloomline/seed.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "src/filter/ranges/range_field.h"
#include "src/support/process.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Configurable;
using ROCKSDB_NAMESPACE::Customizable;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;

struct Bound {
  uint64_t token = 0;  // 0: the key is not known
  uint16_t size = 0;
  char bytes[filter::kMaxBoundBytes];

  std::string_view key() const { return {bytes, size}; }
};

// The last two calls of a thread.
struct LastCalls {
  Bound bounds[2];
  int last = 0;             // the index of the last call; the other is the call before it
  uint64_t next_token = 0;  // of a block of tokens
  uint64_t tokens_left = 0;
};
// The calls are on the heap: libraries that are opened at run time have little room for
// thread_local variables. Returns null if memory runs out.
//
// They are found by a key of the system, for which libstdc++ has one name everywhere: glibc ends
// the process if a thread's first variable with a destructor finds no memory, but a key reports
// that. The C library's free ends the thread's calls: it exists even when this library is gone.
LastCalls* ThreadCalls() {
#ifdef __GLIBCXX__
  static_assert(std::is_trivially_destructible_v<LastCalls>);
  struct CallsKey {
    __gthread_key_t value = {};
    const bool is_made = __gthread_active_p() && __gthread_key_create(&value, std::free) == 0;
  };
  static const CallsKey key;
  if (!key.is_made) return nullptr;
  void* memory = __gthread_getspecific(key.value);
  if (memory == nullptr) {
    memory = std::malloc(sizeof(LastCalls));
    if (memory == nullptr) return nullptr;
    if (__gthread_setspecific(key.value, new (memory) LastCalls) != 0) {
      std::free(memory);
      return nullptr;
    }
  }
  return static_cast<LastCalls*>(memory);
#else
  thread_local std::unique_ptr<LastCalls> calls;
  if (calls == nullptr) calls.reset(new (std::nothrow) LastCalls);
  return calls.get();
#endif
}

TokenBlocks token_blocks;

uint64_t NextToken(LastCalls* calls) {
  if (calls->tokens_left == 0) {
    calls->next_token = token_blocks.Take();
    if (calls->next_token == 0) return 0;
    calls->tokens_left = TokenBlocks::kTokensPerBlock;
  }
  --calls->tokens_left;
  return calls->next_token++;
}

// The number at which the ids of this process begin; 0 if the system gave no random number.
uint64_t FirstId() {
  static const uint64_t first = [] {
    uint64_t seed = 0;
    return DrawSeed(&seed, nullptr) ? seed : 0;
  }();
  return first;
}

// Returns an id that no other call returns, in this process or another one that wrote a table, if
// ExtractorIdsAreUnique. A forked process continues with the counter of its parent, but has another
// process number.
std::string UniqueId() {
  static std::atomic<uint64_t> next{FirstId()};
  constexpr std::string_view kName = "bloomline.ranges:";
  constexpr size_t kMaxDigits = 20;
  char id[kName.size() + kMaxDigits + 1 + kMaxDigits];
  kName.copy(id, kName.size());
  char* const process = id + kName.size();
  char* end = std::to_chars(process, process + kMaxDigits, support::ProcessNumber()).ptr;
  *end++ = '.';
  end = std::to_chars(end, end + kMaxDigits, next.fetch_add(1, std::memory_order_relaxed)).ptr;
  return {id, end};
}

// RocksDB keeps plain pointers to an extractor that SetOptions has replaced: in tailing iterators,
// in a memtable's Bloom filter, and in the lookahead iterators of a skip list. So no extractor ever
// ends. RocksDB owns the object that a factory makes, and deletes it: the object is then made anew
// at its place, and the next Make returns it. In between, for some nanoseconds, it cannot be
// called. RocksDB makes an extractor for each table that it opens, so there are as many as were in
// use at once.
class RangeExtractor final : public SliceTransform {
 public:
  static std::unique_ptr<const SliceTransform> Make() {
    Unused& unused = UnusedExtractors();
    const std::lock_guard<std::mutex> lock(unused.mutex);
    RangeExtractor* made = unused.first;
    if (made == nullptr) {
      made = new RangeExtractor;
    } else {
      unused.first = made->next_unused_;
    }
    return std::unique_ptr<const SliceTransform>(made);
  }

  static void operator delete(void* place) noexcept {
    auto* const again = ::new (place) RangeExtractor;
    Unused& unused = UnusedExtractors();
    const std::lock_guard<std::mutex> lock(unused.mutex);
    again->next_unused_ = unused.first;
    unused.first = again;
  }

  const char* Name() const override { return filter::kRangeExtractorName; }
  bool InDomain(const Slice&) const override { return true; }
  Slice Transform(const Slice& key) const override {
    LastCalls* const of_thread = ThreadCalls();
    if (of_thread == nullptr) return Slice("", 0);
    LastCalls& calls = *of_thread;
    calls.last = 1 - calls.last;
    Bound& bound = calls.bounds[calls.last];
    bound.token = key.size() <= filter::kMaxBoundBytes ? NextToken(&calls) : 0;
    if (bound.token == 0) return Slice("", 0);
    bound.size = static_cast<uint16_t>(key.size());
    std::memcpy(bound.bytes, key.data(), key.size());
    // The address is never read: the slice is empty.
    return Slice(reinterpret_cast<const char*>(static_cast<uintptr_t>(bound.token)), 0);
  }

  // RocksDB takes every extractor for another one (range_extractor.h). It asks for the id for each
  // table of an iterator: as a registered option, the number would take 0.2 us longer.
  std::string GetId() const override { return UniqueId(); }
  // The text for OPTIONS files.
  std::string SerializeOptions(const ConfigOptions&, const std::string&) const override {
    return filter::kRangeExtractorName;
  }
  bool AreEquivalent(const ConfigOptions&, const Configurable* other,
                     std::string* mismatch) const override {
    if (static_cast<const Customizable*>(other)->IsInstanceOf(filter::kRangeExtractorName)) {
      return true;
    }
    *mismatch = "id";
    return false;
  }

  // Refuses options with which RocksDB takes equal prefixes for equal beginnings of keys.
  Status ValidateOptions(const DBOptions&, const ColumnFamilyOptions& options) const override {
    const auto refuse = [](const char* what) {
      return Status::InvalidArgument("prefix_extractor bloomline.ranges", what);
    };
    const std::string_view order = options.comparator->Name();
    if (order != "leveldb.BytewiseComparator" && order != "leveldb.BytewiseComparator.u64ts") {
      return refuse("comparator has another order than that of bytes; allowed: BytewiseComparator");
    }
    for (const char* name : {"HashSkipListRepFactory", "HashLinkListRepFactory"}) {
      if (options.memtable_factory != nullptr && options.memtable_factory->IsInstanceOf(name)) {
        return refuse("memtable_factory has a list for each prefix; allowed: skip_list, vector");
      }
    }
    if (options.memtable_prefix_bloom_size_ratio > 0 && !options.memtable_whole_key_filtering) {
      return refuse(
          "memtable_prefix_bloom_size_ratio is above 0; allowed: 0, or "
          "memtable_whole_key_filtering=true");
    }
    const auto* const table = options.table_factory == nullptr
                                  ? nullptr
                                  : options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table == nullptr)
      return refuse("table_factory has another format; allowed: BlockBasedTable");
    if (!table->whole_key_filtering) {
      return refuse("whole_key_filtering is false; allowed: true");
    }
    if (table->index_type == BlockBasedTableOptions::kHashSearch) {
      return refuse("index_type is kHashSearch; allowed: the others");
    }
    return Status::OK();
  }

 private:
  struct Unused {
    std::mutex mutex;
    RangeExtractor* first = nullptr;
  };
  // The list has no destructor: extractors may outlive static objects.
  static Unused& UnusedExtractors() {
    static auto* const unused = new Unused;
    return *unused;
  }

  RangeExtractor* next_unused_ = nullptr;
};

}  // namespace

uint64_t TokenBlocks::Take() {
  uint64_t block = next_.load(std::memory_order_relaxed);
  do {
    if (block >= num_blocks_) return 0;
  } while (!next_.compare_exchange_weak(block, block + 1, std::memory_order_relaxed));
  return kFirst + block * kTokensPerBlock;
}

bool ExtractorIdsAreUnique() { return FirstId() != 0; }

std::unique_ptr<const SliceTransform> MakeRangeExtractor() { return RangeExtractor::Make(); }

bool LastRange(const Slice& prefix, std::string_view* begin, std::string_view* end) {
  const LastCalls* const of_thread = ThreadCalls();
  if (of_thread == nullptr) return false;
  const LastCalls& calls = *of_thread;
  const Bound& first = calls.bounds[1 - calls.last];
  const Bound& second = calls.bounds[calls.last];
  if (first.token == 0 || second.token == 0) return false;
  if (reinterpret_cast<uintptr_t>(prefix.data()) != first.token) return false;
  if (!RangesAreOn()) return false;
  *begin = first.key();
  *end = second.key();
  return true;
}

}  // namespace bloomline::engine

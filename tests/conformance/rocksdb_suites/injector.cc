// Functions of RocksDB that make its filter policies, replaced: each returns bloomline's policy. It
// is compiled against RocksDB's source tree and linked into RocksDB's own tests.
//
// Environment:
//   BLOOMLINE_CONFORMANCE_DEFECT  lose-keys: readers answer "no" for every second key, stored or
//                                 not; the control of tests/conformance/rocksdb
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "bloomline/filter_options.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/builder/bits_builder.h"
#include "table/block_based/filter_policy_internal.h"
#include "test_util/sync_point.h"
#include "tests/conformance/rocksdb_suites/counts.h"

namespace bloomline {

ConformanceCounts& Counts() {
  static ConformanceCounts counts;
  return counts;
}

namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Access to private members, which an explicit instantiation may name.
template <auto kMember>
struct Writer {
  friend filter::FilterWriter& WriterOf(engine::RocksDBBitsBuilder* builder) {
    return builder->*kMember;
  }
};
filter::FilterWriter& WriterOf(engine::RocksDBBitsBuilder* builder);
template struct Writer<&engine::RocksDBBitsBuilder::writer_>;

template <auto kMember>
struct Hashes {
  friend filter::HashList& HashesOf(filter::FilterWriter* writer) { return writer->*kMember; }
};
filter::HashList& HashesOf(filter::FilterWriter* writer);
template struct Hashes<&filter::FilterWriter::hashes_>;

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whatever RocksDB's policies take is brought into the range of the format.
FilterOptions OptionsFor(double bits_per_key) {
  FilterOptions options;
  const BitsPerKeyRange allowed = AllowedBitsPerKey(options.format);
  if (bits_per_key < 0.5) {
    options.bits_per_key = 0;  // no filters
  } else if (std::isnan(bits_per_key)) {
    options.bits_per_key = allowed.max;
  } else {
    options.bits_per_key = std::clamp(bits_per_key, allowed.min, allowed.max);
  }
  return options;
}

#if BLOOMLINE_ROCKSDB_VERSION >= 1009
using BuilderInterface = FilterBitsBuilder;
#else
using BuilderInterface = ROCKSDB_NAMESPACE::BuiltinFilterBitsBuilder;
#endif

// Passes everything on to bloomline's builder, and has the points at which RocksDB's tests damage a
// filter that is being built.
class Builder : public BuilderInterface {
 public:
  explicit Builder(FilterBitsBuilder* builder) : builder_(builder) { ++Counts().builders; }

  void AddKey(const Slice& key) override { builder_->AddKey(key); }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    builder_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override { return builder_->EstimateEntriesAdded(); }
  Slice Finish(std::unique_ptr<const char[]>* buffer) override { return Finish(buffer, nullptr); }
  Slice Finish(std::unique_ptr<const char[]>* buffer, Status* status) override {
    ++Counts().filters;
    OfferHashes();
    const Slice filter = builder_->Finish(buffer, status);
    OfferFilter(filter);
    return filter;
  }
  Status MaybePostVerify(const Slice& filter) override { return builder_->MaybePostVerify(filter); }
  size_t ApproximateNumEntries(size_t bytes) override {
    return builder_->ApproximateNumEntries(bytes);
  }
  size_t CalculateSpace(size_t num_entries) override {
    return static_cast<engine::RocksDBBitsBuilder*>(builder_.get())->CalculateSpace(num_entries);
  }
  double EstimatedFpRate(size_t num_entries, size_t bytes) override {
    return static_cast<engine::RocksDBBitsBuilder*>(builder_.get())
        ->EstimatedFpRate(num_entries, bytes);
  }

 private:
  // As RocksDB's builder does: the tests may change the first hash.
  void OfferHashes() {
    filter::HashList& hashes =
        HashesOf(&WriterOf(static_cast<engine::RocksDBBitsBuilder*>(builder_.get())));
    if (hashes.size() == 0) return;
    uint64_t* first = nullptr;
    hashes.ForEachChunk([&](uint64_t* chunk, size_t) {
      if (first == nullptr) first = chunk;
    });
    std::deque<uint64_t> offered = {*first};
    TEST_SYNC_POINT_CALLBACK("XXPH3FilterBitsBuilder::Finish::TamperHashEntries", &offered);
    *first = offered.front();
  }
  static void OfferFilter(const Slice& filter) {
    if (filter.size() <= 5) return;
    std::unique_ptr<char[]> bytes(const_cast<char*>(filter.data()));
    std::pair<std::unique_ptr<char[]>*, size_t> offered(&bytes, filter.size());
    TEST_SYNC_POINT_CALLBACK("XXPH3FilterBitsBuilder::Finish::TamperFilter", &offered);
    static_cast<void>(offered);
    bytes.release();
  }

  const std::unique_ptr<FilterBitsBuilder> builder_;
};

// The defect that the tests must notice.
class KeyLosingReader : public FilterBitsReader {
 public:
  explicit KeyLosingReader(FilterBitsReader* reader) : reader_(reader) {}
  bool MayMatch(const Slice& key) override {
    constexpr size_t kOneOf = 2;
    return std::hash<std::string_view>()(key.ToStringView()) % kOneOf != 0 &&
           reader_->MayMatch(key);
  }
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    for (int i = 0; i < num_keys; ++i) may_match[i] = MayMatch(*keys[i]);
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
};

// Bloomline's policy in a class that RocksDB's tests can cast to the one of its own policies.
class Policy : public ROCKSDB_NAMESPACE::BloomLikeFilterPolicy {
 public:
  explicit Policy(double bits_per_key) : BloomLikeFilterPolicy(bits_per_key) {
    std::string error;
    policy_ = NewRocksDBFilterPolicy(OptionsFor(bits_per_key), &error);
    if (policy_ == nullptr) {
      std::fprintf(stderr, "injector: %s\n", error.c_str());
      std::abort();
    }
  }

  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override { return policy_->CompatibilityName(); }
  std::string GetId() const override { return policy_->GetId(); }
  bool IsInstanceOf(const std::string& id) const override { return policy_->IsInstanceOf(id); }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    FilterBitsBuilder* const builder = policy_->GetBuilderWithContext(context);
    return builder == nullptr ? nullptr : new Builder(builder);
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    ++Counts().readers;
    FilterBitsReader* const reader = policy_->GetFilterBitsReader(contents);
    static const bool loses_keys = Environment("BLOOMLINE_CONFORMANCE_DEFECT") == "lose-keys";
    return loses_keys ? new KeyLosingReader(reader) : reader;
  }

 private:
  std::shared_ptr<const FilterPolicy> policy_;
};

}  // namespace
}  // namespace bloomline

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<const FilterPolicy> BloomLikeFilterPolicy::Create(const std::string&,
                                                                  double bits_per_key) {
  return std::make_shared<bloomline::Policy>(bits_per_key);
}

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool) {
  return new bloomline::Policy(bits_per_key);
}

// Const or not, depending on the version.
using Ribbon = decltype(NewRibbonFilterPolicy(10, 0));
Ribbon NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key, int) {
  return new bloomline::Policy(bloom_equivalent_bits_per_key);
}

}  // namespace ROCKSDB_NAMESPACE

// The LevelDB adaptor: docs/format.md, section 4.
#include <chrono>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "leveldb/slice.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/policy_names.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/options/formats.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"
#include "src/support/number_text.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

std::string_view View(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

static_assert(filter::kLevelDBName == kLevelDBBuiltinName);

// LevelDB does not tell a policy the file or the level.
filter::FilterCounts* PolicyCounts(const FilterOptions& options) {
  filter::FilterCounts* const counts = filter::CountsFor(
      {"leveldb",
       std::string(FormatName(options.format)) + ":" + support::DoubleText(options.bits_per_key),
       "", -1});
  counts->SetExpected({options.format, options.format, options.bits_per_key});
  return counts;
}

// Immutable after construction, so threads share it without locks.
class LevelDBFilterPolicy : public leveldb::FilterPolicy {
 public:
  // `name` is without the seed's check.
  LevelDBFilterPolicy(const FilterOptions& options, const std::string& name)
      : options_(options),
        name_(options.seed == 0 ? name : filter::NameWithSeed(name, options.seed)),
        shapes_(options.format, options.bits_per_key),
        hasher_(options.seed),
        kernel_(kernels::ActiveKernel()),
        counts_(PolicyCounts(options)) {}

  const char* Name() const override { return name_.c_str(); }

  // Appends to *dst. LevelDB is built without exceptions, so this function must not throw: if
  // memory runs out, the process ends.
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const noexcept override {
    if (n <= 0 && options_.format != Format::kClassic) return;
    const size_t num_keys = n <= 0 ? 0 : static_cast<size_t>(n);
    // Building a filter of a data block takes about 200 ns. Counting each would add 20 ns.
    if (filter::IsSampled()) return CreateSampledFilter(keys, num_keys, dst);
    Append(keys, num_keys, dst);
  }

  __attribute__((flatten)) bool KeyMayMatch(const leveldb::Slice& key,
                                            const leveldb::Slice& filter) const override {
    if (filter::IsSampled()) return SampledMayMatch(key, filter);
    if (key.size() > filter::kMaxShortKeyBytes || filter.size() < 2)
      return AnyMayMatch(key, filter);
    const size_t num_bytes = filter.size() - 1;
    const int code = static_cast<unsigned char>(filter[num_bytes]);
    if (filter::ProbesInRange(code - filter::kFlatCodeBase) && num_bytes <= filter::kMaxFlatBytes) {
      const filter::FilterShape flat =
          filter::FilterShape::Flat(num_bytes, code - filter::kFlatCodeBase);
      return kernels::FlatMayMatch(filter::ForKernel(flat, filter.data()),
                                   hasher_.ShortKey(View(key)));
    }
    if (filter::IsOneBlock(code, num_bytes)) {
      return kernel_.small_set.may_match(filter.data(), static_cast<uint32_t>(num_bytes),
                                         filter::FirstAttempt(code), hasher_.ShortKey(View(key)));
    }
    return AnyMayMatch(key, filter);
  }

 private:
  // Separate, because it needs more registers than the usual cases above: short keys in the layouts
  // of small sets.
  __attribute__((flatten, noinline)) bool AnyMayMatch(const leveldb::Slice& key,
                                                      const leveldb::Slice& filter) const {
    const filter::Payload payload = filter::DecodeLevelDB(View(filter));
    if (payload.always_matches()) return true;
    return filter::HashMayMatch(payload, kernel_,
                                filter::LayoutHash(payload.layout, View(key), hasher_));
  }

  __attribute__((noinline)) bool SampledMayMatch(const leveldb::Slice& key,
                                                 const leveldb::Slice& filter) const {
    const bool may_match = AnyMayMatch(key, filter);
    const filter::Sample sample = filter::TakeSample();
    if (sample.weight == 0) return may_match;
    counts_->AddAnswer(filter::Answers::kKeys, may_match, sample.weight);
    if (may_match && filter::DecodeLevelDB(View(filter)).always_matches()) {
      counts_->Add(filter::Count::kOpenedUseless, sample.weight,
                   View(filter) == filter::kLevelDBAlwaysMatch
                       ? filter::UselessReason::kSaidByWriter
                       : filter::UselessReason::kDamaged);
    }
    return may_match;
  }

  void CreateSampledFilter(const leveldb::Slice* keys, size_t num_keys, std::string* dst) const {
    using Clock = std::chrono::steady_clock;
    const filter::Sample sample = filter::TakeSample();
    const size_t start = dst->size();
    const Clock::time_point start_time = Clock::now();
    Append(keys, num_keys, dst);
    const std::chrono::nanoseconds time = Clock::now() - start_time;
    const uint64_t weight = sample.weight;
    counts_->Add(filter::Count::kBuilt, weight);
    counts_->Add(filter::Count::kKeysBuilt, weight * num_keys);
    counts_->Add(filter::Count::kBytesBuilt, weight * (dst->size() - start));
    counts_->Add(filter::Count::kNanosecondsBuilt, weight * static_cast<uint64_t>(time.count()));
  }

  __attribute__((flatten)) void Append(const leveldb::Slice* keys, size_t n,
                                       std::string* dst) const {
    const bool classic = options_.format == Format::kClassic;
    // A data block of 4 KiB has about 36 keys. Only far larger blocks need the heap.
    uint64_t stack_hashes[filter::kMaxFlatKeys];
    std::vector<uint64_t> heap_hashes;
    uint64_t* hashes = stack_hashes;
    if (n > filter::kMaxFlatKeys) {
      heap_hashes.resize(n);
      hashes = heap_hashes.data();
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t hash = classic ? filter::LevelDBHash32(View(keys[i])) : hasher_(View(keys[i]));
      if (classic || kept == 0 || hashes[kept - 1] != hash) hashes[kept++] = hash;
    }
    filter::FilterShape shape = shapes_.For(kept);
    const size_t start = dst->size();
    const auto num_bytes = static_cast<size_t>(shape.payload_bytes() + 1);
    dst->resize(start + num_bytes, '\0');
    char* payload = dst->data() + start;
    filter::BuildSmallPayload(hashes, kept, &shape, kernel_, payload);
    dst->back() = filter::LevelDBCode(shape);
  }

  const FilterOptions options_;
  const std::string name_;
  const filter::LevelDBShapes shapes_;
  const filter::KeyHasher hasher_;
  const kernels::Kernel& kernel_;
  filter::FilterCounts* const counts_;
};

std::string Refusal(const FilterOptions& options, const std::string& name) {
  if (std::string error = options.Validate(); !error.empty()) return error;
  if (!filter::RowOf(options.format).in_leveldb) {
    return std::string("format is ") + FormatName(options.format) +
           ", which is written in RocksDB only; allowed: classic, blocked, compact";
  }
  if (name.empty()) return "name is empty; allowed: at least one character";
  // LevelDB reads Name() up to the zero byte and would not see the check of a seed behind it.
  if (const size_t zero = name.find('\0'); zero != std::string::npos) {
    return "name has a zero byte at offset " + std::to_string(zero) + "; allowed: names without";
  }
  if (filter::HasCanonicalizer(name)) {
    return "name is " + name + "; allowed: names without '" +
           std::string(filter::kCanonicalizerMark) + "', which precedes a canonicalizer's name";
  }
  if (options.random_seed) {
    return "random_seed is set; LevelDB's filters have no room for a seed: draw one with DrawSeed, "
           "keep it with the database's options, and set it as seed";
  }
  const std::string seed_is = "seed is " + std::to_string(options.seed);
  if (options.seed != 0 && name == kLevelDBBuiltinName) {
    return seed_is + " and name is " + name +
           ", LevelDB's own; allowed: a name of your own, or seed 0";
  }
  if (options.seed != 0 && options.format == Format::kClassic) {
    return seed_is + " and format is classic, whose hash takes no seed; allowed: blocked, compact";
  }
  if (options.seed == 0 && filter::EndsInSeedCheck(name)) {
    return "name is " + name +
           ", which ends like the name of a policy with a seed; allowed: another name, or that "
           "seed and the name before '" +
           std::string(filter::kSeedMark) + "'";
  }
  return "";
}

}  // namespace

const leveldb::FilterPolicy* NewLevelDBFilterPolicy(const FilterOptions& options,
                                                    std::string_view name, std::string* error) {
  return support::OrReport(
      "LevelDB filter policy", error, [&](std::string* reason) -> const leveldb::FilterPolicy* {
        const std::string stored_name(name);
        *reason = Refusal(options, stored_name);
        return reason->empty() ? new LevelDBFilterPolicy(options, stored_name) : nullptr;
      });
}

}  // namespace bloomline

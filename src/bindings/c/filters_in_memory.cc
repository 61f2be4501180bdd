// Filters in memory, and mapped ones: include/bloomline/c.h.
#include <memory>
#include <string>
#include <utility>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/c.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/bindings/c/convert.h"

using bloomline::AtomicBloomFilter;
using bloomline::BloomFilter;
using bloomline::BloomLayout;
using bloomline::CountingBloomFilter;
using bloomline::MappedBloomFilter;
using bloomline::ScalableBloomFilter;
using bloomline::c::AnswerEachBatch;
using bloomline::c::Handle;
using bloomline::c::Key;
using bloomline::c::MakeHandle;
using bloomline::c::MallocedBytes;
using bloomline::c::OrSetError;
using bloomline::support::IsNullText;

static_assert(bloomline_bloom_blocked == static_cast<int>(BloomLayout::kBlocked));
static_assert(bloomline_bloom_standard == static_cast<int>(BloomLayout::kStandard));
static_assert(bloomline_bloom_blocked128 == static_cast<int>(BloomLayout::kBlocked128));
static_assert(bloomline_bloom_blocked64 == static_cast<int>(BloomLayout::kBlocked64));

struct bloomline_atomic_t : Handle<AtomicBloomFilter> {};
struct bloomline_scalable_t : Handle<ScalableBloomFilter> {};
struct bloomline_counting_t : Handle<CountingBloomFilter> {};

// One of the two filters is null. Callers get mapped ones as pointers to const, so functions that
// change a filter never see them.
struct bloomline_bloom_t : Handle<BloomFilter> {
  std::unique_ptr<MappedBloomFilter> mapped = nullptr;

  const bloomline::BloomFilterBase& view() const {
    if (filter != nullptr) return *filter;
    return *mapped;
  }
};

namespace {

// Moves the filter of *from into a new handle, and deletes *from, unless memory runs out.
template <typename To, typename From, typename Turn>
To* TurnInto(From* from, Turn turn) {
  return bloomline::support::OrIfItThrows<To*>(nullptr, [&] {
    auto to = std::make_unique<To>();
    to->filter = turn(std::move(from->filter));
    delete from;
    return to.release();
  });
}

}  // namespace

// Defines bloomline_NAME_FUNCTION for one key.
#define BLOOMLINE_C_KEY(NAME, TYPE, FUNCTION, CPP_FUNCTION)                         \
  TYPE bloomline_##NAME##_##FUNCTION(bloomline_##NAME##_t* handle, const char* key, \
                                     size_t key_length) {                           \
    return handle->filter->CPP_FUNCTION(Key(key, key_length));                      \
  }

// Defines bloomline_NAME_FUNCTION for many keys, which returns how many answers are true.
#define BLOOMLINE_C_KEYS(NAME, FUNCTION, CPP_FUNCTION)                                     \
  size_t bloomline_##NAME##_##FUNCTION(bloomline_##NAME##_t* handle, size_t num_keys,      \
                                       const char* const* keys, const size_t* key_lengths, \
                                       uint8_t* answers) {                                 \
    size_t num_true = 0;                                                                   \
    AnswerEachBatch(num_keys, keys, key_lengths, answers,                                  \
                    [&](size_t count, const std::string_view* batch, bool* of_batch) {     \
                      num_true += handle->filter->CPP_FUNCTION(count, batch, of_batch);    \
                    });                                                                    \
    return num_true;                                                                       \
  }

// Defines the functions of all filters.
#define BLOOMLINE_C_FILTER(NAME, OPTIONS, FILTER)                                             \
  bloomline_##NAME##_t* bloomline_##NAME##_create(const bloomline_##OPTIONS##_t* options,     \
                                                  char** errptr) {                            \
    return MakeHandle<bloomline_##NAME##_t>(                                                  \
        errptr, [=](std::string* error) { return FILTER::Create(options->options, error); }); \
  }                                                                                           \
  BLOOMLINE_C_KEY(NAME, uint8_t, add_key, AddKey)                                             \
  BLOOMLINE_C_KEYS(NAME, add_keys, AddKeys)                                                   \
  BLOOMLINE_C_QUERIES(NAME)                                                                   \
  BLOOMLINE_C_FIGURE(NAME, uint64_t, capacity, capacity)

// Defines the estimates of filters that consist of bits.
#define BLOOMLINE_C_ESTIMATES(NAME)                                        \
  BLOOMLINE_C_FIGURE(NAME, uint64_t, num_bits, num_bits)                   \
  BLOOMLINE_C_FIGURE(NAME, uint64_t, estimated_num_keys, EstimatedNumKeys) \
  BLOOMLINE_C_FIGURE(NAME, double, estimated_false_positive_rate, EstimatedFalsePositiveRate)

// Defines the functions of filters with BloomFilterOptions, which take hashes in place of keys.
#define BLOOMLINE_C_LAID_OUT(NAME)                                                   \
  BLOOMLINE_C_ESTIMATES(NAME)                                                        \
  BLOOMLINE_C_FIGURE(NAME, int, layout, layout)                                      \
  BLOOMLINE_C_FIGURE(NAME, int, num_probes, num_probes)                              \
  BLOOMLINE_C_FIGURE(NAME, uint64_t, seed, seed)                                     \
  BLOOMLINE_C_QUERY(NAME, uint64_t, hash_of, HashOf)                                 \
  uint8_t bloomline_##NAME##_add_hash(bloomline_##NAME##_t* handle, uint64_t hash) { \
    return handle->filter->AddHash(hash);                                            \
  }                                                                                  \
  BLOOMLINE_C_MAY_MATCH_HASH(NAME)

// Defines the functions of filters that can be saved.
#define BLOOMLINE_C_SAVED(NAME, FILTER)                                                    \
  bloomline_##NAME##_t* bloomline_##NAME##_load(const char* path, char** errptr) {         \
    return MakeHandle<bloomline_##NAME##_t>(errptr, [=](std::string* error) {              \
      return IsNullText(path, "path", error) ? nullptr : FILTER::Load(path, error);        \
    });                                                                                    \
  }                                                                                        \
  bloomline_##NAME##_t* bloomline_##NAME##_from_bytes(const char* bytes, size_t length,    \
                                                      char** errptr) {                     \
    return MakeHandle<bloomline_##NAME##_t>(errptr, [=](std::string* error) {              \
      return FILTER::FromBytes({bytes, length}, error);                                    \
    });                                                                                    \
  }                                                                                        \
  uint8_t bloomline_##NAME##_save(const bloomline_##NAME##_t* handle, const char* path,    \
                                  char** errptr) {                                         \
    return OrSetError(errptr, [=](std::string* error) {                                    \
      return !IsNullText(path, "path", error) && handle->view().Save(path, error);         \
    });                                                                                    \
  }                                                                                        \
  char* bloomline_##NAME##_to_bytes(const bloomline_##NAME##_t* handle, size_t* length,    \
                                    char** errptr) {                                       \
    return MallocedBytes(length, errptr, [=](std::string* bytes, std::string* error) {     \
      return handle->view().ToBytes(bytes, error);                                         \
    });                                                                                    \
  }                                                                                        \
  void bloomline_##NAME##_clear(bloomline_##NAME##_t* handle) { handle->filter->Clear(); } \
  BLOOMLINE_C_FIGURE(NAME, uint64_t, num_keys, num_keys)

#define BLOOMLINE_C_COMBINE(NAME, FUNCTION, CPP_FUNCTION)                                   \
  uint8_t bloomline_##NAME##_##FUNCTION(bloomline_##NAME##_t* handle,                       \
                                        const bloomline_##NAME##_t* other, char** errptr) { \
    return OrSetError(errptr, [=](std::string* error) {                                     \
      return handle->filter->CPP_FUNCTION(other->view(), error);                            \
    });                                                                                     \
  }

#define BLOOMLINE_C_EQUAL(NAME)                                                                    \
  uint8_t bloomline_##NAME##_equal(const bloomline_##NAME##_t* a, const bloomline_##NAME##_t* b) { \
    return a->view() == b->view();                                                                 \
  }

extern "C" {

BLOOMLINE_C_OPTIONS(bloomoptions, bloomline::BloomFilterOptions)
BLOOMLINE_C_SETTER(bloomoptions, capacity, uint64_t)
BLOOMLINE_C_SETTER(bloomoptions, false_positive_rate, double)
BLOOMLINE_C_SETTER(bloomoptions, num_bits, uint64_t)
BLOOMLINE_C_SETTER(bloomoptions, num_probes, int)
BLOOMLINE_C_SETTER(bloomoptions, layout, int)
BLOOMLINE_C_SETTER(bloomoptions, seed, uint64_t)

BLOOMLINE_C_FILTER(bloom, bloomoptions, BloomFilter)
BLOOMLINE_C_LAID_OUT(bloom)
BLOOMLINE_C_SAVED(bloom, BloomFilter)
BLOOMLINE_C_COMBINE(bloom, merge, Merge)
BLOOMLINE_C_COMBINE(bloom, intersect, Intersect)
BLOOMLINE_C_EQUAL(bloom)
BLOOMLINE_C_FIGURE(bloom, uint8_t, is_past_capacity, IsPastCapacity)

bloomline_bloom_t* bloomline_bloom_copy(const bloomline_bloom_t* from, char** errptr) {
  return MakeHandle<bloomline_bloom_t>(
      errptr, [=](std::string* error) { return BloomFilter::Copy(from->view(), error); });
}

const bloomline_bloom_t* bloomline_bloom_open_mapped(const char* path, uint8_t verify_payload,
                                                     char** errptr) {
  return OrSetError(errptr, [=](std::string* error) -> const bloomline_bloom_t* {
    if (IsNullText(path, "path", error)) return nullptr;
    std::unique_ptr<MappedBloomFilter> mapped = MappedBloomFilter::Open(
        path,
        verify_payload ? MappedBloomFilter::Verify::kPayload : MappedBloomFilter::Verify::kHeader,
        error);
    return mapped == nullptr ? nullptr : new bloomline_bloom_t{{nullptr}, std::move(mapped)};
  });
}

void bloomline_bloom_destroy(const bloomline_bloom_t* bloom) { delete bloom; }
void bloomline_atomic_destroy(bloomline_atomic_t* atomic) { delete atomic; }
void bloomline_scalable_destroy(bloomline_scalable_t* scalable) { delete scalable; }
void bloomline_counting_destroy(bloomline_counting_t* counting) { delete counting; }

BLOOMLINE_C_FILTER(atomic, bloomoptions, AtomicBloomFilter)
BLOOMLINE_C_LAID_OUT(atomic)

bloomline_atomic_t* bloomline_atomic_from_bloom(bloomline_bloom_t* bloom) {
  return TurnInto<bloomline_atomic_t>(bloom, AtomicBloomFilter::ToAtomic);
}

bloomline_bloom_t* bloomline_atomic_to_bloom(bloomline_atomic_t* atomic) {
  return TurnInto<bloomline_bloom_t>(atomic, AtomicBloomFilter::ToBloomFilter);
}

bloomline_bloom_t* bloomline_atomic_snapshot(const bloomline_atomic_t* atomic, char** errptr) {
  return MakeHandle<bloomline_bloom_t>(
      errptr, [=](std::string* error) { return atomic->filter->Snapshot(error); });
}

BLOOMLINE_C_OPTIONS(scalableoptions, bloomline::ScalableBloomFilterOptions)
BLOOMLINE_C_SETTER(scalableoptions, initial_capacity, uint64_t)
BLOOMLINE_C_SETTER(scalableoptions, false_positive_rate, double)
BLOOMLINE_C_SETTER(scalableoptions, growth, int)
BLOOMLINE_C_SETTER(scalableoptions, tightening, double)
BLOOMLINE_C_SETTER(scalableoptions, layout, int)
BLOOMLINE_C_SETTER(scalableoptions, seed, uint64_t)

BLOOMLINE_C_FILTER(scalable, scalableoptions, ScalableBloomFilter)
BLOOMLINE_C_SAVED(scalable, ScalableBloomFilter)
BLOOMLINE_C_ESTIMATES(scalable)
BLOOMLINE_C_FIGURE(scalable, size_t, num_stages, num_stages)
BLOOMLINE_C_FIGURE(scalable, uint8_t, is_past_capacity, IsPastCapacity)

BLOOMLINE_C_OPTIONS(countingoptions, bloomline::CountingBloomFilterOptions)
BLOOMLINE_C_SETTER(countingoptions, capacity, uint64_t)
BLOOMLINE_C_SETTER(countingoptions, false_positive_rate, double)
BLOOMLINE_C_SETTER(countingoptions, num_counters, uint64_t)
BLOOMLINE_C_SETTER(countingoptions, num_probes, int)
BLOOMLINE_C_SETTER(countingoptions, counter_bits, int)
BLOOMLINE_C_SETTER(countingoptions, seed, uint64_t)

BLOOMLINE_C_FILTER(counting, countingoptions, CountingBloomFilter)
BLOOMLINE_C_SAVED(counting, CountingBloomFilter)
BLOOMLINE_C_KEY(counting, uint8_t, remove_key, RemoveKey)
BLOOMLINE_C_KEYS(counting, remove_keys, RemoveKeys)
BLOOMLINE_C_QUERY(counting, uint32_t, estimated_count, EstimatedCount)
BLOOMLINE_C_COMBINE(counting, merge, Merge)
BLOOMLINE_C_EQUAL(counting)
BLOOMLINE_C_FIGURE(counting, uint64_t, num_counters, num_counters)
BLOOMLINE_C_FIGURE(counting, int, counter_bits, counter_bits)
BLOOMLINE_C_FIGURE(counting, int, num_probes, num_probes)
BLOOMLINE_C_FIGURE(counting, uint64_t, seed, seed)
BLOOMLINE_C_FIGURE(counting, uint32_t, max_count, max_count)
BLOOMLINE_C_FIGURE(counting, uint64_t, num_saturated_counters, num_saturated_counters)

bloomline_bloom_t* bloomline_counting_create_bloom(const bloomline_counting_t* counting,
                                                   char** errptr) {
  return MakeHandle<bloomline_bloom_t>(
      errptr, [=](std::string* error) { return counting->filter->ToBloomFilter(error); });
}

}  // extern "C"

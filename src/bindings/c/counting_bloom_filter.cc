// Counting filters, from which keys can be removed: include/bloomline/c.h.
#include "bloomline/counting_bloom_filter.h"

#include <new>
#include <string>

#include "bloomline/c.h"
#include "src/bindings/c/bloom_filter.h"
#include "src/bindings/c/convert.h"

using bloomline::CountingBloomFilter;
using bloomline::c::AnswerEachBatch;
using bloomline::c::Key;
using bloomline::c::LoadHandle;
using bloomline::c::MakeHandle;
using bloomline::c::MallocedBytes;
using bloomline::c::OrSetError;
using bloomline::c::SaveTo;

struct bloomline_countingoptions_t {
  bloomline::CountingBloomFilterOptions options;
};

struct bloomline_counting_t {
  std::unique_ptr<CountingBloomFilter> filter;
};

extern "C" {

bloomline_countingoptions_t* bloomline_countingoptions_create() {
  return new (std::nothrow) bloomline_countingoptions_t;
}

void bloomline_countingoptions_destroy(bloomline_countingoptions_t* options) { delete options; }

void bloomline_countingoptions_set_capacity(bloomline_countingoptions_t* options,
                                            uint64_t num_keys) {
  options->options.capacity = num_keys;
}

void bloomline_countingoptions_set_false_positive_rate(bloomline_countingoptions_t* options,
                                                       double rate) {
  options->options.false_positive_rate = rate;
}

void bloomline_countingoptions_set_num_counters(bloomline_countingoptions_t* options,
                                                uint64_t num_counters) {
  options->options.num_counters = num_counters;
}

void bloomline_countingoptions_set_num_probes(bloomline_countingoptions_t* options,
                                              int num_probes) {
  options->options.num_probes = num_probes;
}

void bloomline_countingoptions_set_counter_bits(bloomline_countingoptions_t* options,
                                                int counter_bits) {
  options->options.counter_bits = counter_bits;
}

void bloomline_countingoptions_set_seed(bloomline_countingoptions_t* options, uint64_t seed) {
  options->options.seed = seed;
}

bloomline_counting_t* bloomline_counting_create(const bloomline_countingoptions_t* options,
                                                char** errptr) {
  return MakeHandle<bloomline_counting_t>(errptr, [=](std::string* error) {
    return CountingBloomFilter::Create(options->options, error);
  });
}

bloomline_counting_t* bloomline_counting_load(const char* path, char** errptr) {
  return LoadHandle<bloomline_counting_t, CountingBloomFilter>(path, errptr);
}

uint8_t bloomline_counting_save(const bloomline_counting_t* counting, const char* path,
                                char** errptr) {
  return SaveTo(path, *counting->filter, errptr);
}

char* bloomline_counting_to_bytes(const bloomline_counting_t* counting, size_t* length,
                                  char** errptr) {
  return MallocedBytes(length, errptr, [=](std::string* bytes, std::string* error) {
    return counting->filter->ToBytes(bytes, error);
  });
}

bloomline_counting_t* bloomline_counting_from_bytes(const char* bytes, size_t length,
                                                    char** errptr) {
  return MakeHandle<bloomline_counting_t>(errptr, [=](std::string* error) {
    return CountingBloomFilter::FromBytes({bytes, length}, error);
  });
}

void bloomline_counting_destroy(bloomline_counting_t* counting) { delete counting; }

uint8_t bloomline_counting_add_key(bloomline_counting_t* counting, const char* key,
                                   size_t key_length) {
  return counting->filter->AddKey(Key(key, key_length));
}

uint8_t bloomline_counting_remove_key(bloomline_counting_t* counting, const char* key,
                                      size_t key_length) {
  return counting->filter->RemoveKey(Key(key, key_length));
}

uint8_t bloomline_counting_may_match(const bloomline_counting_t* counting, const char* key,
                                     size_t key_length) {
  return counting->filter->MayMatch(Key(key, key_length));
}

uint32_t bloomline_counting_estimated_count(const bloomline_counting_t* counting, const char* key,
                                            size_t key_length) {
  return counting->filter->EstimatedCount(Key(key, key_length));
}

size_t bloomline_counting_add_keys(bloomline_counting_t* counting, size_t num_keys,
                                   const char* const* keys, const size_t* key_lengths,
                                   uint8_t* answers) {
  size_t num_absent = 0;
  AnswerEachBatch(num_keys, keys, key_lengths, answers,
                  [&](size_t count, const std::string_view* batch, bool* was_absent) {
                    num_absent += counting->filter->AddKeys(count, batch, was_absent);
                  });
  return num_absent;
}

size_t bloomline_counting_remove_keys(bloomline_counting_t* counting, size_t num_keys,
                                      const char* const* keys, const size_t* key_lengths,
                                      uint8_t* answers) {
  size_t num_removed = 0;
  AnswerEachBatch(num_keys, keys, key_lengths, answers,
                  [&](size_t count, const std::string_view* batch, bool* removed) {
                    num_removed += counting->filter->RemoveKeys(count, batch, removed);
                  });
  return num_removed;
}

void bloomline_counting_may_match_keys(const bloomline_counting_t* counting, size_t num_keys,
                                       const char* const* keys, const size_t* key_lengths,
                                       uint8_t* may_match) {
  AnswerEachBatch(num_keys, keys, key_lengths, may_match,
                  [&](size_t count, const std::string_view* batch, bool* answers) {
                    counting->filter->MayMatch(count, batch, answers);
                  });
}

uint8_t bloomline_counting_merge(bloomline_counting_t* counting, const bloomline_counting_t* other,
                                 char** errptr) {
  return OrSetError(
      errptr, [=](std::string* error) { return counting->filter->Merge(*other->filter, error); });
}

bloomline_bloom_t* bloomline_counting_create_bloom(const bloomline_counting_t* counting,
                                                   char** errptr) {
  return MakeHandle<bloomline_bloom_t>(
      errptr, [=](std::string* error) { return counting->filter->ToBloomFilter(error); });
}

void bloomline_counting_clear(bloomline_counting_t* counting) { counting->filter->Clear(); }

uint8_t bloomline_counting_equal(const bloomline_counting_t* a, const bloomline_counting_t* b) {
  return *a->filter == *b->filter;
}

uint64_t bloomline_counting_num_counters(const bloomline_counting_t* counting) {
  return counting->filter->num_counters();
}

int bloomline_counting_counter_bits(const bloomline_counting_t* counting) {
  return counting->filter->counter_bits();
}

int bloomline_counting_num_probes(const bloomline_counting_t* counting) {
  return counting->filter->num_probes();
}

uint64_t bloomline_counting_seed(const bloomline_counting_t* counting) {
  return counting->filter->seed();
}

uint64_t bloomline_counting_capacity(const bloomline_counting_t* counting) {
  return counting->filter->capacity();
}

uint32_t bloomline_counting_max_count(const bloomline_counting_t* counting) {
  return counting->filter->max_count();
}

uint64_t bloomline_counting_num_keys(const bloomline_counting_t* counting) {
  return counting->filter->num_keys();
}

uint64_t bloomline_counting_num_saturated_counters(const bloomline_counting_t* counting) {
  return counting->filter->num_saturated_counters();
}

}  // extern "C"

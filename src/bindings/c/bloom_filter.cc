// Bloom filters in memory and mapped: include/bloomline/c.h.
#include "src/bindings/c/bloom_filter.h"

#include <new>
#include <string>

#include "bloomline/c.h"
#include "src/bindings/c/convert.h"

using bloomline::BloomFilter;
using bloomline::BloomLayout;
using bloomline::MappedBloomFilter;
using bloomline::c::AnswerEachBatch;
using bloomline::c::Key;
using bloomline::c::LoadHandle;
using bloomline::c::MakeHandle;
using bloomline::c::MallocedBytes;
using bloomline::c::OrSetError;
using bloomline::c::SaveTo;

static_assert(bloomline_bloom_blocked == static_cast<int>(BloomLayout::kBlocked));
static_assert(bloomline_bloom_standard == static_cast<int>(BloomLayout::kStandard));
static_assert(bloomline_bloom_blocked128 == static_cast<int>(BloomLayout::kBlocked128));
static_assert(bloomline_bloom_blocked64 == static_cast<int>(BloomLayout::kBlocked64));

extern "C" {

bloomline_bloomoptions_t* bloomline_bloomoptions_create() {
  return new (std::nothrow) bloomline_bloomoptions_t;
}

void bloomline_bloomoptions_destroy(bloomline_bloomoptions_t* options) { delete options; }

void bloomline_bloomoptions_set_capacity(bloomline_bloomoptions_t* options, uint64_t num_keys) {
  options->options.capacity = num_keys;
}

void bloomline_bloomoptions_set_false_positive_rate(bloomline_bloomoptions_t* options,
                                                    double rate) {
  options->options.false_positive_rate = rate;
}

void bloomline_bloomoptions_set_num_bits(bloomline_bloomoptions_t* options, uint64_t num_bits) {
  options->options.num_bits = num_bits;
}

void bloomline_bloomoptions_set_num_probes(bloomline_bloomoptions_t* options, int num_probes) {
  options->options.num_probes = num_probes;
}

void bloomline_bloomoptions_set_layout(bloomline_bloomoptions_t* options, int layout) {
  options->options.layout = BloomLayout{layout};
}

void bloomline_bloomoptions_set_seed(bloomline_bloomoptions_t* options, uint64_t seed) {
  options->options.seed = seed;
}

bloomline_bloom_t* bloomline_bloom_create(const bloomline_bloomoptions_t* options, char** errptr) {
  return MakeHandle<bloomline_bloom_t>(
      errptr, [=](std::string* error) { return BloomFilter::Create(options->options, error); });
}

bloomline_bloom_t* bloomline_bloom_copy(const bloomline_bloom_t* from, char** errptr) {
  return MakeHandle<bloomline_bloom_t>(
      errptr, [=](std::string* error) { return BloomFilter::Copy(from->view(), error); });
}

bloomline_bloom_t* bloomline_bloom_load(const char* path, char** errptr) {
  return LoadHandle<bloomline_bloom_t, BloomFilter>(path, errptr);
}

bloomline_bloom_t* bloomline_bloom_from_bytes(const char* bytes, size_t length, char** errptr) {
  return MakeHandle<bloomline_bloom_t>(errptr, [=](std::string* error) {
    return BloomFilter::FromBytes({bytes, length}, error);
  });
}

const bloomline_bloom_t* bloomline_bloom_open_mapped(const char* path, uint8_t verify_payload,
                                                     char** errptr) {
  return OrSetError(errptr, [=](std::string* error) -> const bloomline_bloom_t* {
    if (bloomline::support::IsNullText(path, "path", error)) return nullptr;
    std::unique_ptr<MappedBloomFilter> mapped = MappedBloomFilter::Open(
        path,
        verify_payload ? MappedBloomFilter::Verify::kPayload : MappedBloomFilter::Verify::kHeader,
        error);
    return mapped == nullptr ? nullptr : new bloomline_bloom_t{nullptr, std::move(mapped)};
  });
}

void bloomline_bloom_destroy(const bloomline_bloom_t* bloom) { delete bloom; }

uint8_t bloomline_bloom_add_key(bloomline_bloom_t* bloom, const char* key, size_t key_length) {
  return bloom->filter->AddKey(Key(key, key_length));
}

size_t bloomline_bloom_add_keys(bloomline_bloom_t* bloom, size_t num_keys, const char* const* keys,
                                const size_t* key_lengths, uint8_t* changed) {
  size_t num_changed = 0;
  AnswerEachBatch(num_keys, keys, key_lengths, changed,
                  [&](size_t count, const std::string_view* batch, bool* answers) {
                    num_changed += bloom->filter->AddKeys(count, batch, answers);
                  });
  return num_changed;
}

uint8_t bloomline_bloom_may_match(const bloomline_bloom_t* bloom, const char* key,
                                  size_t key_length) {
  return bloom->view().MayMatch(Key(key, key_length));
}

void bloomline_bloom_may_match_keys(const bloomline_bloom_t* bloom, size_t num_keys,
                                    const char* const* keys, const size_t* key_lengths,
                                    uint8_t* may_match) {
  AnswerEachBatch(num_keys, keys, key_lengths, may_match,
                  [&](size_t count, const std::string_view* batch, bool* answers) {
                    bloom->view().MayMatch(count, batch, answers);
                  });
}

uint64_t bloomline_bloom_hash_of(const bloomline_bloom_t* bloom, const char* key,
                                 size_t key_length) {
  return bloom->view().HashOf(Key(key, key_length));
}

uint8_t bloomline_bloom_add_hash(bloomline_bloom_t* bloom, uint64_t hash) {
  return bloom->filter->AddHash(hash);
}

uint8_t bloomline_bloom_may_match_hash(const bloomline_bloom_t* bloom, uint64_t hash) {
  return bloom->view().MayMatchHash(hash);
}

uint8_t bloomline_bloom_merge(bloomline_bloom_t* bloom, const bloomline_bloom_t* other,
                              char** errptr) {
  return OrSetError(errptr,
                    [=](std::string* error) { return bloom->filter->Merge(other->view(), error); });
}

uint8_t bloomline_bloom_intersect(bloomline_bloom_t* bloom, const bloomline_bloom_t* other,
                                  char** errptr) {
  return OrSetError(
      errptr, [=](std::string* error) { return bloom->filter->Intersect(other->view(), error); });
}

uint8_t bloomline_bloom_save(const bloomline_bloom_t* bloom, const char* path, char** errptr) {
  return SaveTo(path, bloom->view(), errptr);
}

char* bloomline_bloom_to_bytes(const bloomline_bloom_t* bloom, size_t* length, char** errptr) {
  return MallocedBytes(length, errptr, [=](std::string* bytes, std::string* error) {
    return bloom->view().ToBytes(bytes, error);
  });
}

void bloomline_bloom_clear(bloomline_bloom_t* bloom) { bloom->filter->Clear(); }

uint8_t bloomline_bloom_equal(const bloomline_bloom_t* a, const bloomline_bloom_t* b) {
  return a->view() == b->view();
}

int bloomline_bloom_layout(const bloomline_bloom_t* bloom) {
  return static_cast<int>(bloom->view().layout());
}

uint64_t bloomline_bloom_num_bits(const bloomline_bloom_t* bloom) {
  return bloom->view().num_bits();
}

int bloomline_bloom_num_probes(const bloomline_bloom_t* bloom) {
  return bloom->view().num_probes();
}

uint64_t bloomline_bloom_seed(const bloomline_bloom_t* bloom) { return bloom->view().seed(); }

uint64_t bloomline_bloom_capacity(const bloomline_bloom_t* bloom) {
  return bloom->view().capacity();
}

uint64_t bloomline_bloom_num_keys(const bloomline_bloom_t* bloom) {
  return bloom->view().num_keys();
}

uint8_t bloomline_bloom_is_past_capacity(const bloomline_bloom_t* bloom) {
  return bloom->view().IsPastCapacity();
}

uint64_t bloomline_bloom_estimated_num_keys(const bloomline_bloom_t* bloom) {
  return bloom->view().EstimatedNumKeys();
}

double bloomline_bloom_estimated_false_positive_rate(const bloomline_bloom_t* bloom) {
  return bloom->view().EstimatedFalsePositiveRate();
}

}  // extern "C"

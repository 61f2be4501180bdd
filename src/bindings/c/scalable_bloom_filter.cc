// Scalable Bloom filters: include/bloomline/c.h.
#include "bloomline/scalable_bloom_filter.h"

#include <memory>
#include <new>
#include <string>

#include "bloomline/c.h"
#include "src/bindings/c/convert.h"

using bloomline::BloomLayout;
using bloomline::ScalableBloomFilter;
using bloomline::c::AnswerEachBatch;
using bloomline::c::Key;
using bloomline::c::LoadHandle;
using bloomline::c::MakeHandle;
using bloomline::c::MallocedBytes;
using bloomline::c::SaveTo;

struct bloomline_scalableoptions_t {
  bloomline::ScalableBloomFilterOptions options;
};

struct bloomline_scalable_t {
  std::unique_ptr<ScalableBloomFilter> filter;
};

extern "C" {

bloomline_scalableoptions_t* bloomline_scalableoptions_create() {
  return new (std::nothrow) bloomline_scalableoptions_t;
}

void bloomline_scalableoptions_destroy(bloomline_scalableoptions_t* options) { delete options; }

void bloomline_scalableoptions_set_initial_capacity(bloomline_scalableoptions_t* options,
                                                    uint64_t num_keys) {
  options->options.initial_capacity = num_keys;
}

void bloomline_scalableoptions_set_false_positive_rate(bloomline_scalableoptions_t* options,
                                                       double rate) {
  options->options.false_positive_rate = rate;
}

void bloomline_scalableoptions_set_growth(bloomline_scalableoptions_t* options, int growth) {
  options->options.growth = growth;
}

void bloomline_scalableoptions_set_tightening(bloomline_scalableoptions_t* options,
                                              double tightening) {
  options->options.tightening = tightening;
}

void bloomline_scalableoptions_set_layout(bloomline_scalableoptions_t* options, int layout) {
  options->options.layout = BloomLayout{layout};
}

void bloomline_scalableoptions_set_seed(bloomline_scalableoptions_t* options, uint64_t seed) {
  options->options.seed = seed;
}

bloomline_scalable_t* bloomline_scalable_create(const bloomline_scalableoptions_t* options,
                                                char** errptr) {
  return MakeHandle<bloomline_scalable_t>(errptr, [=](std::string* error) {
    return ScalableBloomFilter::Create(options->options, error);
  });
}

bloomline_scalable_t* bloomline_scalable_load(const char* path, char** errptr) {
  return LoadHandle<bloomline_scalable_t, ScalableBloomFilter>(path, errptr);
}

bloomline_scalable_t* bloomline_scalable_from_bytes(const char* bytes, size_t length,
                                                    char** errptr) {
  return MakeHandle<bloomline_scalable_t>(errptr, [=](std::string* error) {
    return ScalableBloomFilter::FromBytes({bytes, length}, error);
  });
}

void bloomline_scalable_destroy(bloomline_scalable_t* scalable) { delete scalable; }

uint8_t bloomline_scalable_add_key(bloomline_scalable_t* scalable, const char* key,
                                   size_t key_length) {
  return scalable->filter->AddKey(Key(key, key_length));
}

size_t bloomline_scalable_add_keys(bloomline_scalable_t* scalable, size_t num_keys,
                                   const char* const* keys, const size_t* key_lengths,
                                   uint8_t* changed) {
  size_t num_added = 0;
  AnswerEachBatch(num_keys, keys, key_lengths, changed,
                  [&](size_t count, const std::string_view* batch, bool* answers) {
                    num_added += scalable->filter->AddKeys(count, batch, answers);
                  });
  return num_added;
}

uint8_t bloomline_scalable_may_match(const bloomline_scalable_t* scalable, const char* key,
                                     size_t key_length) {
  return scalable->filter->MayMatch(Key(key, key_length));
}

void bloomline_scalable_may_match_keys(const bloomline_scalable_t* scalable, size_t num_keys,
                                       const char* const* keys, const size_t* key_lengths,
                                       uint8_t* may_match) {
  AnswerEachBatch(num_keys, keys, key_lengths, may_match,
                  [&](size_t count, const std::string_view* batch, bool* answers) {
                    scalable->filter->MayMatch(count, batch, answers);
                  });
}

uint8_t bloomline_scalable_save(const bloomline_scalable_t* scalable, const char* path,
                                char** errptr) {
  return SaveTo(path, *scalable->filter, errptr);
}

char* bloomline_scalable_to_bytes(const bloomline_scalable_t* scalable, size_t* length,
                                  char** errptr) {
  return MallocedBytes(length, errptr, [=](std::string* bytes, std::string* error) {
    return scalable->filter->ToBytes(bytes, error);
  });
}

void bloomline_scalable_clear(bloomline_scalable_t* scalable) { scalable->filter->Clear(); }

size_t bloomline_scalable_num_stages(const bloomline_scalable_t* scalable) {
  return scalable->filter->num_stages();
}

uint64_t bloomline_scalable_num_bits(const bloomline_scalable_t* scalable) {
  return scalable->filter->num_bits();
}

uint64_t bloomline_scalable_capacity(const bloomline_scalable_t* scalable) {
  return scalable->filter->capacity();
}

uint64_t bloomline_scalable_num_keys(const bloomline_scalable_t* scalable) {
  return scalable->filter->num_keys();
}

uint64_t bloomline_scalable_estimated_num_keys(const bloomline_scalable_t* scalable) {
  return scalable->filter->EstimatedNumKeys();
}

double bloomline_scalable_estimated_false_positive_rate(const bloomline_scalable_t* scalable) {
  return scalable->filter->EstimatedFalsePositiveRate();
}

uint8_t bloomline_scalable_is_past_capacity(const bloomline_scalable_t* scalable) {
  return scalable->filter->IsPastCapacity();
}

}  // extern "C"

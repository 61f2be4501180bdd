// Bloom filters that many threads change at once: include/bloomline/c.h.
#include "bloomline/atomic_bloom_filter.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "bloomline/c.h"
#include "src/bindings/c/bloom_filter.h"
#include "src/bindings/c/convert.h"

using bloomline::AtomicBloomFilter;
using bloomline::c::AnswerEachBatch;
using bloomline::c::Key;
using bloomline::c::MakeHandle;

struct bloomline_atomic_t {
  std::unique_ptr<AtomicBloomFilter> filter;
};

namespace {

// Turns *from into a new handle, and deletes it. Without memory for both it stays as it is.
template <typename To, typename From, typename Turn>
To* TurnInto(From* from, Turn turn) {
  std::unique_ptr<To> to(new (std::nothrow) To{nullptr});
  if (to == nullptr) return nullptr;
  to->filter = turn(std::move(from->filter));
  if (to->filter == nullptr) return nullptr;
  delete from;
  return to.release();
}

}  // namespace

extern "C" {

bloomline_atomic_t* bloomline_atomic_create(const bloomline_bloomoptions_t* options,
                                            char** errptr) {
  return MakeHandle<bloomline_atomic_t>(errptr, [=](std::string* error) {
    return AtomicBloomFilter::Create(options->options, error);
  });
}

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

void bloomline_atomic_destroy(bloomline_atomic_t* atomic) { delete atomic; }

uint8_t bloomline_atomic_add_key(bloomline_atomic_t* atomic, const char* key, size_t key_length) {
  return atomic->filter->AddKey(Key(key, key_length));
}

size_t bloomline_atomic_add_keys(bloomline_atomic_t* atomic, size_t num_keys,
                                 const char* const* keys, const size_t* key_lengths,
                                 uint8_t* changed) {
  size_t num_changed = 0;
  AnswerEachBatch(num_keys, keys, key_lengths, changed,
                  [&](size_t count, const std::string_view* batch, bool* answers) {
                    num_changed += atomic->filter->AddKeys(count, batch, answers);
                  });
  return num_changed;
}

uint8_t bloomline_atomic_may_match(const bloomline_atomic_t* atomic, const char* key,
                                   size_t key_length) {
  return atomic->filter->MayMatch(Key(key, key_length));
}

void bloomline_atomic_may_match_keys(const bloomline_atomic_t* atomic, size_t num_keys,
                                     const char* const* keys, const size_t* key_lengths,
                                     uint8_t* may_match) {
  AnswerEachBatch(num_keys, keys, key_lengths, may_match,
                  [&](size_t count, const std::string_view* batch, bool* answers) {
                    atomic->filter->MayMatch(count, batch, answers);
                  });
}

uint64_t bloomline_atomic_hash_of(const bloomline_atomic_t* atomic, const char* key,
                                  size_t key_length) {
  return atomic->filter->HashOf(Key(key, key_length));
}

uint8_t bloomline_atomic_add_hash(bloomline_atomic_t* atomic, uint64_t hash) {
  return atomic->filter->AddHash(hash);
}

uint8_t bloomline_atomic_may_match_hash(const bloomline_atomic_t* atomic, uint64_t hash) {
  return atomic->filter->MayMatchHash(hash);
}

int bloomline_atomic_layout(const bloomline_atomic_t* atomic) {
  return static_cast<int>(atomic->filter->layout());
}

uint64_t bloomline_atomic_num_bits(const bloomline_atomic_t* atomic) {
  return atomic->filter->num_bits();
}

int bloomline_atomic_num_probes(const bloomline_atomic_t* atomic) {
  return atomic->filter->num_probes();
}

uint64_t bloomline_atomic_seed(const bloomline_atomic_t* atomic) { return atomic->filter->seed(); }

uint64_t bloomline_atomic_capacity(const bloomline_atomic_t* atomic) {
  return atomic->filter->capacity();
}

uint64_t bloomline_atomic_estimated_num_keys(const bloomline_atomic_t* atomic) {
  return atomic->filter->EstimatedNumKeys();
}

double bloomline_atomic_estimated_false_positive_rate(const bloomline_atomic_t* atomic) {
  return atomic->filter->EstimatedFalsePositiveRate();
}

}  // extern "C"

// Filters on Redis: include/bloomline/c_redis.h.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/c_redis.h"
#include "bloomline/redis_bloom_filter.h"
#include "bloomline/version.h"
#include "src/bindings/c/redis_options.h"
#include "src/support/c_error.h"

using bloomline::AddOptions;
using bloomline::AddResult;
using bloomline::Answer;
using bloomline::SharedBloomFilter;
using bloomline::support::IsNullText;
using bloomline::support::OrSetError;

struct bloomline_shared_t {
  std::unique_ptr<SharedBloomFilter> filter;
  std::string error;  // of the last call, which may be several of the filter
};

static_assert(bloomline_shared_new == static_cast<int>(AddResult::kNew));
static_assert(bloomline_shared_present == static_cast<int>(AddResult::kPresent));
static_assert(bloomline_shared_unknown == static_cast<int>(AddResult::kUnknown));
static_assert(bloomline_shared_failed == static_cast<int>(AddResult::kFailed));
static_assert(bloomline_shared_no == static_cast<int>(Answer::kNo));
static_assert(bloomline_shared_maybe == static_cast<int>(Answer::kMaybe));
static_assert(bloomline_shared_unavailable == static_cast<int>(Answer::kError));

namespace {

// As many as share one wait for replicas; the arrays are on the stack.
constexpr size_t kBatchKeys = 4096;

// The first error of a call stays.
void KeepError(bloomline_shared_t* shared) {
  if (!shared->error.empty() || shared->filter->error().empty()) return;
  bloomline::support::SetError(shared->filter->error(), &shared->error);
}

// Calls f(count, keys, values) for all keys in batches and stores the values, unless `to` is null.
// False if f returned false for a batch.
template <typename Value, typename F>
bool InBatches(bloomline_shared_t* shared, size_t num_keys, const char* const* keys,
               const size_t* key_lengths, int* to, F f) {
  shared->error.clear();
  bool succeeded = true;
  std::string_view batch[kBatchKeys];
  Value values[kBatchKeys];
  for (size_t start = 0; start < num_keys; start += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, num_keys - start);
    for (size_t i = 0; i < count; ++i) batch[i] = {keys[start + i], key_lengths[start + i]};
    succeeded &= f(count, batch, values);
    KeepError(shared);
    for (size_t i = 0; to != nullptr && i < count; ++i) to[start + i] = static_cast<int>(values[i]);
  }
  return succeeded;
}

template <typename Make>
bloomline_shared_t* MakeHandle(char** errptr, Make make) {
  return OrSetError(errptr, [&](std::string* error) -> bloomline_shared_t* {
    std::unique_ptr<SharedBloomFilter> filter = make(error);
    return filter == nullptr ? nullptr : new bloomline_shared_t{std::move(filter), {}};
  });
}

AddOptions OrDefault(const bloomline_addoptions_t* options) {
  return options == nullptr ? AddOptions() : options->options;
}

}  // namespace

extern "C" {

bloomline_shared_t* bloomline_shared_create(const bloomline_redisservers_t* servers,
                                            const char* name,
                                            const bloomline_sharedoptions_t* options,
                                            char** errptr) {
  return MakeHandle(errptr, [=](std::string* error) {
    return IsNullText(name, "name", error)
               ? nullptr
               : SharedBloomFilter::Create(servers->servers, name, options->options, error);
  });
}

bloomline_shared_t* bloomline_shared_open(const bloomline_redisservers_t* servers, const char* name,
                                          char** errptr) {
  return MakeHandle(errptr, [=](std::string* error) {
    return IsNullText(name, "name", error) ? nullptr
                                           : SharedBloomFilter::Open(servers->servers, name, error);
  });
}

uint8_t bloomline_shared_delete(const bloomline_redisservers_t* servers, const char* name,
                                char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return !IsNullText(name, "name", error) &&
           SharedBloomFilter::Delete(servers->servers, name, error);
  });
}

void bloomline_shared_destroy(bloomline_shared_t* shared) { delete shared; }

int bloomline_shared_add_key(bloomline_shared_t* shared, const char* key, size_t key_length,
                             const bloomline_addoptions_t* options) {
  shared->error.clear();
  const AddResult result = shared->filter->AddKey({key, key_length}, OrDefault(options));
  KeepError(shared);
  return static_cast<int>(result);
}

uint8_t bloomline_shared_add_keys(bloomline_shared_t* shared, size_t num_keys,
                                  const char* const* keys, const size_t* key_lengths,
                                  const bloomline_addoptions_t* options, int* results) {
  const AddOptions add_options = OrDefault(options);
  return InBatches<AddResult>(shared, num_keys, keys, key_lengths, results,
                              [&](size_t count, const std::string_view* batch, AddResult* values) {
                                return shared->filter->AddKeys(count, batch, values, add_options);
                              });
}

int bloomline_shared_may_match(bloomline_shared_t* shared, const char* key, size_t key_length) {
  shared->error.clear();
  const Answer answer = shared->filter->MayMatch({key, key_length});
  KeepError(shared);
  return static_cast<int>(answer);
}

uint8_t bloomline_shared_may_match_keys(bloomline_shared_t* shared, size_t num_keys,
                                        const char* const* keys, const size_t* key_lengths,
                                        int* answers) {
  return InBatches<Answer>(shared, num_keys, keys, key_lengths, answers,
                           [&](size_t count, const std::string_view* batch, Answer* values) {
                             return shared->filter->MayMatch(count, batch, values);
                           });
}

const char* bloomline_shared_error(const bloomline_shared_t* shared) {
  return shared->error.empty() ? nullptr : shared->error.c_str();
}

const char* bloomline_shared_name(const bloomline_shared_t* shared) {
  return shared->filter->name().c_str();
}

uint64_t bloomline_shared_capacity(const bloomline_shared_t* shared) {
  return shared->filter->capacity();
}

double bloomline_shared_false_positive_rate(const bloomline_shared_t* shared) {
  return shared->filter->false_positive_rate();
}

uint64_t bloomline_shared_num_bytes(const bloomline_shared_t* shared) {
  return shared->filter->num_bytes();
}

uint32_t bloomline_shared_num_shards(const bloomline_shared_t* shared) {
  return shared->filter->num_shards();
}

int bloomline_shared_num_probes(const bloomline_shared_t* shared) {
  return shared->filter->num_probes();
}

void bloomline_redis_free(void* memory) { std::free(memory); }

const char* bloomline_redis_version() { return BLOOMLINE_VERSION_STRING; }

}  // extern "C"

// Filters on Redis: include/bloomline/c_redis.h.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/c_redis.h"
#include "bloomline/redis_bloom_filter.h"
#include "bloomline/version.h"
#include "src/bindings/c/convert.h"
#include "src/support/c_error.h"
#include "src/support/set_error.h"

using bloomline::AddOptions;
using bloomline::AddResult;
using bloomline::Answer;
using bloomline::SharedBloomFilter;
using bloomline::WhenUnavailable;
using bloomline::support::IsNullText;
using bloomline::support::OrIfItThrows;
using bloomline::support::OrSetError;

struct bloomline_shared_t : bloomline::c::Handle<SharedBloomFilter> {
  std::string error = {};  // of the last C call, which may make several calls of the filter
};

static_assert(bloomline_unavailable_may_match == static_cast<int>(WhenUnavailable::kMayMatch));
static_assert(bloomline_unavailable_error == static_cast<int>(WhenUnavailable::kError));
static_assert(bloomline_shared_new == static_cast<int>(AddResult::kNew));
static_assert(bloomline_shared_present == static_cast<int>(AddResult::kPresent));
static_assert(bloomline_shared_unknown == static_cast<int>(AddResult::kUnknown));
static_assert(bloomline_shared_failed == static_cast<int>(AddResult::kFailed));
static_assert(bloomline_shared_no == static_cast<int>(Answer::kNo));
static_assert(bloomline_shared_maybe == static_cast<int>(Answer::kMaybe));
static_assert(bloomline_shared_unavailable == static_cast<int>(Answer::kError));

namespace {

// Calls f, a function of the filter, for batches of the keys that share one wait for replicas.
// Returns false if a batch failed, and keeps the first error. If f throws, memory has run out, but
// the filter has filled all answers.
template <typename Answer, typename F>
bool InBatches(bloomline_shared_t* shared, size_t num_keys, const char* const* keys,
               const size_t* key_lengths, int* to, F f) {
  shared->error.clear();
  bool succeeded = true;
  bloomline::c::AnswerEachBatch<Answer, 4096>(
      num_keys, keys, key_lengths, to,
      [&](size_t count, const std::string_view* batch, Answer* answers) {
        const bool has_all = OrIfItThrows(false, [&] {
          const bool returned = f(count, batch, answers);
          if (shared->error.empty()) shared->error = shared->filter->error();
          return returned;
        });
        if (!has_all && shared->error.empty()) shared->error = bloomline::support::kOutOfMemory;
        succeeded &= has_all;
      });
  return succeeded;
}

}  // namespace

// A null text stands for the default.
#define BLOOMLINE_C_TEXT_SETTER(TEXT, FIELD)                                   \
  uint8_t bloomline_redisservers_set_##TEXT(bloomline_redisservers_t* servers, \
                                            const char* value) {               \
    return OrIfItThrows(false, [=] {                                           \
      servers->options.FIELD = value == nullptr ? "" : value;                  \
      return true;                                                             \
    });                                                                        \
  }

extern "C" {

BLOOMLINE_C_OPTIONS(redisservers, bloomline::RedisServers)
BLOOMLINE_C_TEXT_SETTER(username, username)
BLOOMLINE_C_TEXT_SETTER(password, password)
BLOOMLINE_C_TEXT_SETTER(tls_ca_file, tls.ca_file)
BLOOMLINE_C_TEXT_SETTER(tls_ca_path, tls.ca_path)
BLOOMLINE_C_TEXT_SETTER(tls_certificate_file, tls.certificate_file)
BLOOMLINE_C_TEXT_SETTER(tls_key_file, tls.key_file)
BLOOMLINE_C_TEXT_SETTER(tls_server_name, tls.server_name)
BLOOMLINE_C_SETTER(redisservers, database, int)
BLOOMLINE_C_SETTER(redisservers, connect_timeout_ms, int)
BLOOMLINE_C_SETTER(redisservers, command_timeout_ms, int)
BLOOMLINE_C_SETTER(redisservers, max_retries, int)
BLOOMLINE_C_SETTER(redisservers, when_unavailable, int)

void bloomline_redisservers_set_tls_verify(bloomline_redisservers_t* servers, uint8_t verify) {
  servers->options.tls.verify = verify != 0;
}

uint8_t bloomline_redisservers_set_servers(bloomline_redisservers_t* servers, size_t num_servers,
                                           const char* const* addresses) {
  return OrIfItThrows(false, [=] {
    if (std::find(addresses, addresses + num_servers, nullptr) != addresses + num_servers) {
      return false;
    }
    std::vector<std::string> copies(addresses, addresses + num_servers);
    servers->options.servers = std::move(copies);
    return true;
  });
}

BLOOMLINE_C_OPTIONS(sharedoptions, bloomline::SharedBloomFilterOptions)
BLOOMLINE_C_SETTER(sharedoptions, capacity, uint64_t)
BLOOMLINE_C_SETTER(sharedoptions, false_positive_rate, double)
BLOOMLINE_C_SETTER(sharedoptions, seed, uint64_t)
BLOOMLINE_C_SETTER(sharedoptions, shard_bytes, uint64_t)

BLOOMLINE_C_OPTIONS(addoptions, AddOptions)
BLOOMLINE_C_SETTER(addoptions, min_replicas, int)
BLOOMLINE_C_SETTER(addoptions, replica_timeout_ms, int)

bloomline_shared_t* bloomline_shared_create(const bloomline_redisservers_t* servers,
                                            const char* name,
                                            const bloomline_sharedoptions_t* options,
                                            char** errptr) {
  return bloomline::c::MakeHandle<bloomline_shared_t>(errptr, [=](std::string* error) {
    return IsNullText(name, "name", error)
               ? nullptr
               : SharedBloomFilter::Create(servers->options, name, options->options, error);
  });
}

bloomline_shared_t* bloomline_shared_open(const bloomline_redisservers_t* servers, const char* name,
                                          char** errptr) {
  return bloomline::c::MakeHandle<bloomline_shared_t>(errptr, [=](std::string* error) {
    return IsNullText(name, "name", error) ? nullptr
                                           : SharedBloomFilter::Open(servers->options, name, error);
  });
}

uint8_t bloomline_shared_delete(const bloomline_redisservers_t* servers, const char* name,
                                char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return !IsNullText(name, "name", error) &&
           SharedBloomFilter::Delete(servers->options, name, error);
  });
}

void bloomline_shared_destroy(bloomline_shared_t* shared) { delete shared; }

int bloomline_shared_add_key(bloomline_shared_t* shared, const char* key, size_t key_length,
                             const bloomline_addoptions_t* options) {
  int result = bloomline_shared_failed;
  bloomline_shared_add_keys(shared, 1, &key, &key_length, options, &result);
  return result;
}

uint8_t bloomline_shared_add_keys(bloomline_shared_t* shared, size_t num_keys,
                                  const char* const* keys, const size_t* key_lengths,
                                  const bloomline_addoptions_t* options, int* results) {
  const AddOptions add_options = options == nullptr ? AddOptions() : options->options;
  return InBatches<AddResult>(shared, num_keys, keys, key_lengths, results,
                              [&](size_t count, const std::string_view* batch, AddResult* values) {
                                return shared->filter->AddKeys(count, batch, values, add_options);
                              });
}

int bloomline_shared_may_match(bloomline_shared_t* shared, const char* key, size_t key_length) {
  int answer = bloomline_shared_maybe;
  bloomline_shared_may_match_keys(shared, 1, &key, &key_length, &answer);
  return answer;
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

BLOOMLINE_C_FIGURE(shared, uint64_t, capacity, capacity)
BLOOMLINE_C_FIGURE(shared, double, false_positive_rate, false_positive_rate)
BLOOMLINE_C_FIGURE(shared, uint64_t, num_bytes, num_bytes)
BLOOMLINE_C_FIGURE(shared, uint32_t, num_shards, num_shards)
BLOOMLINE_C_FIGURE(shared, int, num_probes, num_probes)

void bloomline_redis_free(void* memory) { std::free(memory); }

const char* bloomline_redis_version() { return BLOOMLINE_VERSION_STRING; }

}  // extern "C"

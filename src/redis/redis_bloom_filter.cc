#include "bloomline/redis_bloom_filter.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/lifecycle.h"
#include "src/redis/router.h"
#include "src/support/set_error.h"

namespace bloomline {

namespace {

// Checks the name and connects.
std::unique_ptr<redis::Router> ConnectFor(const RedisServers& servers, const std::string& name,
                                          std::string* error) {
  *error = redis::ValidateName(name);
  return error->empty() ? redis::Router::Connect(servers, error) : nullptr;
}

}  // namespace

struct SharedBloomFilter::State {
  // Connects, and makes a client of the filter that find(router) gives.
  template <typename Find>
  static std::unique_ptr<SharedBloomFilter> MakeClient(const RedisServers& servers,
                                                       const std::string& name, std::string* error,
                                                       Find find) {
    std::unique_ptr<redis::Router> router = ConnectFor(servers, name, error);
    if (router == nullptr) return nullptr;
    std::optional<redis::Filter> filter = find(router.get());
    if (!filter) return nullptr;
    std::unique_ptr<State> state(new State{std::move(*filter), std::move(router)});
    if (servers.when_unavailable == WhenUnavailable::kError) state->unavailable = Answer::kError;
    return std::unique_ptr<SharedBloomFilter>(new SharedBloomFilter(std::move(state)));
  }

  redis::Filter filter;
  std::unique_ptr<redis::Router> router;
  Answer unavailable = Answer::kMaybe;
  int filter_replicas = 0;  // replicas that have confirmed the filter, without its keys
  std::string error = {};
};

SharedBloomFilter::SharedBloomFilter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SharedBloomFilter::~SharedBloomFilter() = default;

std::unique_ptr<SharedBloomFilter> SharedBloomFilter::Create(
    const RedisServers& servers, const std::string& name, const SharedBloomFilterOptions& options,
    std::string* error) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<SharedBloomFilter> {
    *reason = options.Validate();
    if (!reason->empty()) return nullptr;
    return State::MakeClient(servers, name, reason, [&](redis::Router* router) {
      return redis::CreateFilter(router, name, redis::PlanLayout(options), reason);
    });
  });
}

std::unique_ptr<SharedBloomFilter> SharedBloomFilter::Open(const RedisServers& servers,
                                                           const std::string& name,
                                                           std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    return State::MakeClient(servers, name, reason, [&](redis::Router* router) {
      return redis::OpenFilter(router, name, reason);
    });
  });
}

bool SharedBloomFilter::Delete(const RedisServers& servers, const std::string& name,
                               std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    const std::unique_ptr<redis::Router> router = ConnectFor(servers, name, reason);
    return router != nullptr && redis::DeleteFilter(router.get(), name, reason);
  });
}

AddResult SharedBloomFilter::AddKey(std::string_view key, const AddOptions& options) {
  AddResult result = AddResult::kFailed;
  AddKeys(1, &key, &result, options);
  return result;
}

void SharedBloomFilter::BeginCall() {
  state_->error.clear();
  state_->router->BeginCall();
}

bool SharedBloomFilter::AddGroup(size_t n, const std::string_view* keys, AddResult* results,
                                 const AddOptions& options) {
  if (results != nullptr) std::fill(results, results + n, AddResult::kFailed);
  if (support::IsRefused(options.Validate(), &state_->error)) return false;
  const redis::Filter& filter = state_->filter;
  redis::Router* const router = state_->router.get();
  if (n > 0 && options.min_replicas > state_->filter_replicas) {
    if (!redis::ConfirmFilter(router, filter, options, &state_->error)) return false;
    state_->filter_replicas = options.min_replicas;
  }
  bool ok = true;
  for (size_t first = 0; first < n; first += redis::kWindowKeys) {
    redis::AddBatch batch(filter, std::min(n - first, redis::kWindowKeys), keys + first,
                          options.min_replicas > 0);
    router->Run(batch.commands(), options);
    std::set<uint32_t> lost;
    ok &= batch.ReadReplies(results == nullptr ? nullptr : results + first, &lost, &state_->error);
    if (!lost.empty()) redis::RemoveRemnants(router, filter, lost);
  }
  return ok;
}

Answer SharedBloomFilter::MayMatch(std::string_view key) {
  Answer answer = state_->unavailable;
  MayMatch(1, &key, &answer);
  return answer;
}

bool SharedBloomFilter::QueryGroup(size_t n, const std::string_view* keys, Answer* answers) {
  std::fill(answers, answers + n, state_->unavailable);
  bool ok = true;
  for (size_t first = 0; first < n; first += redis::kWindowKeys) {
    redis::QueryBatch batch(state_->filter, std::min(n - first, redis::kWindowKeys), keys + first);
    state_->router->Run(batch.commands());
    ok &= batch.ReadReplies(answers + first, &state_->error);
  }
  return ok;
}

const std::string& SharedBloomFilter::error() const { return state_->error; }
const std::string& SharedBloomFilter::name() const { return state_->filter.name; }
uint64_t SharedBloomFilter::capacity() const { return state_->filter.layout.capacity; }
double SharedBloomFilter::false_positive_rate() const {
  return state_->filter.layout.false_positive_rate;
}
uint64_t SharedBloomFilter::num_bytes() const {
  return state_->filter.layout.shard_bytes() * state_->filter.layout.num_shards;
}
uint32_t SharedBloomFilter::num_shards() const { return state_->filter.layout.num_shards; }
int SharedBloomFilter::num_probes() const { return state_->filter.layout.num_probes; }

}  // namespace bloomline

#include "bloomline/redis_bloom_filter.h"

#include <algorithm>
#include <utility>

#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/lifecycle.h"
#include "src/redis/router.h"
#include "src/support/set_error.h"

namespace bloomline {

struct SharedBloomFilter::State {
  std::string name;
  redis::Layout layout;
  std::vector<redis::Shard> shards;
  std::unique_ptr<redis::Router> router;
  Answer unavailable = Answer::kMaybe;
  int filter_replicas = 0;  // replicas that have confirmed the filter, without its keys
  std::string error;
  std::string first_error;  // of the groups of a container

  static std::unique_ptr<SharedBloomFilter> Make(const RedisServers& servers,
                                                 const std::string& name,
                                                 const redis::Layout& layout,
                                                 std::unique_ptr<redis::Router> router);
  bool ConfirmFilter(const AddOptions& options);
  void AddWindow(size_t n, const std::string_view* keys, const AddOptions& options,
                 AddResult* results, bool* ok);
  void QueryWindow(size_t n, const std::string_view* keys, Answer* answers, bool* ok);
  // Returns f(). If it throws, drops the connections: later commands must not read replies to
  // earlier ones.
  template <typename F>
  bool OrReset(F f) {
    try {
      return f();
    } catch (...) {
      router->Reset();
      throw;
    }
  }
};

namespace {

// Checks the name and connects.
std::unique_ptr<redis::Router> ConnectFor(const RedisServers& servers, const std::string& name,
                                          std::string* error) {
  *error = redis::ValidateName(name);
  return error->empty() ? redis::Router::Connect(servers, error) : nullptr;
}

}  // namespace

std::unique_ptr<SharedBloomFilter> SharedBloomFilter::State::Make(
    const RedisServers& servers, const std::string& name, const redis::Layout& layout,
    std::unique_ptr<redis::Router> router) {
  auto state = std::make_unique<State>();
  state->name = name;
  state->layout = layout;
  state->shards = redis::ShardsOf(name, layout);
  state->router = std::move(router);
  if (servers.when_unavailable == WhenUnavailable::kError) state->unavailable = Answer::kError;
  return std::unique_ptr<SharedBloomFilter>(new SharedBloomFilter(std::move(state)));
}

bool SharedBloomFilter::State::ConfirmFilter(const AddOptions& options) {
  if (options.min_replicas <= filter_replicas) return true;
  if (!redis::ConfirmFilter(router.get(), name, layout, shards, options, &error)) return false;
  filter_replicas = options.min_replicas;
  return true;
}

void SharedBloomFilter::State::AddWindow(size_t n, const std::string_view* keys,
                                         const AddOptions& options, AddResult* results, bool* ok) {
  redis::AddBatch batch(layout, shards, n, keys, options.min_replicas > 0, results, &error);
  router->Run(batch.size(), &batch, options);
  *ok = *ok && !batch.failed();
  if (batch.lost_shards().empty()) return;
  redis::RemoveRemnants(router.get(), layout, shards, batch.lost_shards());
}

void SharedBloomFilter::State::QueryWindow(size_t n, const std::string_view* keys, Answer* answers,
                                           bool* ok) {
  redis::QueryBatch batch(layout, shards, n, keys, unavailable, answers, &error);
  router->Run(n, &batch);
  *ok = *ok && !batch.failed();
}

SharedBloomFilter::SharedBloomFilter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SharedBloomFilter::~SharedBloomFilter() = default;

std::unique_ptr<SharedBloomFilter> SharedBloomFilter::Create(
    const RedisServers& servers, const std::string& name, const SharedBloomFilterOptions& options,
    std::string* error) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<SharedBloomFilter> {
    *reason = options.Validate();
    if (!reason->empty()) return nullptr;
    redis::Layout layout = redis::PlanLayout(options);
    std::unique_ptr<redis::Router> router = ConnectFor(servers, name, reason);
    if (router == nullptr) return nullptr;
    if (!redis::CreateFilter(router.get(), name, &layout, reason)) return nullptr;
    return State::Make(servers, name, layout, std::move(router));
  });
}

std::unique_ptr<SharedBloomFilter> SharedBloomFilter::Open(const RedisServers& servers,
                                                           const std::string& name,
                                                           std::string* error) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<SharedBloomFilter> {
    std::unique_ptr<redis::Router> router = ConnectFor(servers, name, reason);
    if (router == nullptr) return nullptr;
    redis::Layout layout;
    if (!redis::OpenFilter(router.get(), name, &layout, reason)) return nullptr;
    return State::Make(servers, name, layout, std::move(router));
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

bool SharedBloomFilter::AddKeys(size_t n, const std::string_view* keys, AddResult* results,
                                const AddOptions& options) {
  if (results != nullptr) std::fill(results, results + n, AddResult::kFailed);
  state_->error = options.Validate();
  if (!state_->error.empty()) return false;
  return state_->OrReset([&] {
    if (n > 0 && !state_->ConfirmFilter(options)) return false;
    bool ok = true;
    for (size_t done = 0; done < n; done += std::min(n - done, redis::kWindowKeys)) {
      state_->AddWindow(std::min(n - done, redis::kWindowKeys), keys + done, options,
                        results == nullptr ? nullptr : results + done, &ok);
    }
    return ok;
  });
}

Answer SharedBloomFilter::MayMatch(std::string_view key) {
  Answer answer = state_->unavailable;
  MayMatch(1, &key, &answer);
  return answer;
}

bool SharedBloomFilter::MayMatch(size_t n, const std::string_view* keys, Answer* answers) {
  std::fill(answers, answers + n, state_->unavailable);
  state_->error.clear();
  return state_->OrReset([&] {
    bool ok = true;
    for (size_t done = 0; done < n; done += std::min(n - done, redis::kWindowKeys)) {
      state_->QueryWindow(std::min(n - done, redis::kWindowKeys), keys + done, answers + done, &ok);
    }
    return ok;
  });
}

void SharedBloomFilter::StartGroups() { state_->first_error.clear(); }

void SharedBloomFilter::EndGroup() {
  if (state_->first_error.empty()) state_->first_error.swap(state_->error);
}

void SharedBloomFilter::EndGroups() { state_->error.swap(state_->first_error); }

const std::string& SharedBloomFilter::error() const { return state_->error; }
const std::string& SharedBloomFilter::name() const { return state_->name; }
uint64_t SharedBloomFilter::capacity() const { return state_->layout.capacity; }
double SharedBloomFilter::false_positive_rate() const { return state_->layout.false_positive_rate; }
uint64_t SharedBloomFilter::num_bytes() const {
  return state_->layout.shard_bytes() * state_->layout.num_shards;
}
uint32_t SharedBloomFilter::num_shards() const { return state_->layout.num_shards; }
int SharedBloomFilter::num_probes() const { return state_->layout.num_probes; }

}  // namespace bloomline

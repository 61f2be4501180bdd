// A Bloom filter on a Redis server or a Redis Cluster, shared by processes and machines.
//
//   redis.servers = {"10.0.0.5:6379"};
//   options.capacity = 1000000;
//   auto filter = bloomline::SharedBloomFilter::Create(redis, "seen-urls", options, &error);
//   if (filter->AddKey("apple") == bloomline::AddResult::kNew) { /* it is new */ }
//   if (filter->MayMatch("pear") == bloomline::Answer::kNo) { /* certainly never added */ }
//
// docs/redis.md explains what a Redis server can lose. Link bloomline::redis.
//
// Errors: Validate returns "" or an error message. On failure, *error is set to one (`error` may be
// null). If a call throws std::bad_alloc, its remaining keys are kFailed or unavailable. hiredis
// 0.14 ends the process if it has no memory to connect.
#ifndef BLOOMLINE_REDIS_BLOOM_FILTER_H_
#define BLOOMLINE_REDIS_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/keys.h"

namespace bloomline {

// Result of a query that Redis did not answer.
enum class WhenUnavailable {
  kMayMatch,  // Answer::kMaybe, which is never wrong
  kError,     // Answer::kError
};

// TLS for rediss:// addresses. Files are PEM and are read when a connection is opened.
struct RedisTls {
  // Trusted authorities: a file, a folder prepared by `openssl rehash`. Both empty: the system's.
  std::string ca_file;
  std::string ca_path;

  // The client's certificate with its chain, and its unencrypted key: both or neither.
  std::string certificate_file;
  std::string key_file;

  // Name or IP address in the server's certificate and for SNI. Empty: the server's host.
  std::string server_name;

  // If false, any certificate is accepted: anyone in between can read and change everything.
  bool verify = true;
};

// How to reach Redis, version 4.0 or later.
struct RedisServers {
  // One server, or some nodes of one cluster: host:port, or URLs (redis://, rediss:// with TLS,
  // unix://; docs/redis.md).
  std::vector<std::string> servers = {"127.0.0.1:6379"};

  // For AUTH and SELECT. If an address names others, they override these for all servers. Error
  // messages quote neither user nor password; a server's replies may name the user.
  std::string username;
  std::string password;
  int database = 0;  // 0 to 2147483647; a cluster has 0 only

  RedisTls tls;

  // 1 to 600000. A command times out if the server neither accepts nor sends a byte that long.
  int connect_timeout_ms = 1000;
  int command_timeout_ms = 1000;

  // Attempts after the first one, 0 to 100. A server that fails every attempt is skipped until the
  // next call. A call waits up to about (1 + max_retries) * (connect_timeout_ms +
  // command_timeout_ms) for each server.
  int max_retries = 2;

  WhenUnavailable when_unavailable = WhenUnavailable::kMayMatch;

  std::string Validate() const;
};

struct SharedBloomFilterOptions {
  // Distinct keys, 1 to 1e12. More keys raise the false-positive rate.
  uint64_t capacity = 0;

  // Fraction of missing keys that match at capacity: 1e-6 to 0.5.
  double false_positive_rate = 0.01;

  // Seed of the 64-bit hash (seed.h), stored on Redis.
  uint64_t seed = 0;

  // Maximum bytes of a shard, 4096 to 67108864; a filter has up to 65536 shards. Small ones spread
  // better over a cluster; large ones make AddKeys cheaper, but creating them blocks the server.
  uint64_t shard_bytes = 16 << 20;

  std::string Validate() const;
};

enum class AddResult {
  kNew,      // the key was not there. If several clients add one key at once, one gets kNew
  kPresent,  // the key was in the filter, or was a false positive
  kUnknown,  // the key is in the filter; the reply that said whether it was new is lost
  kFailed,   // the key may be missing, or be on fewer than min_replicas replicas; see error()
};

enum class Answer {
  kNo,     // the key was certainly not added
  kMaybe,  // the key was added, or is a false positive; or Redis did not answer
  kError,  // Redis did not answer; only with WhenUnavailable::kError
};

struct AddOptions {
  // How many replicas of each server that gets keys must confirm the addition (WAIT), 0 to 1000; if
  // fewer do, it is kFailed. Costs a round trip to a replica for each AddKey and each 4096 keys of
  // AddKeys.
  int min_replicas = 0;

  // Milliseconds to wait for them in each attempt, 1 to 600000.
  int replica_timeout_ms = 1000;

  std::string Validate() const;
};

// A client of one filter. Each thread needs its own. After a fork, both processes may use it,
// unless another thread forked during a call.
class SharedBloomFilter {
 public:
  // Creates the filter `name` (1 to 200 bytes without spaces, control characters, '{' and '}'), or
  // opens it if it exists with this capacity, rate and seed. Returns null if it has others or lacks
  // parts (see Delete), or if the server is unreachable or refuses a command.
  static std::unique_ptr<SharedBloomFilter> Create(const RedisServers& servers,
                                                   const std::string& name,
                                                   const SharedBloomFilterOptions& options,
                                                   std::string* error);

  // Returns null if the filter does not exist, or for a reason named at Create.
  static std::unique_ptr<SharedBloomFilter> Open(const RedisServers& servers,
                                                 const std::string& name, std::string* error);

  // Deletes the filter, even if parts of it are missing. Objects that have it open are
  // "unavailable" from then on, even if it is created again. Returns true if it no longer exists.
  static bool Delete(const RedisServers& servers, const std::string& name, std::string* error);

  ~SharedBloomFilter();
  SharedBloomFilter(const SharedBloomFilter&) = delete;
  SharedBloomFilter& operator=(const SharedBloomFilter&) = delete;

  // Adds a key of any length, atomically, in one round trip. Invalid options give kFailed.
  AddResult AddKey(std::string_view key, const AddOptions& options = AddOptions());

  // Adds n keys, pipelined, or a container or array of keys (keys.h), in which strings made on the
  // fly take a round trip each. Unless `results` is null, results[i] is the result for keys[i].
  // Returns false if any is kFailed.
  bool AddKeys(size_t n, const std::string_view* keys, AddResult* results = nullptr,
               const AddOptions& options = AddOptions()) {
    BeginCall();
    return AddGroup(n, keys, results, options);
  }
  template <typename Keys, typename = filter::IfKeys<Keys>>
  bool AddKeys(const Keys& keys, AddResult* results = nullptr,
               const AddOptions& options = AddOptions()) {
    return InGroups(keys, [&](size_t first, size_t n, const std::string_view* group) {
      return AddGroup(n, group, results == nullptr ? nullptr : results + first, options);
    });
  }
  template <typename Key, typename = filter::IfKeys<std::initializer_list<Key>>>
  bool AddKeys(std::initializer_list<Key> keys, AddResult* results = nullptr,
               const AddOptions& options = AddOptions()) {
    return AddKeys<std::initializer_list<Key>>(keys, results, options);
  }

  // Never returns kNo after an AddKey that did not fail, as long as the server keeps what it
  // acknowledged and no demoted primary answers. Takes one round trip.
  Answer MayMatch(std::string_view key);

  // Sets answers[i] to MayMatch(keys[i]), pipelined. Returns false if Redis left one unanswered,
  // whatever when_unavailable is.
  bool MayMatch(size_t n, const std::string_view* keys, Answer* answers) {
    BeginCall();
    return QueryGroup(n, keys, answers);
  }
  template <typename Keys, typename = filter::IfKeys<Keys>>
  bool MayMatch(const Keys& keys, Answer* answers) {
    return InGroups(keys, [&](size_t first, size_t n, const std::string_view* group) {
      return QueryGroup(n, group, answers + first);
    });
  }

  // Why the last of the calls above failed, at least in part, or empty. Valid until the next call.
  const std::string& error() const;

  const std::string& name() const;
  uint64_t capacity() const;
  double false_positive_rate() const;
  uint64_t num_bytes() const;  // of all shards
  uint32_t num_shards() const;
  int num_probes() const;

 private:
  struct State;
  explicit SharedBloomFilter(std::unique_ptr<State> state);

  template <typename Keys, typename Run>
  bool InGroups(const Keys& keys, Run run) {
    constexpr size_t kMaxKeys = 1024;
    bool succeeded = true;
    BeginCall();
    filter::ForEachKeyGroup<kMaxKeys>(keys,
                                      [&](size_t first, size_t n, const std::string_view* group) {
                                        succeeded &= run(first, n, group);
                                      });
    return succeeded;
  }
  void BeginCall();
  bool AddGroup(size_t n, const std::string_view* keys, AddResult* results,
                const AddOptions& options);
  bool QueryGroup(size_t n, const std::string_view* keys, Answer* answers);

  std::unique_ptr<State> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_REDIS_BLOOM_FILTER_H_

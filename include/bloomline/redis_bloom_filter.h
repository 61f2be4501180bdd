// A Bloom filter in the memory of a Redis server or a Redis Cluster. Processes and machines share
// it.
//
//   bloomline::SharedBloomFilterOptions options;
//   options.capacity = 1000000;
//   bloomline::RedisServers redis;
//   redis.servers = {"10.0.0.5:6379"};
//   std::string error;
//   auto filter = bloomline::SharedBloomFilter::Create(redis, "seen-urls", options, &error);
//   if (filter == nullptr) { /* error says why */ }
//   if (filter->AddKey("apple") == bloomline::AddResult::kNew) { /* it is new */ }
//   if (filter->MayMatch("pear") == bloomline::Answer::kNo) { /* certainly never added */ }
//
// A call for one key is one command and one round trip. Calls for many keys are pipelined.
// docs/redis.md says what a Redis server can lose, and specifies the layout for
// other clients. Link with bloomline::redis.
//
// Use of a filter, as a grammar:
//   (Create | Open) (AddKey | AddKeys | MayMatch | error())*
// Call Delete at any time.
//
// Errors: in every function of this header `error` (the parameter) may be null. Otherwise it is set
// to one sentence if the function fails, and is left alone if it succeeds. If a
// call throws std::bad_alloc half-way, its remaining keys are kFailed or unavailable, and the next
// call opens new connections, so that it does not read replies to older commands. hiredis 0.14 ends
// the process if it has no memory to connect.
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

// Result of a query that Redis did not answer: server unreachable, time-out, error reply, or lost
// shard. In each case SharedBloomFilter::error() has the reason.
enum class WhenUnavailable {
  kMayMatch,  // Answer::kMaybe, which is never wrong
  kError,     // Answer::kError
};

// TLS options, for connections to rediss:// addresses only. All files are PEM. They are read when a
// connection is opened.
struct RedisTls {
  // Trusted certificate authorities: a file of certificates, and a folder prepared by
  // `openssl rehash`. Both empty: the system's authorities.
  std::string ca_file;
  std::string ca_path;

  // The client's certificate, with its chain, and its unencrypted key, if the server demands them.
  // Both or none.
  std::string certificate_file;
  std::string key_file;

  // The name for SNI, and the name or IP address for which the server's certificate must be valid.
  // Empty: the host of the address. For the nodes of a cluster it is then the host that CLUSTER
  // SLOTS reports.
  std::string server_name;

  // False accepts any certificate: then anyone between client and server can read and change
  // everything.
  bool verify = true;
};

// How to reach Redis. Needs version 4.0 or later.
struct RedisServers {
  // One server, or some nodes of one cluster. One node that answers is enough to find the others.
  //   host:port, [IPv6]:port
  //   redis://[user[:password]@]host[:port][/database]    port 6379, database 0 if left out
  //   rediss://...                                         the same, with TLS
  //   unix://[user[:password]@]/path[?db=database]         a unix socket
  // In user, password and path of these URLs, %XX is the byte XX. rediss:// needs a build with
  // hiredis_ssl (hiredis 1.0 or later); otherwise Validate refuses it.
  std::vector<std::string> servers = {"127.0.0.1:6379"};

  // For AUTH. Without a password no AUTH is sent; without a username it is the server's default
  // user. An address may contain them instead; then they apply to all servers. No error message
  // contains a password, and a user name from an address only if the server's own reply names it.
  std::string username;
  std::string password;

  // For SELECT: 0 to 2147483647 (a server has 16 databases by default). An address may contain it
  // instead. A cluster has database 0 only.
  int database = 0;

  RedisTls tls;

  // Milliseconds, 1 to 600000. A command times out if the server accepts or sends no byte for that
  // long.
  int connect_timeout_ms = 1000;
  int command_timeout_ms = 1000;

  // Attempts after the first one fails, 0 to 100; each on a new connection if the old one broke. A
  // call lasts at most about (1 + max_retries) * (connect_timeout_ms + command_timeout_ms) for each
  // server concerned. docs/redis.md, "Retries", has the details.
  int max_retries = 2;

  // Milliseconds, 0 to 600000. After all attempts to reach a server have failed, commands of this
  // object for it fail at once for that long, without an attempt.
  int give_up_ms = 500;

  WhenUnavailable when_unavailable = WhenUnavailable::kMayMatch;

  // Empty if the values are valid, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

struct SharedBloomFilterOptions {
  // Number of distinct keys up to which false_positive_rate holds, 1 to 1e12. The filter accepts
  // more keys, at a higher rate.
  uint64_t capacity = 0;

  // Fraction of missing keys that match when the filter contains `capacity` keys: 1e-6 to 0.5.
  // Memory: at most 3 % more than a standard Bloom filter (9.8 bits per key at 0.01); below 1e-4 at
  // most 5 % more.
  double false_positive_rate = 0.01;

  // Seed of the 64-bit hash. If outsiders do not know it, they cannot choose keys that collide.
  // DrawSeed in seed.h draws one. It is stored in Redis, in each key of the filter. Error messages
  // do not contain it.
  uint64_t seed = 0;

  // Bytes, 4096 to 67108864. The filter is split into strings (shards) of at most that size, at most
  // 65536 of them. A cluster spreads them over its nodes: smaller shards spread better, larger ones
  // make AddKeys cheaper. The server does nothing else while it makes one.
  uint64_t shard_bytes = 16 << 20;

  // Empty if the options are valid, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

// Result of adding a key.
enum class AddResult {
  kNew,      // this call changed a bit: the key was not there. If several clients add one key
             // at the same time, exactly one gets kNew; none, if the key was a false positive
  kPresent,  // all bits were set: the key was in the filter, or was a false positive
  kUnknown,  // the key is in the filter now. A reply was lost and the command sent again, so it is
             // not known whether the key was new
  kFailed,   // the key may be missing, or be on fewer than min_replicas replicas; see error()
};

// Result of a query.
enum class Answer {
  kNo,     // the key was certainly not added
  kMaybe,  // the key was added, or is a false positive; or Redis did not answer
  kError,  // Redis did not answer; only with WhenUnavailable::kError
};

// What an addition waits for besides the acknowledgement of the server.
struct AddOptions {
  // Replicas that must confirm the addition (WAIT) before it is acknowledged: replicas of the
  // server, or of each cluster node that takes additions. 0 to 1000; 0: do not wait. If fewer
  // confirm in time, the result is kFailed and error() says how many did. If all replicas of a
  // server confirm, no failover to one of them loses an acknowledged key (docs/redis.md, "What
  // Redis Cluster itself may lose", has the exception). Cost: one round trip to a replica for each
  // AddKey and for each 4096 keys of AddKeys. Every addition goes to the replicas and the
  // append-only file, even if the key was already in the filter.
  int min_replicas = 0;

  // Milliseconds that the replicas have to confirm, 1 to 600000. Each attempt of a call can take
  // that much longer.
  int replica_timeout_ms = 1000;

  // Empty if the options are valid, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

// A client of one filter, with its own connections. Not thread-safe: each thread opens its own
// object. After a fork both processes may use their object; the child opens new connections at its
// first call. If another thread forks during a call, the child must not use it.
class SharedBloomFilter {
 public:
  // Creates the filter `name`, or opens it if it exists with the same options. If two clients
  // create it at the same time, both get the same filter. Returns null, with the reason, if a
  // filter of this name has other options (*error names both, without the seeds), if the server is
  // unreachable or refuses a command, or if parts of the filter are missing (see Delete). The seed
  // counts as an option: draw it once, and let other processes use Open. name: 1 to 200 bytes, no
  // spaces, control characters, '{' or '}'. Cost: a few round trips, and the server writes the
  // filter's memory once.
  static std::unique_ptr<SharedBloomFilter> Create(const RedisServers& servers,
                                                   const std::string& name,
                                                   const SharedBloomFilterOptions& options,
                                                   std::string* error);

  // Opens the filter `name`. Returns null, with the reason, if it does not exist, or as Create.
  static std::unique_ptr<SharedBloomFilter> Open(const RedisServers& servers,
                                                 const std::string& name, std::string* error);

  // Deletes the filter `name`, even if parts of it are missing. Objects that have it open get
  // "unavailable" from then on, even if it is created again: they must open it again. Returns true
  // if there is no such filter now.
  static bool Delete(const RedisServers& servers, const std::string& name, std::string* error);

  ~SharedBloomFilter();
  SharedBloomFilter(const SharedBloomFilter&) = delete;
  SharedBloomFilter& operator=(const SharedBloomFilter&) = delete;

  // Adds a key of any length. Atomic: the server queries and adds in one step. Cost: one round
  // trip. Invalid options: kFailed.
  AddResult AddKey(std::string_view key, const AddOptions& options = AddOptions());

  // Adds n keys. results[i], if `results` is not null, is what AddKey(keys[i], options) would have
  // returned. Returns false if the result of any key is kFailed. Cost: up to 16 keys share a
  // command, and commands are pipelined.
  bool AddKeys(size_t n, const std::string_view* keys, AddResult* results = nullptr,
               const AddOptions& options = AddOptions());

  // The same for a container or array of keys (keys.h). `results`, if not null, has as many
  // elements. Strings that do not stay while the container is read take a round trip each.
  template <typename Keys, typename = filter::IfKeys<Keys>>
  bool AddKeys(const Keys& keys, AddResult* results = nullptr,
               const AddOptions& options = AddOptions()) {
    return InGroups(keys, [&](size_t first, size_t n, const std::string_view* group) {
      return AddKeys(n, group, results == nullptr ? nullptr : results + first, options);
    });
  }
  template <typename Key, typename = filter::IfKeys<std::initializer_list<Key>>>
  bool AddKeys(std::initializer_list<Key> keys, AddResult* results = nullptr,
               const AddOptions& options = AddOptions()) {
    return AddKeys<std::initializer_list<Key>>(keys, results, options);
  }

  // Queries a key. Never kNo for a key whose AddKey did not return kFailed, as long as the server
  // keeps what it acknowledged and no demoted primary answers. A failover keeps what AddOptions
  // demanded. docs/redis.md, "What remains", lists the cases. Cost: one round trip.
  Answer MayMatch(std::string_view key);

  // answers[i] = MayMatch(keys[i]) for i < n, pipelined. Returns false if Redis left at least
  // one of them unanswered, whatever when_unavailable says.
  bool MayMatch(size_t n, const std::string_view* keys, Answer* answers);

  // The same for containers and arrays, as AddKeys. `answers` has as many elements.
  template <typename Keys, typename = filter::IfKeys<Keys>>
  bool MayMatch(const Keys& keys, Answer* answers) {
    return InGroups(keys, [&](size_t first, size_t n, const std::string_view* group) {
      return MayMatch(n, group, answers + first);
    });
  }

  // The first reason why the last call of the functions above failed, in part or as a whole.
  // Empty if it succeeded. Valid until the next call.
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

  // The calls of one container are one call to the user: error() is the first of all groups.
  template <typename Keys, typename Run>
  bool InGroups(const Keys& keys, Run run) {
    constexpr size_t kMaxKeys = 1024;  // each group is a round trip
    bool succeeded = true;
    StartGroups();
    filter::ForEachKeyGroup<kMaxKeys>(keys,
                                      [&](size_t first, size_t n, const std::string_view* group) {
                                        succeeded &= run(first, n, group);
                                        EndGroup();
                                      });
    EndGroups();
    return succeeded;
  }
  void StartGroups();
  void EndGroup();
  void EndGroups();

  std::unique_ptr<State> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_REDIS_BLOOM_FILTER_H_

// A Bloom filter on a Redis server or in a Redis Cluster, which processes and machines share.
//
//   bloomline::SharedBloomFilterOptions options;
//   options.capacity = 1000000;
//   bloomline::RedisServers redis;
//   redis.servers = {"10.0.0.5:6379"};
//   std::string error;
//   auto filter = bloomline::SharedBloomFilter::Create(redis, "seen-urls", options, &error);
//   if (filter == nullptr) { /* error says why */ }
//   if (filter->AddKey("apple") == bloomline::AddResult::kNew) { /* nobody added it before */ }
//   if (filter->MayMatch("pear") == bloomline::Answer::kNo) { /* certainly never added */ }
//
// Each call is one command and one round trip; batches are pipelined. docs/redis.md has the layout,
// for other clients, and what a Redis server itself can lose.
//
// In every function of this header `error` may be null; otherwise it gets one sentence when the
// function fails and is untouched when it succeeds. Nothing here throws. A call that lacks memory
// half-way fails: its keys are kFailed or unavailable, and the connections are made anew, so that
// no later call reads its replies. hiredis 0.14 itself ends the process where it lacks memory to
// connect.
#ifndef BLOOMLINE_REDIS_BLOOM_FILTER_H_
#define BLOOMLINE_REDIS_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline {

// What a query answers that could not be asked: no server, time-out, error reply, lost shard.
enum class WhenUnavailable {
  kMayMatch,  // Answer::kMaybe, which is always true; error() says why
  kError,     // Answer::kError
};

// For connections to rediss:// addresses. All files are PEM; they are read at each connection.
struct RedisTls {
  // Certificates of authorities that may have signed the server's: a file of them, and a folder
  // prepared by `openssl rehash`. Both empty: the system's.
  std::string ca_file;
  std::string ca_path;

  // The client's own certificate, with its chain, and its unencrypted key, where the server demands
  // them. Both or none.
  std::string certificate_file;
  std::string key_file;

  // The name for SNI, and the name or IP address that the server's certificate must be for. Empty:
  // the address's host; the nodes of a cluster are then reached, and checked, by what CLUSTER SLOTS
  // calls them.
  std::string server_name;

  // False: any certificate will do, so that whoever is on the way can read and change everything.
  bool verify = true;
};

// How to reach Redis 4.0 or later.
struct RedisServers {
  // One server; or nodes of one cluster, of which one that answers is enough to find the others.
  //   host:port, [IPv6]:port
  //   redis://[user[:password]@]host[:port][/database]    port 6379, database 0 if left out
  //   rediss://...                                         the same, with TLS
  //   unix://[user[:password]@]/path[?db=database]         a unix socket
  // In user, password and path of these URLs %XX is the byte XX. rediss:// needs a library that was
  // built with hiredis_ssl (hiredis 1.0 and later); Validate says if it was not.
  std::vector<std::string> servers = {"127.0.0.1:6379"};

  // For AUTH; without a password no AUTH is sent, without a username the server's default user is
  // meant. They may stand in an address instead, and then hold for all servers. No message has a
  // password; one has a user name from an address only where the server's own reply names the user.
  std::string username;
  std::string password;

  // For SELECT: 0 to 2147483647, of which a server has 16 unless it is configured otherwise. May
  // stand in an address instead. A cluster has 0 only.
  int database = 0;

  RedisTls tls;

  // Milliseconds, 1 to 600000. A command has timed out when the server takes or sends no byte for
  // so long.
  int connect_timeout_ms = 1000;
  int command_timeout_ms = 1000;

  // How often a command is repeated, on a new connection, after one that failed: 0 to 100. A call
  // lasts at most about (1 + max_retries) * (connect_timeout_ms + command_timeout_ms) for each
  // server concerned.
  int max_retries = 2;

  // When a call has given up a server, further calls do not try it for so many milliseconds: 0 to
  // 600000.
  int give_up_ms = 500;

  WhenUnavailable when_unavailable = WhenUnavailable::kMayMatch;

  // Empty if this can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

struct SharedBloomFilterOptions {
  // Distinct keys up to which the filter keeps false_positive_rate; it takes more, at a higher
  // rate. 1 to 1e12.
  uint64_t capacity = 0;

  // Share of absent keys that pass when `capacity` keys are in: 1e-6 to 0.5. Memory is within 3 %
  // of a classic Bloom filter's (9.6 bits per key at 0.01), below 1e-4 within 5 %.
  double false_positive_rate = 0.01;

  // Seed of the 64-bit hash. One that outsiders do not know keeps them from choosing keys that
  // collide.
  uint64_t seed = 0;

  // The bits lie in strings of at most so many bytes: 4096 to 536870912, the longest Redis allows.
  // A cluster spreads the strings over its nodes; more, smaller ones spread better, fewer make
  // AddKeys cheaper.
  uint64_t shard_bytes = 16 << 20;

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

enum class AddResult {
  kNew,      // this call changed a bit: nobody had added the key. Of concurrent adders of one key
             // exactly one gets this, unless the key was a false positive, and then none
  kPresent,  // all bits were set: the key was in, or was a false positive
  kUnknown,  // the key is in; a reply was lost and the command repeated, so kNew or kPresent
  kFailed,   // the key may not be in, or not on min_replicas replicas; error() says why
};

enum class Answer {
  kNo,     // the key was certainly not added
  kMaybe,  // it was, or, with the false-positive rate, not; or nobody could be asked
  kError,  // nobody could be asked; only under WhenUnavailable::kError
};

// What an addition waits for besides the server's own acknowledgement.
struct AddOptions {
  // Replicas that must have confirmed the addition (with WAIT) before it is acknowledged: of the
  // server, or of each cluster node concerned. 0 to 1000; 0: none. With fewer in time the result is
  // kFailed, and error() says how many confirmed. With all replicas of a server, no failover to one
  // of them loses an acknowledged key. Cost: a replica's round trip for each Add and each 4096 keys
  // of AddKeys; every addition is sent to the replicas and the append-only file, also one of a key
  // that is in.
  int min_replicas = 0;

  // Milliseconds that the replicas have, each time: 1 to 600000. Each try may last so much longer.
  int replica_timeout_ms = 1000;

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

// A connection to one filter. Not thread-safe: each thread opens its own. After a fork the child
// may go on with it, on connections of its own, unless the fork happened during a call.
class SharedBloomFilter {
 public:
  // Makes the filter `name`, or opens it if there is one with the same options. If two create at
  // once, both get the same filter. Null if there is one with other options (*error names both), if
  // the server cannot be reached or refuses, or if parts of the filter are missing (see Delete).
  // name: 1 to 200 bytes, no spaces, control characters, '{' or '}'. Cost: a few round trips, in
  // which the server writes the filter's memory once.
  static std::unique_ptr<SharedBloomFilter> Create(const RedisServers& servers,
                                                   const std::string& name,
                                                   const SharedBloomFilterOptions& options,
                                                   std::string* error);

  // Opens the filter `name`. Null if there is none, and as Create.
  static std::unique_ptr<SharedBloomFilter> Open(const RedisServers& servers,
                                                 const std::string& name, std::string* error);

  // Removes the filter `name`, also one of which parts are missing. Objects that have it open find
  // it unavailable, even when it is created anew. True if there is none now.
  static bool Delete(const RedisServers& servers, const std::string& name, std::string* error);

  ~SharedBloomFilter();
  SharedBloomFilter(const SharedBloomFilter&) = delete;
  SharedBloomFilter& operator=(const SharedBloomFilter&) = delete;

  // Adds a key of any length, atomically. Cost: a round trip. Options that Validate refuses:
  // kFailed.
  AddResult AddKey(std::string_view key, const AddOptions& options = AddOptions());

  // Adds n keys; results[i], if `results` is not null, is what AddKey(keys[i], options) would have
  // returned. Many keys to a command, many commands at once under way. False if any failed.
  bool AddKeys(size_t n, const std::string_view* keys, AddResult* results = nullptr,
               const AddOptions& options = AddOptions());

  // Never kNo for a key whose Add did not return kFailed, as long as the server keeps what it
  // acknowledged, and no former primary answers; what AddOptions demands, it keeps through a
  // failover. docs/redis.md, "What remains", has the cases. Cost: a round trip.
  Answer MayMatch(std::string_view key);

  // answers[i] = MayMatch(keys[i]) for i < n, many commands at once under way. False if any could
  // not be asked, whatever when_unavailable says.
  bool MayMatch(size_t n, const std::string_view* keys, Answer* answers);

  // Why the last of the four calls above failed, in part or whole: the first reason met. Empty if
  // it did not.
  const std::string& error() const;

  const std::string& name() const;
  uint64_t capacity() const;
  double false_positive_rate() const;
  uint64_t num_bytes() const;  // in all shards
  uint32_t num_shards() const;
  int num_probes() const;

 private:
  struct State;
  explicit SharedBloomFilter(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_REDIS_BLOOM_FILTER_H_

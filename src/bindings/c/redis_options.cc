// Options: include/bloomline/c_redis.h.
#include "src/bindings/c/redis_options.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/c_redis.h"
#include "src/support/out_of_memory.h"

using bloomline::WhenUnavailable;
using bloomline::support::OrIfOutOfMemory;

static_assert(bloomline_unavailable_may_match == static_cast<int>(WhenUnavailable::kMayMatch));
static_assert(bloomline_unavailable_error == static_cast<int>(WhenUnavailable::kError));

namespace {

uint8_t Set(std::string* text, const char* value) {
  return OrIfOutOfMemory(false, [=] {
    *text = value == nullptr ? "" : value;
    return true;
  });
}

}  // namespace

extern "C" {

bloomline_redisservers_t* bloomline_redisservers_create() {
  return OrIfOutOfMemory(static_cast<bloomline_redisservers_t*>(nullptr),
                         [] { return new bloomline_redisservers_t; });
}

void bloomline_redisservers_destroy(bloomline_redisservers_t* servers) { delete servers; }

uint8_t bloomline_redisservers_set_servers(bloomline_redisservers_t* servers, size_t num_servers,
                                           const char* const* addresses) {
  return OrIfOutOfMemory(false, [=] {
    if (std::find(addresses, addresses + num_servers, nullptr) != addresses + num_servers) {
      return false;
    }
    std::vector<std::string> copies(addresses, addresses + num_servers);
    servers->servers.servers = std::move(copies);
    return true;
  });
}

uint8_t bloomline_redisservers_set_username(bloomline_redisservers_t* servers,
                                            const char* username) {
  return Set(&servers->servers.username, username);
}

uint8_t bloomline_redisservers_set_password(bloomline_redisservers_t* servers,
                                            const char* password) {
  return Set(&servers->servers.password, password);
}

void bloomline_redisservers_set_database(bloomline_redisservers_t* servers, int database) {
  servers->servers.database = database;
}

uint8_t bloomline_redisservers_set_tls_ca_file(bloomline_redisservers_t* servers,
                                               const char* path) {
  return Set(&servers->servers.tls.ca_file, path);
}

uint8_t bloomline_redisservers_set_tls_ca_path(bloomline_redisservers_t* servers,
                                               const char* path) {
  return Set(&servers->servers.tls.ca_path, path);
}

uint8_t bloomline_redisservers_set_tls_certificate_file(bloomline_redisservers_t* servers,
                                                        const char* path) {
  return Set(&servers->servers.tls.certificate_file, path);
}

uint8_t bloomline_redisservers_set_tls_key_file(bloomline_redisservers_t* servers,
                                                const char* path) {
  return Set(&servers->servers.tls.key_file, path);
}

uint8_t bloomline_redisservers_set_tls_server_name(bloomline_redisservers_t* servers,
                                                   const char* name) {
  return Set(&servers->servers.tls.server_name, name);
}

void bloomline_redisservers_set_tls_verify(bloomline_redisservers_t* servers, uint8_t verify) {
  servers->servers.tls.verify = verify != 0;
}

void bloomline_redisservers_set_connect_timeout_ms(bloomline_redisservers_t* servers, int ms) {
  servers->servers.connect_timeout_ms = ms;
}

void bloomline_redisservers_set_command_timeout_ms(bloomline_redisservers_t* servers, int ms) {
  servers->servers.command_timeout_ms = ms;
}

void bloomline_redisservers_set_max_retries(bloomline_redisservers_t* servers, int max_retries) {
  servers->servers.max_retries = max_retries;
}

void bloomline_redisservers_set_give_up_ms(bloomline_redisservers_t* servers, int ms) {
  servers->servers.give_up_ms = ms;
}

void bloomline_redisservers_set_when_unavailable(bloomline_redisservers_t* servers,
                                                 int when_unavailable) {
  servers->servers.when_unavailable = WhenUnavailable{when_unavailable};
}

bloomline_sharedoptions_t* bloomline_sharedoptions_create() {
  return new (std::nothrow) bloomline_sharedoptions_t;
}

void bloomline_sharedoptions_destroy(bloomline_sharedoptions_t* options) { delete options; }

void bloomline_sharedoptions_set_capacity(bloomline_sharedoptions_t* options, uint64_t num_keys) {
  options->options.capacity = num_keys;
}

void bloomline_sharedoptions_set_false_positive_rate(bloomline_sharedoptions_t* options,
                                                     double rate) {
  options->options.false_positive_rate = rate;
}

void bloomline_sharedoptions_set_seed(bloomline_sharedoptions_t* options, uint64_t seed) {
  options->options.seed = seed;
}

void bloomline_sharedoptions_set_shard_bytes(bloomline_sharedoptions_t* options,
                                             uint64_t shard_bytes) {
  options->options.shard_bytes = shard_bytes;
}

bloomline_addoptions_t* bloomline_addoptions_create() {
  return new (std::nothrow) bloomline_addoptions_t;
}

void bloomline_addoptions_destroy(bloomline_addoptions_t* options) { delete options; }

void bloomline_addoptions_set_min_replicas(bloomline_addoptions_t* options, int min_replicas) {
  options->options.min_replicas = min_replicas;
}

void bloomline_addoptions_set_replica_timeout_ms(bloomline_addoptions_t* options, int ms) {
  options->options.replica_timeout_ms = ms;
}

}  // extern "C"

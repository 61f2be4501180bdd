/* The C bindings of filters on Redis, in C.
   Usage: c_redis_test DIRECTORY, with a server's address in BLOOMLINE_REDIS_SERVER */
#include "bloomline/c_redis.h"

#include <stdint.h>

enum { kNumKeys = 10000 }; /* more than go to the server at once */
#include "tests/bindings/c_keys.h"

static int results[kNumKeys];
static bloomline_redisservers_t* Servers(const char* address) {
  bloomline_redisservers_t* servers = bloomline_redisservers_create();
  CHECK(servers != NULL);
  CHECK(bloomline_redisservers_set_servers(servers, 1, &address));
  bloomline_redisservers_set_max_retries(servers, 0);
  /* A busy machine may leave the server without CPU time. */
  bloomline_redisservers_set_command_timeout_ms(servers, 20000);
  return servers;
}

static void TestAdd(bloomline_shared_t* filter) {
  StartPhase("add");
  CHECK(bloomline_shared_may_match(filter, keys[0], lengths[0]) == bloomline_shared_no);
  CHECK(bloomline_shared_add_key(filter, keys[0], lengths[0], NULL) == bloomline_shared_new);
  CHECK(bloomline_shared_add_key(filter, keys[0], lengths[0], NULL) == bloomline_shared_present);
  CHECK(bloomline_shared_may_match(filter, keys[0], lengths[0]) == bloomline_shared_maybe);
  CHECK(bloomline_shared_add_keys(filter, kNumPresent, keys, lengths, NULL, results));
  CHECK(results[0] == bloomline_shared_present);
  int num_new = 0;
  for (int i = 0; i < kNumPresent; ++i) num_new += results[i] == bloomline_shared_new;
  CHECK(num_new > kNumPresent * 9 / 10 && num_new < kNumPresent);
  CHECK(bloomline_shared_add_keys(filter, kNumPresent, keys, lengths, NULL, NULL));
  CHECK(bloomline_shared_error(filter) == NULL);
}

static void TestQueries(bloomline_shared_t* filter) {
  StartPhase("query");
  CHECK(bloomline_shared_may_match_keys(filter, kNumKeys, keys, lengths, results));
  int num_found = 0;
  for (int i = 0; i < kNumKeys; ++i) {
    CHECK(results[i] == bloomline_shared_no || results[i] == bloomline_shared_maybe);
    if (i < kNumPresent) CHECK(results[i] == bloomline_shared_maybe);
    num_found += results[i];
  }
  CHECK(num_found < kNumPresent * 21 / 20);
}

static void TestReplicas(bloomline_shared_t* filter) {
  StartPhase("replicas that are not there");
  bloomline_addoptions_t* options = bloomline_addoptions_create();
  CHECK(options != NULL);
  bloomline_addoptions_set_min_replicas(options, 1);
  bloomline_addoptions_set_replica_timeout_ms(options, 1);
  CHECK(bloomline_shared_add_key(filter, "x", 1, options) == bloomline_shared_failed);
  CHECK(strstr(bloomline_shared_error(filter), "replica") != NULL);
  CHECK(!bloomline_shared_add_keys(filter, 2, keys, lengths, options, results));
  CHECK(results[0] == bloomline_shared_failed && results[1] == bloomline_shared_failed);
  CHECK(bloomline_shared_error(filter) != NULL);
  CHECK(bloomline_shared_add_key(filter, "x", 1, NULL) != bloomline_shared_failed);
  CHECK(bloomline_shared_error(filter) == NULL);
  bloomline_addoptions_set_replica_timeout_ms(options, 0);
  CHECK(bloomline_shared_add_key(filter, "x", 1, options) == bloomline_shared_failed);
  CHECK(strstr(bloomline_shared_error(filter), "replica_timeout_ms is 0") != NULL);
  bloomline_addoptions_destroy(options);
  bloomline_addoptions_destroy(NULL);
}

static void TestFilter(const char* address) {
  StartPhase("create");
  bloomline_redisservers_t* servers = Servers(address);
  bloomline_sharedoptions_t* options = bloomline_sharedoptions_create();
  CHECK(options != NULL);
  CHECK_REFUSED(bloomline_shared_create(servers, "c", options, &error), "capacity is 0");
  bloomline_sharedoptions_set_capacity(options, kNumPresent);
  bloomline_sharedoptions_set_false_positive_rate(options, 0.02);
  bloomline_sharedoptions_set_seed(options, 5);
  bloomline_sharedoptions_set_shard_bytes(options, 4096);
  CHECK_REFUSED(bloomline_shared_open(servers, "c", &error), "there is no filter 'c'");
  bloomline_shared_t* filter = bloomline_shared_create(servers, "c", options, &error);
  CHECK(filter != NULL && error == NULL);
  CHECK(strcmp(bloomline_shared_name(filter), "c") == 0);
  CHECK(bloomline_shared_capacity(filter) == kNumPresent);
  CHECK(bloomline_shared_false_positive_rate(filter) == 0.02);
  CHECK(bloomline_shared_num_shards(filter) == 2);
  CHECK(bloomline_shared_num_bytes(filter) > 4096 && bloomline_shared_num_bytes(filter) <= 8192);
  CHECK(bloomline_shared_num_probes(filter) > 3);
  TestAdd(filter);
  bloomline_shared_t* opened = bloomline_shared_open(servers, "c", &error);
  CHECK(opened != NULL && error == NULL);
  TestQueries(opened);
  bloomline_shared_destroy(opened);
  TestReplicas(filter);

  StartPhase("another seed, delete");
  bloomline_sharedoptions_set_seed(options, 6);
  CHECK_REFUSED(bloomline_shared_create(servers, "c", options, &error), "seed");
  CHECK(bloomline_shared_delete(servers, "c", &error));
  CHECK(bloomline_shared_delete(servers, "c", &error));
  CHECK(error == NULL);
  /* The open filter finds nothing to query. */
  CHECK(!bloomline_shared_may_match_keys(filter, kNumKeys, keys, lengths, results));
  for (int i = 0; i < kNumKeys; ++i) CHECK(results[i] == bloomline_shared_maybe);
  CHECK(bloomline_shared_error(filter) != NULL);
  CHECK(!bloomline_shared_add_keys(filter, kNumKeys, keys, lengths, NULL, NULL));
  bloomline_shared_destroy(filter);
  bloomline_shared_destroy(NULL);
  bloomline_sharedoptions_destroy(options);
  bloomline_sharedoptions_destroy(NULL);
  bloomline_redisservers_destroy(servers);
}

static void TestUnavailable(const char* address) {
  StartPhase("unavailable");
  bloomline_redisservers_t* servers = Servers(address);
  bloomline_redisservers_set_when_unavailable(servers, bloomline_unavailable_error);
  bloomline_sharedoptions_t* options = bloomline_sharedoptions_create();
  bloomline_sharedoptions_set_capacity(options, 100);
  bloomline_shared_t* filter = bloomline_shared_create(servers, "gone", options, &error);
  CHECK(filter != NULL);
  CHECK(bloomline_shared_delete(servers, "gone", &error));
  CHECK(bloomline_shared_may_match(filter, "key", 3) == bloomline_shared_unavailable);
  CHECK(bloomline_shared_error(filter) != NULL);
  CHECK(bloomline_shared_add_key(filter, "key", 3, NULL) == bloomline_shared_failed);
  CHECK(bloomline_shared_error(filter) != NULL);
  bloomline_shared_destroy(filter);
  bloomline_sharedoptions_destroy(options);
  bloomline_redisservers_destroy(servers);
}

static void TestServers(const char* address) {
  StartPhase("servers");
  bloomline_redisservers_t* servers = Servers(address);
  CHECK(bloomline_redisservers_set_username(servers, "a name"));
  CHECK_REFUSED(bloomline_shared_open(servers, "c", &error), "username");
  CHECK(bloomline_redisservers_set_username(servers, NULL)); /* the default again */
  CHECK_REFUSED(bloomline_shared_open(servers, "c", &error), "there is no filter 'c'");
  const char* const no_text = NULL;
  CHECK(!bloomline_redisservers_set_servers(servers, 1, &no_text));
  CHECK_REFUSED(bloomline_shared_create(servers, NULL, NULL, &error),
                "name is NULL; allowed: a string");
  CHECK_REFUSED(bloomline_shared_open(servers, NULL, &error), "name is NULL");
  CHECK_REFUSED(bloomline_shared_delete(servers, NULL, &error), "name is NULL");
  bloomline_redisservers_set_tls_verify(servers, 0); /* without TLS it changes nothing */
  CHECK_REFUSED(bloomline_shared_open(servers, "c", &error), "there is no filter 'c'");
  CHECK(bloomline_redisservers_set_servers(servers, 0, NULL));
  CHECK_REFUSED(bloomline_shared_open(servers, "c", &error), "server");
  bloomline_redisservers_destroy(servers);
  bloomline_redisservers_destroy(NULL);
  servers = Servers(address); /* which has no password */
  CHECK(bloomline_redisservers_set_password(servers, "secret"));
  CHECK(bloomline_shared_open(servers, "c", &error) == NULL);
  CHECK(strstr(error, "AUTH") != NULL && strstr(error, "secret") == NULL);
  bloomline_redis_free(error);
  error = NULL;
  bloomline_redisservers_destroy(servers);
}

int main(int argc, char** argv) {
  (void)argv;
  CHECK(argc == 2);
  const char* const address = getenv("BLOOMLINE_REDIS_SERVER");
  CHECK(address != NULL);
  CHECK(strlen(bloomline_redis_version()) >= 5);
  MakeKeys();
  TestFilter(address);
  TestUnavailable(address);
  TestServers(address);
  fprintf(stderr, "PASS\n");
  return 0;
}

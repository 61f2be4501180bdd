/* C bindings of redis_bloom_filter.h. Follows the conventions of c.h, except (7): only one thread
   at a time may use a bloomline_shared_t, even for queries. Link bloomline::redis. */
#ifndef BLOOMLINE_C_REDIS_H_
#define BLOOMLINE_C_REDIS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#endif

typedef struct bloomline_redisservers_t bloomline_redisservers_t;
typedef struct bloomline_sharedoptions_t bloomline_sharedoptions_t;
typedef struct bloomline_addoptions_t bloomline_addoptions_t;
typedef struct bloomline_shared_t bloomline_shared_t;

/* WhenUnavailable */
enum { bloomline_unavailable_may_match = 0, bloomline_unavailable_error = 1 };
/* AddResult */
enum {
  bloomline_shared_new = 0,
  bloomline_shared_present = 1,
  bloomline_shared_unknown = 2,
  bloomline_shared_failed = 3
};
/* Answer */
enum { bloomline_shared_no = 0, bloomline_shared_maybe = 1, bloomline_shared_unavailable = 2 };

/* How to reach Redis. Strings are copied; NULL means the default. A setter returns false, and
   changes nothing, if memory runs out. */

bloomline_redisservers_t* bloomline_redisservers_create(void);
void bloomline_redisservers_destroy(bloomline_redisservers_t*);
/* Replaces the addresses. Also returns false if one is NULL. */
uint8_t bloomline_redisservers_set_servers(bloomline_redisservers_t*, size_t num_servers,
                                           const char* const* servers);
uint8_t bloomline_redisservers_set_username(bloomline_redisservers_t*, const char* username);
uint8_t bloomline_redisservers_set_password(bloomline_redisservers_t*, const char* password);
void bloomline_redisservers_set_database(bloomline_redisservers_t*, int database);
uint8_t bloomline_redisservers_set_tls_ca_file(bloomline_redisservers_t*, const char* path);
uint8_t bloomline_redisservers_set_tls_ca_path(bloomline_redisservers_t*, const char* path);
uint8_t bloomline_redisservers_set_tls_certificate_file(bloomline_redisservers_t*,
                                                        const char* path);
uint8_t bloomline_redisservers_set_tls_key_file(bloomline_redisservers_t*, const char* path);
uint8_t bloomline_redisservers_set_tls_server_name(bloomline_redisservers_t*, const char* name);
void bloomline_redisservers_set_tls_verify(bloomline_redisservers_t*, uint8_t verify);
void bloomline_redisservers_set_connect_timeout_ms(bloomline_redisservers_t*, int ms);
void bloomline_redisservers_set_command_timeout_ms(bloomline_redisservers_t*, int ms);
void bloomline_redisservers_set_max_retries(bloomline_redisservers_t*, int max_retries);
void bloomline_redisservers_set_when_unavailable(bloomline_redisservers_t*, int when_unavailable);

bloomline_sharedoptions_t* bloomline_sharedoptions_create(void);
void bloomline_sharedoptions_destroy(bloomline_sharedoptions_t*);
void bloomline_sharedoptions_set_capacity(bloomline_sharedoptions_t*, uint64_t num_keys);
void bloomline_sharedoptions_set_false_positive_rate(bloomline_sharedoptions_t*, double rate);
void bloomline_sharedoptions_set_seed(bloomline_sharedoptions_t*, uint64_t seed);
void bloomline_sharedoptions_set_shard_bytes(bloomline_sharedoptions_t*, uint64_t shard_bytes);

/* What an addition waits for. NULL means the defaults. */

bloomline_addoptions_t* bloomline_addoptions_create(void);
void bloomline_addoptions_destroy(bloomline_addoptions_t*);
void bloomline_addoptions_set_min_replicas(bloomline_addoptions_t*, int min_replicas);
void bloomline_addoptions_set_replica_timeout_ms(bloomline_addoptions_t*, int ms);

bloomline_shared_t* bloomline_shared_create(const bloomline_redisservers_t* servers,
                                            const char* name,
                                            const bloomline_sharedoptions_t* options,
                                            char** errptr);
bloomline_shared_t* bloomline_shared_open(const bloomline_redisservers_t* servers, const char* name,
                                          char** errptr);
uint8_t bloomline_shared_delete(const bloomline_redisservers_t* servers, const char* name,
                                char** errptr);
/* Closes the connections. The filter stays in Redis. */
void bloomline_shared_destroy(bloomline_shared_t*);

/* Returns an AddResult. */
int bloomline_shared_add_key(bloomline_shared_t*, const char* key, size_t key_length,
                             const bloomline_addoptions_t* options);
/* Returns false if a result is bloomline_shared_failed. `results` may be NULL. For max_retries,
   each 4096 keys count as a call, here and in bloomline_shared_may_match_keys. */
uint8_t bloomline_shared_add_keys(bloomline_shared_t*, size_t num_keys, const char* const* keys,
                                  const size_t* key_lengths, const bloomline_addoptions_t* options,
                                  int* results);
/* Returns an Answer. */
int bloomline_shared_may_match(bloomline_shared_t*, const char* key, size_t key_length);
/* Returns false if Redis left a query unanswered. */
uint8_t bloomline_shared_may_match_keys(bloomline_shared_t*, size_t num_keys,
                                        const char* const* keys, const size_t* key_lengths,
                                        int* answers);
/* Returns NULL if there is no error. Valid until the filter is used again. */
const char* bloomline_shared_error(const bloomline_shared_t*);

/* Valid as long as the handle. */
const char* bloomline_shared_name(const bloomline_shared_t*);
uint64_t bloomline_shared_capacity(const bloomline_shared_t*);
double bloomline_shared_false_positive_rate(const bloomline_shared_t*);
uint64_t bloomline_shared_num_bytes(const bloomline_shared_t*);
uint32_t bloomline_shared_num_shards(const bloomline_shared_t*);
int bloomline_shared_num_probes(const bloomline_shared_t*);

/* See bloomline_free and bloomline_version. */
void bloomline_redis_free(void*);
const char* bloomline_redis_version(void);

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_REDIS_H_ */

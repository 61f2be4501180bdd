/* C bindings. Each function does what the C++ function of the same name does; its section names the
   header. Example: docs/guides/from_c.c.

   Conventions, which follow LevelDB's c.h:

   (1) The caller owns a returned handle and passes it once to the "destroy" function of its type.
   Options are checked and copied where they are used; creating them returns NULL without memory.

   (2) A key or a filter is a pointer and a length, of any bytes or none.

   (3) "char** errptr": on entry, *errptr is NULL or a malloc()ed message. A function that fails
   frees it, sets it to a new message (NULL without memory) and returns NULL or 0.

   (4) Bools have the type uint8_t (0 == false; rest == true).

   (5) Pointers must not be NULL, except for empty keys and arrays, the results of add_keys and
   remove_keys, errptr, handles to destroy, and where a comment allows it. A NULL path or name is an
   error.

   (6) Memory returned as "char*" is malloc()ed. Free it with bloomline_free.

   (7) Threads may call functions with a const handle concurrently, but no others on it meanwhile.

   (8) No function throws. If memory runs out, it fails, but no filter lacks a key.

   (9) Shared libraries with bloomline export these functions, also with -fvisibility=hidden, unless
   a version script hides them.

   Link bloomline::c. */
#ifndef BLOOMLINE_C_H_
#define BLOOMLINE_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#endif

typedef struct bloomline_filteroptions_t bloomline_filteroptions_t;
typedef struct bloomline_builder_t bloomline_builder_t;
typedef struct bloomline_view_t bloomline_view_t;
typedef struct bloomline_bloomoptions_t bloomline_bloomoptions_t;
typedef struct bloomline_bloom_t bloomline_bloom_t;
typedef struct bloomline_atomic_t bloomline_atomic_t;
typedef struct bloomline_scalableoptions_t bloomline_scalableoptions_t;
typedef struct bloomline_scalable_t bloomline_scalable_t;
typedef struct bloomline_countingoptions_t bloomline_countingoptions_t;
typedef struct bloomline_counting_t bloomline_counting_t;

/* Formats: filter_options.h. Builders accept blocked and ribbon, sizing all. There bits_per_key is
   memory, also in ribbon. */

enum {
  bloomline_format_classic = 0,
  bloomline_format_blocked = 1,
  bloomline_format_compact = 2,
  bloomline_format_bloom = 3,
  bloomline_format_ribbon = 4
};

/* Options of static filters: filter_options.h */

bloomline_filteroptions_t* bloomline_filteroptions_create(void);
void bloomline_filteroptions_destroy(bloomline_filteroptions_t*);
void bloomline_filteroptions_set_format(bloomline_filteroptions_t*, int format);
void bloomline_filteroptions_set_bits_per_key(bloomline_filteroptions_t*, double bits_per_key);
void bloomline_filteroptions_set_seed(bloomline_filteroptions_t*, uint64_t seed);
void bloomline_filteroptions_set_random_seed(bloomline_filteroptions_t*, uint8_t random_seed);
uint8_t bloomline_filteroptions_validate(const bloomline_filteroptions_t*, char** errptr);

/* DrawSeed in seed.h; 0 on failure. */
uint64_t bloomline_draw_seed(char** errptr);

/* Sizing: sizing.h */

double bloomline_false_positive_rate(int format, double bits_per_key);
double bloomline_bits_per_key_for_false_positive_rate(int format, double rate);
uint8_t bloomline_validate_false_positive_rate(int format, double rate, char** errptr);
uint64_t bloomline_filter_bytes(int format, uint64_t num_keys, double bits_per_key);

/* Bits by level: level_sizing.h. Here bits per key are those of a RocksDB policy: in ribbon, the N
   of ribbonfilter:N. runs_of_level may be NULL. */

uint8_t bloomline_keys_of_levels(int num_levels, double level_size_ratio, double* keys_of_level);
uint8_t bloomline_spread_bits_by_level(int format, double bits_per_key, const double* keys_of_level,
                                       const double* runs_of_level, int num_levels,
                                       double* bits_of_level, char** errptr);
double bloomline_wasted_reads(int format, const double* bits_of_level, const double* runs_of_level,
                              int num_levels);
double bloomline_bits_per_key_for_wasted_reads(int format, double wasted_reads,
                                               const double* keys_of_level,
                                               const double* runs_of_level, int num_levels);

/* Building static filters: filter.h. Creation fails if the C++ constructor would set error(). */

bloomline_builder_t* bloomline_builder_create(const bloomline_filteroptions_t* options,
                                              char** errptr);
void bloomline_builder_destroy(bloomline_builder_t*);
void bloomline_builder_add_key(bloomline_builder_t*, const char* key, size_t key_length);
void bloomline_builder_add_keys(bloomline_builder_t*, size_t num_keys, const char* const* keys,
                                const size_t* key_lengths);
void bloomline_builder_add_key_and_prefix(bloomline_builder_t*, const char* key, size_t key_length,
                                          const char* prefix, size_t prefix_length);
uint64_t bloomline_builder_hash_of(const bloomline_builder_t*, const char* key, size_t key_length);
void bloomline_builder_add_hash(bloomline_builder_t*, uint64_t hash);
size_t bloomline_builder_num_keys(const bloomline_builder_t*);
uint8_t bloomline_builder_take_keys_from(bloomline_builder_t*, bloomline_builder_t* other);
/* Fails if memory ran out, here or when a key was added, or if no random seed could be drawn. These
   keys then get no filter. */
char* bloomline_builder_finish(bloomline_builder_t*, int num_threads, size_t* filter_length,
                               char** errptr);

/* Reading static filters: filter.h */

/* Returns NULL if memory runs out. Bytes that are not understood match every key; validate says
   why, also for a compact filter of bloomline before 0.4.0. */
bloomline_view_t* bloomline_view_open(const char* filter, size_t filter_length);
void bloomline_view_destroy(bloomline_view_t*);
uint8_t bloomline_view_validate(const char* filter, size_t filter_length, char** errptr);
uint8_t bloomline_view_may_match(const bloomline_view_t*, const char* key, size_t key_length);
void bloomline_view_may_match_keys(const bloomline_view_t*, size_t num_keys,
                                   const char* const* keys, const size_t* key_lengths,
                                   uint8_t* may_match);
uint64_t bloomline_hash_key(const char* key, size_t key_length, uint64_t seed);

uint64_t bloomline_view_hash_of(const bloomline_view_t*, const char* key, size_t key_length);
uint8_t bloomline_view_may_match_hash(const bloomline_view_t*, uint64_t hash);
void bloomline_view_may_match_hashes(const bloomline_view_t*, size_t num_hashes,
                                     const uint64_t* hashes, uint8_t* may_match);
uint8_t bloomline_view_always_matches(const bloomline_view_t*);
int bloomline_view_num_probes(const bloomline_view_t*);

/* Bloom filters in memory, saved and mapped: bloom_filter.h */

enum {
  bloomline_bloom_blocked = 0,
  bloomline_bloom_standard = 1,
  bloomline_bloom_blocked128 = 2,
  bloomline_bloom_blocked64 = 3
};

bloomline_bloomoptions_t* bloomline_bloomoptions_create(void);
void bloomline_bloomoptions_destroy(bloomline_bloomoptions_t*);
void bloomline_bloomoptions_set_capacity(bloomline_bloomoptions_t*, uint64_t num_keys);
void bloomline_bloomoptions_set_false_positive_rate(bloomline_bloomoptions_t*, double rate);
void bloomline_bloomoptions_set_num_bits(bloomline_bloomoptions_t*, uint64_t num_bits);
void bloomline_bloomoptions_set_num_probes(bloomline_bloomoptions_t*, int num_probes);
void bloomline_bloomoptions_set_layout(bloomline_bloomoptions_t*, int layout);
void bloomline_bloomoptions_set_seed(bloomline_bloomoptions_t*, uint64_t seed);

bloomline_bloom_t* bloomline_bloom_create(const bloomline_bloomoptions_t* options, char** errptr);
bloomline_bloom_t* bloomline_bloom_copy(const bloomline_bloom_t* from, char** errptr);
bloomline_bloom_t* bloomline_bloom_load(const char* path, char** errptr);
bloomline_bloom_t* bloomline_bloom_from_bytes(const char* bytes, size_t length, char** errptr);
/* A MappedBloomFilter, for functions that take a const handle. */
const bloomline_bloom_t* bloomline_bloom_open_mapped(const char* path, uint8_t verify_payload,
                                                     char** errptr);
void bloomline_bloom_destroy(const bloomline_bloom_t*);

uint8_t bloomline_bloom_add_key(bloomline_bloom_t*, const char* key, size_t key_length);
size_t bloomline_bloom_add_keys(bloomline_bloom_t*, size_t num_keys, const char* const* keys,
                                const size_t* key_lengths, uint8_t* changed);
uint8_t bloomline_bloom_may_match(const bloomline_bloom_t*, const char* key, size_t key_length);
void bloomline_bloom_may_match_keys(const bloomline_bloom_t*, size_t num_keys,
                                    const char* const* keys, const size_t* key_lengths,
                                    uint8_t* may_match);
uint64_t bloomline_bloom_hash_of(const bloomline_bloom_t*, const char* key, size_t key_length);
uint8_t bloomline_bloom_add_hash(bloomline_bloom_t*, uint64_t hash);
uint8_t bloomline_bloom_may_match_hash(const bloomline_bloom_t*, uint64_t hash);

uint8_t bloomline_bloom_merge(bloomline_bloom_t*, const bloomline_bloom_t* other, char** errptr);
uint8_t bloomline_bloom_intersect(bloomline_bloom_t*, const bloomline_bloom_t* other,
                                  char** errptr);
uint8_t bloomline_bloom_save(const bloomline_bloom_t*, const char* path, char** errptr);
char* bloomline_bloom_to_bytes(const bloomline_bloom_t*, size_t* length, char** errptr);
void bloomline_bloom_clear(bloomline_bloom_t*);

uint8_t bloomline_bloom_equal(const bloomline_bloom_t*, const bloomline_bloom_t*);
int bloomline_bloom_layout(const bloomline_bloom_t*);
uint64_t bloomline_bloom_num_bits(const bloomline_bloom_t*);
int bloomline_bloom_num_probes(const bloomline_bloom_t*);
uint64_t bloomline_bloom_seed(const bloomline_bloom_t*);
uint64_t bloomline_bloom_capacity(const bloomline_bloom_t*);
uint64_t bloomline_bloom_num_keys(const bloomline_bloom_t*);
uint8_t bloomline_bloom_is_past_capacity(const bloomline_bloom_t*);
uint64_t bloomline_bloom_estimated_num_keys(const bloomline_bloom_t*);
double bloomline_bloom_estimated_false_positive_rate(const bloomline_bloom_t*);

/* Bloom filters that many threads change: atomic_bloom_filter.h. Threads may call all functions at
   once, except bloomline_atomic_to_bloom and bloomline_atomic_destroy. */

bloomline_atomic_t* bloomline_atomic_create(const bloomline_bloomoptions_t* options, char** errptr);
/* Destroys the argument. Without memory, returns NULL, and the argument stays the caller's. */
bloomline_atomic_t* bloomline_atomic_from_bloom(bloomline_bloom_t*);
bloomline_bloom_t* bloomline_atomic_to_bloom(bloomline_atomic_t*);
bloomline_bloom_t* bloomline_atomic_snapshot(const bloomline_atomic_t*, char** errptr);
void bloomline_atomic_destroy(bloomline_atomic_t*);

uint8_t bloomline_atomic_add_key(bloomline_atomic_t*, const char* key, size_t key_length);
size_t bloomline_atomic_add_keys(bloomline_atomic_t*, size_t num_keys, const char* const* keys,
                                 const size_t* key_lengths, uint8_t* changed);
uint8_t bloomline_atomic_may_match(const bloomline_atomic_t*, const char* key, size_t key_length);
void bloomline_atomic_may_match_keys(const bloomline_atomic_t*, size_t num_keys,
                                     const char* const* keys, const size_t* key_lengths,
                                     uint8_t* may_match);
uint64_t bloomline_atomic_hash_of(const bloomline_atomic_t*, const char* key, size_t key_length);
uint8_t bloomline_atomic_add_hash(bloomline_atomic_t*, uint64_t hash);
uint8_t bloomline_atomic_may_match_hash(const bloomline_atomic_t*, uint64_t hash);

int bloomline_atomic_layout(const bloomline_atomic_t*);
uint64_t bloomline_atomic_num_bits(const bloomline_atomic_t*);
int bloomline_atomic_num_probes(const bloomline_atomic_t*);
uint64_t bloomline_atomic_seed(const bloomline_atomic_t*);
uint64_t bloomline_atomic_capacity(const bloomline_atomic_t*);
uint64_t bloomline_atomic_estimated_num_keys(const bloomline_atomic_t*);
double bloomline_atomic_estimated_false_positive_rate(const bloomline_atomic_t*);

/* Scalable filters: scalable_bloom_filter.h */

bloomline_scalableoptions_t* bloomline_scalableoptions_create(void);
void bloomline_scalableoptions_destroy(bloomline_scalableoptions_t*);
void bloomline_scalableoptions_set_initial_capacity(bloomline_scalableoptions_t*,
                                                    uint64_t num_keys);
void bloomline_scalableoptions_set_false_positive_rate(bloomline_scalableoptions_t*, double rate);
void bloomline_scalableoptions_set_growth(bloomline_scalableoptions_t*, int growth);
void bloomline_scalableoptions_set_tightening(bloomline_scalableoptions_t*, double tightening);
void bloomline_scalableoptions_set_layout(bloomline_scalableoptions_t*, int layout);
void bloomline_scalableoptions_set_seed(bloomline_scalableoptions_t*, uint64_t seed);

bloomline_scalable_t* bloomline_scalable_create(const bloomline_scalableoptions_t* options,
                                                char** errptr);
bloomline_scalable_t* bloomline_scalable_load(const char* path, char** errptr);
bloomline_scalable_t* bloomline_scalable_from_bytes(const char* bytes, size_t length,
                                                    char** errptr);
void bloomline_scalable_destroy(bloomline_scalable_t*);

uint8_t bloomline_scalable_add_key(bloomline_scalable_t*, const char* key, size_t key_length);
size_t bloomline_scalable_add_keys(bloomline_scalable_t*, size_t num_keys, const char* const* keys,
                                   const size_t* key_lengths, uint8_t* changed);
uint8_t bloomline_scalable_may_match(const bloomline_scalable_t*, const char* key,
                                     size_t key_length);
void bloomline_scalable_may_match_keys(const bloomline_scalable_t*, size_t num_keys,
                                       const char* const* keys, const size_t* key_lengths,
                                       uint8_t* may_match);

uint8_t bloomline_scalable_save(const bloomline_scalable_t*, const char* path, char** errptr);
char* bloomline_scalable_to_bytes(const bloomline_scalable_t*, size_t* length, char** errptr);
void bloomline_scalable_clear(bloomline_scalable_t*);

size_t bloomline_scalable_num_stages(const bloomline_scalable_t*);
uint64_t bloomline_scalable_num_bits(const bloomline_scalable_t*);
uint64_t bloomline_scalable_capacity(const bloomline_scalable_t*);
uint64_t bloomline_scalable_num_keys(const bloomline_scalable_t*);
uint64_t bloomline_scalable_estimated_num_keys(const bloomline_scalable_t*);
double bloomline_scalable_estimated_false_positive_rate(const bloomline_scalable_t*);
uint8_t bloomline_scalable_is_past_capacity(const bloomline_scalable_t*);

/* Counting filters: counting_bloom_filter.h. Remove only what was added. */

bloomline_countingoptions_t* bloomline_countingoptions_create(void);
void bloomline_countingoptions_destroy(bloomline_countingoptions_t*);
void bloomline_countingoptions_set_capacity(bloomline_countingoptions_t*, uint64_t num_keys);
void bloomline_countingoptions_set_false_positive_rate(bloomline_countingoptions_t*, double rate);
void bloomline_countingoptions_set_num_counters(bloomline_countingoptions_t*,
                                                uint64_t num_counters);
void bloomline_countingoptions_set_num_probes(bloomline_countingoptions_t*, int num_probes);
void bloomline_countingoptions_set_counter_bits(bloomline_countingoptions_t*, int counter_bits);
void bloomline_countingoptions_set_seed(bloomline_countingoptions_t*, uint64_t seed);

bloomline_counting_t* bloomline_counting_create(const bloomline_countingoptions_t* options,
                                                char** errptr);
bloomline_counting_t* bloomline_counting_load(const char* path, char** errptr);
bloomline_counting_t* bloomline_counting_from_bytes(const char* bytes, size_t length,
                                                    char** errptr);
void bloomline_counting_destroy(bloomline_counting_t*);

uint8_t bloomline_counting_add_key(bloomline_counting_t*, const char* key, size_t key_length);
uint8_t bloomline_counting_remove_key(bloomline_counting_t*, const char* key, size_t key_length);
uint8_t bloomline_counting_may_match(const bloomline_counting_t*, const char* key,
                                     size_t key_length);
uint32_t bloomline_counting_estimated_count(const bloomline_counting_t*, const char* key,
                                            size_t key_length);
size_t bloomline_counting_add_keys(bloomline_counting_t*, size_t num_keys, const char* const* keys,
                                   const size_t* key_lengths, uint8_t* answers);
size_t bloomline_counting_remove_keys(bloomline_counting_t*, size_t num_keys,
                                      const char* const* keys, const size_t* key_lengths,
                                      uint8_t* answers);
void bloomline_counting_may_match_keys(const bloomline_counting_t*, size_t num_keys,
                                       const char* const* keys, const size_t* key_lengths,
                                       uint8_t* may_match);

uint8_t bloomline_counting_merge(bloomline_counting_t*, const bloomline_counting_t* other,
                                 char** errptr);
uint8_t bloomline_counting_save(const bloomline_counting_t*, const char* path, char** errptr);
char* bloomline_counting_to_bytes(const bloomline_counting_t*, size_t* length, char** errptr);
bloomline_bloom_t* bloomline_counting_create_bloom(const bloomline_counting_t*, char** errptr);
void bloomline_counting_clear(bloomline_counting_t*);

uint8_t bloomline_counting_equal(const bloomline_counting_t*, const bloomline_counting_t*);
uint64_t bloomline_counting_num_counters(const bloomline_counting_t*);
int bloomline_counting_counter_bits(const bloomline_counting_t*);
int bloomline_counting_num_probes(const bloomline_counting_t*);
uint64_t bloomline_counting_seed(const bloomline_counting_t*);
uint64_t bloomline_counting_capacity(const bloomline_counting_t*);
uint32_t bloomline_counting_max_count(const bloomline_counting_t*);
uint64_t bloomline_counting_num_keys(const bloomline_counting_t*);
uint64_t bloomline_counting_num_saturated_counters(const bloomline_counting_t*);

/* Kernels: cpu.h */

const char* bloomline_active_kernel_name(void); /* static storage */
uint8_t bloomline_force_kernel(const char* name, char** errptr);

void bloomline_free(void*);
const char* bloomline_version(void); /* static storage */

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_H_ */

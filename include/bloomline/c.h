/* C bindings for bloomline. What each thing means, costs and promises stands in the C++ header
   named above its functions; here is only what differs.

   Some conventions, which follow LevelDB's c.h:

   (1) We expose just opaque struct pointers and functions. The caller owns what a function with
   "create", "open", "copy" or "load" in its name returns, and gives it back to the function with
   "destroy" in its name.

   (2) There is no type for keys: the caller passes pointer and length. A key may hold any bytes and
   may be empty; then the pointer may be NULL. Functions for many keys take an array of pointers and
   one of lengths.

   (3) Errors are represented by a null-terminated string: one sentence that names the value and the
   allowed range. All operations that can fail take a "char** errptr" as the last argument. One of
   these must be true on entry:
     *errptr == NULL
     *errptr points to a malloc()ed null-terminated error message
   On success, *errptr is unchanged. On failure, its old value is freed and it is set to a
   malloc()ed message; functions that return a pointer then return NULL. Should there be no memory
   even for the message, *errptr is NULL, and the returned NULL or 0 alone tells of the failure.

   (4) Bools have the type uint8_t (0 == false; rest == true).

   (5) All pointer arguments must be non-NULL, but for empty keys and where said otherwise; the
   destroy functions do nothing with NULL.

   (6) Memory that a function returns as "char*" is malloc()ed; free it with bloomline_free.

   (7) Functions whose handle is const may run on one handle in several threads at once, as long as
   no other function runs on it. Different handles are independent.

   (8) No function throws, and none loses a key.

   Link with bloomline::c. LevelDB's filter policy is in c_leveldb.h. */
#ifndef BLOOMLINE_C_H_
#define BLOOMLINE_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exported types */

typedef struct bloomline_filteroptions_t bloomline_filteroptions_t;
typedef struct bloomline_builder_t bloomline_builder_t;
typedef struct bloomline_view_t bloomline_view_t;

/* Formats: filter_options.h */

enum { bloomline_format_classic = 0, bloomline_format_blocked = 1, bloomline_format_compact = 2 };

/* Options of static filters: filter_options.h. A new object has the defaults. Values are checked
   where the options are used. */

/* NULL: out of memory. */
extern bloomline_filteroptions_t* bloomline_filteroptions_create(void);
extern void bloomline_filteroptions_destroy(bloomline_filteroptions_t*);
extern void bloomline_filteroptions_set_format(bloomline_filteroptions_t*, int format);
extern void bloomline_filteroptions_set_bits_per_key(bloomline_filteroptions_t*,
                                                     double bits_per_key);
extern void bloomline_filteroptions_set_seed(bloomline_filteroptions_t*, uint64_t seed);

/* Sizing: sizing.h. NaN or 0 for what is impossible, also for an unknown format. */

extern double bloomline_false_positive_rate(int format, double bits_per_key);
extern double bloomline_bits_per_key_for_false_positive_rate(int format, double rate);
extern uint64_t bloomline_filter_bytes(int format, uint64_t num_keys, double bits_per_key);

/* Building static filters: FilterBuilder in filter.h */

extern bloomline_builder_t* bloomline_builder_create(const bloomline_filteroptions_t* options,
                                                     char** errptr);
extern void bloomline_builder_destroy(bloomline_builder_t*);
extern void bloomline_builder_add_key(bloomline_builder_t*, const char* key, size_t key_length);
extern void bloomline_builder_add_key_and_prefix(bloomline_builder_t*, const char* key,
                                                 size_t key_length, const char* prefix,
                                                 size_t prefix_length);
extern size_t bloomline_builder_num_entries(const bloomline_builder_t*);
/* False: format or seed differ, nothing was moved. */
extern uint8_t bloomline_builder_take_keys_from(bloomline_builder_t*, bloomline_builder_t* other);
/* The filter's bytes and their number; the builder is then empty and can be used again. num_threads
   is 1 or more. Fails when memory ran out: while keys were added, the builder is then empty, too;
   or now, it then still has all keys. */
extern char* bloomline_builder_finish(bloomline_builder_t*, int num_threads, size_t* filter_length,
                                      char** errptr);

/* Reading static filters: FilterView in filter.h */

/* Any bytes give a view; they must outlive it. NULL: out of memory. */
extern bloomline_view_t* bloomline_view_open(const char* filter, size_t filter_length);
extern void bloomline_view_destroy(bloomline_view_t*);
extern uint8_t bloomline_view_may_match(const bloomline_view_t*, const char* key,
                                        size_t key_length);
extern void bloomline_view_may_match_many(const bloomline_view_t*, size_t num_keys,
                                          const char* const* keys, const size_t* key_lengths,
                                          uint8_t* may_match);
extern uint8_t bloomline_view_always_matches(const bloomline_view_t*);
extern int bloomline_view_num_probes(const bloomline_view_t*);

/* Kernels: cpu.h */

extern const char* bloomline_active_kernel_name(void); /* static storage */
extern void bloomline_force_kernel(const char* name, char** errptr);

/* Miscellaneous */

extern void bloomline_free(void*);
extern const char* bloomline_version(void); /* as "0.1.0"; static storage */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_H_ */

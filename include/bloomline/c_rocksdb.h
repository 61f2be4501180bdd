/* bloomline as a filter policy for programs that use RocksDB through its C bindings, and for
   bindings of other languages on top of them.

     char* error = NULL;
     rocksdb_filterpolicy_t* policy = bloomline_rocksdb_filterpolicy_create("bloomline:10", &error);
     if (policy == NULL) return 1;  // error says why; rocksdb_free(error)
     rocksdb_block_based_options_set_filter_policy(table_options, policy);

   Or by name in RocksDB's option strings, for bindings without such a function:

     if (!bloomline_rocksdb_register(&error)) return 1;
     rocksdb_get_options_from_string(
         base, "block_based_table_factory={filter_policy=bloomline:10}", options, &error);

   In place of "bloomline:10", "{id=bloomline;format=compact;bits_by_level=auto}" spreads the bits
   over the levels of the database (docs/rocksdb.md). With "range_prefixes=auto" in such braces,
   scans can skip files (docs/ranges.md). This needs the extractor of this header, or, in option
   strings, "prefix_extractor=bloomline.ranges;" before "block_based_table_factory". All
   strings: docs/compatibility.md. docs/rocksdb.md says how to see that a database's files have the
   filter.

   Link with bloomline::rocksdb, and with the RocksDB whose C functions the program calls: a second
   one in the same process does not know the policy. Conventions as in bloomline/c.h, which is not
   needed. */
#ifndef BLOOMLINE_C_ROCKSDB_H_
#define BLOOMLINE_C_ROCKSDB_H_

#include <rocksdb/c.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the policy for what stands after `filter_policy=` in an option string: "bloomline",
   "bloomline:BITS_PER_KEY" or "{id=bloomline;OPTION=VALUE;...}". Thread-safe. Also does what
   bloomline_rocksdb_register does, so that the database's OPTIONS file can be loaded again.

   rocksdb_block_based_options_set_filter_policy takes it over. A policy that is not passed on is
   destroyed with rocksdb_filterpolicy_destroy. RocksDB calls it directly: it costs no more than in
   C++.

   On failure the result is NULL, which RocksDB takes as "no filters", and *errptr has the reason: a
   string or value that is not allowed (stderr then also has a line for a wrong value), RocksDB of
   another minor version than the one that bloomline was compiled for, or out of memory. */
extern rocksdb_filterpolicy_t* bloomline_rocksdb_filterpolicy_create(const char* options,
                                                                     char** errptr);

/* Returns the prefix extractor for filters with range entries: see NewRangeExtractor in
   rocksdb.h. rocksdb_options_set_prefix_extractor takes it over, or rocksdb_slicetransform_destroy
   destroys it. Scans need rocksdb_readoptions_set_iterate_upper_bound. On failure the result is
   NULL and *errptr has the reason, as above. */
extern rocksdb_slicetransform_t* bloomline_rocksdb_slicetransform_create_ranges(char** errptr);

/* Registers bloomline by name in RocksDB's default registry, as RegisterBloomline() in
   bloomline/rocksdb.h. Call it before options are parsed, from any thread, as often as you like.

   On failure the result is 0 and *errptr has the reason: the RocksDB of this process has another
   minor version than the one that bloomline was compiled for, or out of memory. Nothing is
   registered then, and RocksDB takes the name for unknown: it uses no filter.

   RocksDB returns no error for an option string that is wrong; stderr has a line. */
extern uint8_t bloomline_rocksdb_register(char** errptr);

/* Checks options of a column family in a string: "comparator=NAME;block_based_table_factory={...}".
   RocksDB itself returns no error for a comparator, merge operator, filter policy or other object
   whose name it does not know, and takes its default. Also does what bloomline_rocksdb_register
   does.

   On failure the result is 0 and *errptr has the reason: an option or name that is unknown, a value
   that is not allowed, or as above. */
extern uint8_t bloomline_rocksdb_validate_family_options(const char* options, char** errptr);

/* Gives the files of a column family the filter that its policy writes now: RewriteFilters in
   rewrite_filters.h, which has the rules. A `column_family` of NULL is the default one.

   `options` are those of RewriteOptions that are numbers or flags, by name:
   "bytes_per_second=20000000;include_level0=true". "" has the defaults.

   progress(state, bytes_done, bytes_to_rewrite), if not NULL, is called before each file and at the
   end. If it returns 0, the call ends soon after.

   Returns 1 if nothing went wrong, and sets *num_skipped, if that is not NULL, to the number of
   files that still have another filter. *report, if `report` is not NULL, is the report as text;
   pass it to rocksdb_free. On failure the result is 0 and *errptr has the reason; *report then says
   what was done until then. */
extern uint8_t bloomline_rocksdb_rewrite_filters(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family, const char* options,
    uint8_t (*progress)(void* state, uint64_t bytes_done, uint64_t bytes_to_rewrite), void* state,
    uint64_t* num_skipped, char** report, char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_ROCKSDB_H_ */

/* bloomline as a filter policy for programs that use RocksDB's C bindings.

     rocksdb_filterpolicy_t* policy = bloomline_rocksdb_filterpolicy_create("bloomline:10", &error);
     rocksdb_block_based_options_set_filter_policy(table_options, policy);

   Before option strings with this name are parsed (docs/compatibility.md), call
   bloomline_rocksdb_register.

   bits_by_level=auto and `memory` need a listener of the database, the FilterAccount of
   filter_account.h. RocksDB's C functions set none, but an option string does (`options` are then
   those of `base`, with the listener):

     bloomline_rocksdb_register(&error);
     rocksdb_get_options_from_string(base, "listeners=bloomline.account", options, &error);

   Follows the conventions of c.h. The first three functions register the names, and fail if RocksDB
   has another minor version than bloomline was compiled for. Link bloomline::rocksdb and the
   RocksDB that the program calls. */
#ifndef BLOOMLINE_C_ROCKSDB_H_
#define BLOOMLINE_C_ROCKSDB_H_

#include <rocksdb/c.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#endif

/* Returns the policy for the text after `filter_policy=` in an option string: "bloomline",
   "bloomline:BITS_PER_KEY" or "{id=bloomline;OPTION=VALUE;...}". Fails if an option is wrong or
   given twice; stderr then gets a line if errptr is NULL. Thread-safe.

   As with RocksDB's own policies, either give the policy to table options once
   (rocksdb_block_based_options_set_filter_policy), which then own it, or destroy it once
   (rocksdb_filterpolicy_destroy): a policy that is freed twice may crash the program. Databases and
   column families may share it through one object of table options. */
rocksdb_filterpolicy_t* bloomline_rocksdb_filterpolicy_create(const char* options, char** errptr);

/* Calls RegisterBloomline (rocksdb.h). */
uint8_t bloomline_rocksdb_register(char** errptr);

/* Checks a string of column-family options, "comparator=NAME;block_based_table_factory={...}": for
   an unknown object name, RocksDB itself silently takes its default. */
uint8_t bloomline_rocksdb_validate_family_options(const char* options, char** errptr);

/* Experimental: RangeScan (rocksdb_range_filter.h), for RocksDB 11.8 and later; with others it
   fails, and sets nothing. Copies the range, from `lower` to `upper` without `upper`, and sets both
   bounds and the table filter of `options`, whatever they were. Destroy iterators that were made
   with `options` before you call it again, and before `options`. `auto` does not learn from these
   scans, and no metric counts them. The filters are made by
   "table_properties_collectors={id=bloomline.ranges}". */
uint8_t bloomline_rocksdb_readoptions_set_range(rocksdb_readoptions_t* options, const char* lower,
                                                size_t lower_bytes, const char* upper,
                                                size_t upper_bytes, char** errptr);

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_ROCKSDB_H_ */

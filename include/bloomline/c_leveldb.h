/* bloomline as a filter policy for programs that use LevelDB through its own C bindings.
   Conventions as in bloomline/c.h, which is not needed. Link with bloomline::leveldb. */
#ifndef BLOOMLINE_C_LEVELDB_H_
#define BLOOMLINE_C_LEVELDB_H_

#include <leveldb/c.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A policy for leveldb_options_set_filter_policy, see bloomline/leveldb.h: under LevelDB's own
   name, so that it reads the filters that LevelDB wrote, and LevelDB its. It must outlive the
   database; give it back to leveldb_filterpolicy_destroy. `format` is 0 (classic), 1 (blocked) or
   2 (compact), the constants of c.h. NULL and *errptr for a format or bits_per_key that is not
   allowed.

   LevelDB's bindings hand over lists of keys and copy each filter once more than its C++ interface
   does; a query costs one indirect call more. */
extern leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create(int format,
                                                                     double bits_per_key,
                                                                     char** errptr);

/* The same under a name of the caller's own and, if seed is not 0, with that seed: see
   NewLevelDBFilterPolicy. The caller keeps the seed; bloomline_draw_seed in c.h draws one. */
extern leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create_with_seed(
    int format, double bits_per_key, const char* name, uint64_t seed, char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_LEVELDB_H_ */

/* bloomline as a filter policy for programs that use LevelDB's C bindings. Follows the conventions
   of c.h. Link bloomline::leveldb. */
#ifndef BLOOMLINE_C_LEVELDB_H_
#define BLOOMLINE_C_LEVELDB_H_

#include <leveldb/c.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#endif

/* Calls NewLevelDBFilterPolicy (leveldb.h) with LevelDB's own name. leveldb_filterpolicy_destroy
   destroys the policy. `format` is 0 (classic), 1 (blocked) or 2 (compact). */
leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create(int format, double bits_per_key,
                                                              char** errptr);

/* Also takes a name, and a seed (0 for none), which the caller stores. */
leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create_with_seed(
    int format, double bits_per_key, const char* name, uint64_t seed, char** errptr);

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_LEVELDB_H_ */

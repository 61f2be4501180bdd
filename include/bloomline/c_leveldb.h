/* bloomline as a filter policy for programs that use LevelDB's C bindings. Conventions as in c.h,
   which has the formats' constants. Link with bloomline::leveldb. */
#ifndef BLOOMLINE_C_LEVELDB_H_
#define BLOOMLINE_C_LEVELDB_H_

#include <leveldb/c.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a policy under LevelDB's own name (leveldb.h). The caller owns it, and destroys it with
   leveldb_filterpolicy_destroy after the database is closed. Thread-safe. `format` is 0 (classic),
   1 (blocked) or 2 (compact). Returns NULL, with the reason in *errptr, if a value is not allowed
   or memory is missing.

   Cost beside C++: LevelDB's bindings copy the list of keys and each filter once more. */
extern leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create(int format,
                                                                     double bits_per_key,
                                                                     char** errptr);

/* The same under the caller's own name, which is copied, and with `seed` (0: none): see
   NewLevelDBFilterPolicy in leveldb.h. The caller stores the seed. */
extern leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create_with_seed(
    int format, double bits_per_key, const char* name, uint64_t seed, char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_LEVELDB_H_ */

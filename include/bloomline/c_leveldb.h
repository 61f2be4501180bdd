/* bloomline as a filter policy for programs that use LevelDB through its C bindings.

     char* error = NULL;
     leveldb_filterpolicy_t* policy =
         bloomline_leveldb_filterpolicy_create(bloomline_format_blocked, 10, &error);
     if (policy == NULL) return 1;  // error says why; leveldb_free(error)
     leveldb_options_set_filter_policy(options, policy);

   Link with bloomline::leveldb. Conventions as in bloomline/c.h. c.h is needed only for the
   constants and for bloomline_draw_seed (link with bloomline::c as well). What the filters mean to
   a LevelDB without bloomline is in bloomline/leveldb.h. */
#ifndef BLOOMLINE_C_LEVELDB_H_
#define BLOOMLINE_C_LEVELDB_H_

#include <leveldb/c.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a policy under LevelDB's own name: it uses LevelDB's filters, and LevelDB reads its
   filters, except classic ones, as "may match". The caller owns it, keeps it until the database is
   closed, and then passes it to leveldb_filterpolicy_destroy. Thread-safe.

   `format` is 0 (classic), 1 (blocked) or 2 (compact), the constants of c.h; bits_per_key as in
   filter_options.h. On failure the result is NULL and *errptr has the reason: a value that is not
   allowed, or out of memory.

   Cost, compared with the C++ interface: LevelDB's bindings copy the list of keys and each filter
   once more, and a query takes one more indirect call. */
extern leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create(int format,
                                                                     double bits_per_key,
                                                                     char** errptr);

/* The same under the caller's own name, which is copied, and with `seed` (0: none): see
   NewLevelDBFilterPolicy in leveldb.h. LevelDB's own name needs seed 0, and then this does what the
   function above does. The caller must store the seed. bloomline_draw_seed in c.h draws one. */
extern leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create_with_seed(
    int format, double bits_per_key, const char* name, uint64_t seed, char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_LEVELDB_H_ */

/* bloomline for programs that use RocksDB through its C bindings, and for other languages: it makes
   the policy known to RocksDB's option strings.

     char* error = NULL;
     if (!bloomline_rocksdb_register(&error)) return 1;  // error says why; rocksdb_free(error)
     rocksdb_get_options_from_string(
         base, "block_based_table_factory={filter_policy=bloomline:10}", options, &error);

   In place of "bloomline:10", "{id=bloomline;format=compact;bits_by_level=auto}" spreads the bits
   over the levels of the database (docs/levels.md). With "prefix_extractor=bloomline.ranges;"
   before "block_based_table_factory", and "range_prefixes=auto" in such braces, scans can skip
   files (docs/ranges.md). All strings: docs/compatibility.md. RocksDB returns no error for a string
   that is wrong; stderr has a line. docs/rocksdb.md says how to see that a database's files have
   the filter.

   Link with bloomline::rocksdb. Conventions as in bloomline/c.h, which is not needed. */
#ifndef BLOOMLINE_C_ROCKSDB_H_
#define BLOOMLINE_C_ROCKSDB_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Registers bloomline by name in RocksDB's default registry, as RegisterBloomline() in
   bloomline/rocksdb.h. Call it before options are parsed, from any thread, as often as you like.

   On failure the result is 0 and *errptr has the reason: the RocksDB of this process has another
   minor version than the one that bloomline was compiled for, or out of memory. Nothing is
   registered then, and RocksDB takes the name for unknown: it uses no filter. */
extern uint8_t bloomline_rocksdb_register(char** errptr);

/* Makes a key canonicalizer known in option strings: {id=bloomline;canonicalizer=NAME}. It is for
   comparators that treat different keys as equal; key_canonicalizer.h and docs/comparators.md have
   the rules. Call it before options are parsed. A canonicalizer of the same name is replaced.

   canonicalize(state, key, key_length, buffer, buffer_length) writes a key's canonical form to
   `buffer` and returns its length. If the length is more than buffer_length, the bytes written are
   ignored, and it is called again with a buffer of that length. SIZE_MAX means that the key has no
   canonical form: the key then matches. Many threads may call it at once.

   The name is copied. destructor(state), if not NULL, is called when nothing uses the canonicalizer
   any more, which may be never. If this function fails, it is called at once.

   On failure the result is 0 and *errptr has the reason: the name is not allowed, `canonicalize` is
   NULL, or out of memory. */
extern uint8_t bloomline_rocksdb_register_canonicalizer(
    const char* name,
    size_t (*canonicalize)(void* state, const char* key, size_t key_length, char* buffer,
                           size_t buffer_length),
    void* state, void (*destructor)(void* state), char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BLOOMLINE_C_ROCKSDB_H_ */

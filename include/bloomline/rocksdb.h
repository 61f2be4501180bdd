// bloomline as a RocksDB filter policy. Public RocksDB headers only.
//
// RocksDB's filter interface is internal since 7.0, so the adaptor works only with the minor
// version of RocksDB that it was compiled against, and checks that when a policy is made.
#ifndef BLOOMLINE_ROCKSDB_H_
#define BLOOMLINE_ROCKSDB_H_

#include <memory>
#include <string>

#include "bloomline/filter_options.h"
#include "rocksdb/filter_policy.h"

namespace ROCKSDB_NAMESPACE {
class ObjectLibrary;
}

namespace bloomline {

// A policy for rocksdb::BlockBasedTableOptions::filter_policy; thread-safe. It shares RocksDB's
// family name `rocksdb.BuiltinBloomFilter`: it reads every Bloom and Ribbon filter RocksDB wrote,
// and stock RocksDB reads ours as "may match" (docs/format.md, section 5).
//
// As in RocksDB's own policies, 0 <= bits_per_key < 0.5 writes no filters (but reads existing ones)
// and 0.5 to 1 counts as 1. Otherwise invalid options, or a RocksDB of another version at run time,
// and random_seed where the system's generator fails, give nullptr; the reason goes to *error if it
// is not null, else to stderr. RocksDB takes a null policy as "no filters". A generator that fails
// later gives filters that match everything. So does missing memory; in compact it may be blocks of
// a filter, and a file may get none at all. The database's log has a line for each, and stderr one
// in the life of the process.
//
// Also calls RegisterBloomline().
std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(const FilterOptions& options,
                                                                    std::string* error = nullptr);

// Makes the option strings `filter_policy=bloomline:10` and
// `filter_policy={id=bloomline;format=blocked;bits_per_key=9.5}` known to RocksDB, also in OPTIONS
// files. Without it, RocksDB loads an options file that names bloomline with OK and no filter at
// all. Call it before options are parsed; more than once is harmless. Thread-safe. False: out of
// memory, and the names are not known yet.
//
// RocksDB also drops most errors in such a string, so they go to stderr as well, one line each:
// docs/compatibility.md says which calls return them. DB::SetOptions changes the options of a
// running database, all that it names or, with an error, none. `seed=random` is
// FilterOptions::random_seed, and OPTIONS files then say `random`, too.
bool RegisterBloomline();

// The same into a given library, in the form that RocksDB's plugin loading wants; `arg` is ignored.
// Returns the number of factories added, 0 if out of memory.
int RegisterBloomline(rocksdb::ObjectLibrary& library, const std::string& arg);

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_H_

// bloomline as a filter policy of RocksDB: it builds and reads the filters in RocksDB's table
// files.
//
//   bloomline::FilterOptions options;  // blocked, 10 bits per key
//   std::string error;
//   ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
//   table.filter_policy = bloomline::NewRocksDBFilterPolicy(options, &error);
//   if (table.filter_policy == nullptr) return 1;  // error says why
//   db_options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
//
// ROCKSDB_NAMESPACE is RocksDB's macro for its namespace: `rocksdb` unless its build set another
// one. bloomline and the program then need the same setting.
//
// The filters of existing tables: the policy has the family name of RocksDB's own policies,
// `rocksdb.BuiltinBloomFilter`. It reads and uses every Bloom and Ribbon filter that RocksDB wrote.
// RocksDB without bloomline reads bloomline's filters as "may match". Its results are right, but
// lookups of missing keys read from disk until a compaction writes RocksDB's own filters
// (docs/format.md, section 5; docs/compatibility.md).
//
// Versions: RocksDB's filter interface is internal since 7.0. So bloomline works only with the
// minor version of RocksDB that it was compiled against, and checks that when a policy is made.
//
// Memory: builders keep up to 80 MiB for the next filter of a database that writes large ones all
// the time; build_memory.h has the rules, and functions to limit or empty that.
//
// Link with bloomline::rocksdb. All functions and policies are thread-safe. This header includes
// public headers of RocksDB only.
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

// Returns a policy for BlockBasedTableOptions::filter_policy. Also calls RegisterBloomline(), so
// that the OPTIONS files that RocksDB writes can be loaded again.
//
// Options: the format is kBlocked or kCompact. As in RocksDB's own policies, 0 <= bits_per_key <
// 0.5 writes no filters (but reads existing ones), and 0.5 to 1 counts as 1, which kCompact
// refuses.
//
// Errors: returns null if the options are invalid, if RocksDB has another version at run time, if
// random_seed is set and the system's generator fails, or out of memory. *error then has the
// reason; if `error` is null, stderr has it. On success *error is left alone. Check for null:
// RocksDB takes a null policy as "no filters".
//
// After that the policy cannot fail, even if the generator fails or memory runs out. It then writes
// a filter that matches everything, or none; in kCompact possibly only some blocks that match
// everything. The database's log has a line for each, stderr one for the whole process.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewRocksDBFilterPolicy(
    const FilterOptions& options, std::string* error = nullptr);

// Registers bloomline by name, so that RocksDB knows it in option strings and OPTIONS files:
//
//   filter_policy=bloomline:10                                         bits per key
//   filter_policy={id=bloomline;format=compact;bits_per_key=7.5;seed=random}
//
// `seed=random` is FilterOptions::random_seed. DB::SetOptions changes the same options of a running
// database: all that it names or, if it returns an error, none.
//
//   db->SetOptions({{"block_based_table_factory", "{filter_policy={bits_per_key=16;};}"}});
//
// Call it before options are parsed, as often as you like. Without it, RocksDB returns OK for an
// OPTIONS file that names bloomline, but then uses no filter. RocksDB also drops most errors in
// such a string, so they go to stderr as well, one line each; docs/compatibility.md says which
// calls return them. Returns false if RocksDB has another version at run time, which stderr then
// says, or out of memory; the names are then not known yet.
bool RegisterBloomline();

// Registers the same names in a given library, with the signature that RocksDB's plugins have;
// `arg` is ignored. Returns the number of factories added: 0 where the function above returns
// false.
//
//   std::shared_ptr<ROCKSDB_NAMESPACE::ObjectLibrary> library = ...;
//   bloomline::RegisterBloomline(*library, "");
//
// The name is overloaded: where RocksDB takes a function, pass a lambda that makes this call.
int RegisterBloomline(ROCKSDB_NAMESPACE::ObjectLibrary& library, const std::string& arg);

}  // namespace bloomline

// The same for RocksDB's build, which cannot name an overloaded function of a namespace: a RocksDB
// with bloomline compiled into it calls this at its start (docs/rocksdb.md).
extern "C" int bloomline_rocksdb_plugin(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                        const std::string& arg);

#endif  // BLOOMLINE_ROCKSDB_H_

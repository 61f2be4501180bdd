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
// The filters of existing tables: the policy has the compatibility name of RocksDB's policies,
// `rocksdb.BuiltinBloomFilter`. It reads and uses every Bloom and Ribbon filter that RocksDB wrote,
// with SIMD chosen at run time. RocksDB without bloomline reads the filters of kBlocked and
// kCompact as "may match". Its results are right, but lookups of missing keys read from disk until
// a compaction writes RocksDB's own filters (docs/format.md, section 5; docs/compatibility.md). It
// uses the filters of kBloom and kRibbon, which are its own.
//
// Versions: RocksDB's filter interface has been internal since 7.0. So bloomline works only with
// the minor version of RocksDB that it was compiled against, and checks that when a policy is made.
//
// Memory: the policy honours optimize_filters_for_memory (docs/rocksdb.md).
//
// Link with bloomline::rocksdb. All functions and policies are thread-safe. This header includes
// public headers of RocksDB only.
#ifndef BLOOMLINE_ROCKSDB_H_
#define BLOOMLINE_ROCKSDB_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "bloomline/key_canonicalizer.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice_transform.h"

namespace ROCKSDB_NAMESPACE {
class ColumnFamilyHandle;
class DB;
class ObjectLibrary;
}  // namespace ROCKSDB_NAMESPACE

namespace bloomline {

// Options of the RocksDB policy. Those of FilterOptions alone give every file the same format and
// bits per key. The ones below choose a file's filter by what RocksDB says when it creates the
// file: its level, whether older data lies below it, and whether it is a flush. docs/rocksdb.md has
// measurements.
//
//   bloomline::RocksDBFilterOptions options;
//   options.format = bloomline::Format::kCompact;
//   options.auto_bits_by_level = true;
//
// A file keeps its filter for as long as it exists, also when RocksDB moves it to another level
// without rewriting it, and when the options change.
struct RocksDBFilterOptions : FilterOptions {
  RocksDBFilterOptions() = default;
  explicit RocksDBFilterOptions(const FilterOptions& options) : FilterOptions(options) {}

  // Spreads the memory of bits_per_key so that false positives waste as few reads of blocks as
  // possible (Monkey: Dayan, Athanassoulis, Idreos 2017): more bits for the small levels, fewer for
  // the largest. The filters of all files together take as much memory as with bits_per_key
  // everywhere, if each level has level_size_ratio times as many keys as the one above it.
  bool auto_bits_by_level = false;

  // Or: the bits per key of each level, from level 0 on. The last number is for all deeper levels;
  // 0 means no filter. Other numbers are in the range of `format`. bits_per_key then applies only
  // to files of unknown level, such as those that SstFileWriter writes. Cannot be combined with
  // auto_bits_by_level.
  std::vector<double> bits_by_level;

  // For auto_bits_by_level: the number of levels from level 0 to the deepest one with files, 6 if
  // that is level 5. Range: 2 to kMaxLevels. 0: the policy learns it from the files that RocksDB
  // creates, and until then uses RocksDB's Options::num_levels.
  int num_levels = 0;
  static constexpr int kMaxLevels = 64;

  // For auto_bits_by_level: RocksDB's max_bytes_for_level_multiplier. Range: 1 to 1000.
  double level_size_ratio = 10.0;

  // The format of files that are flushed from memory or written by recovery, if it is not `format`.
  // kBlocked is built faster, and the next compaction replaces it.
  std::optional<Format> flush_format;

  // Set to false to write no filters for bottommost files, which have no older data below them.
  // That saves about 90 % of the filters' memory; each missing key then costs a read.
  bool filters_at_bottom = true;

  // The most bytes that the filters of all files together may take; 0: no limit. As their sum nears
  // it, new files get fewer bits per key, and more again as files are deleted: at most
  // bits_per_key, and never less than 3, or than bits_per_key if that is less. The bits are divided
  // by level as in auto_bits_by_level. Range: 0 to 2^60. Cannot be combined with bits_by_level.
  //
  // The sum is that of a FilterAccount (filter_account.h) among DBOptions::listeners. DB::Open
  // refuses a database without one. Policies whose databases share an account share its memory.
  // docs/operating.md has the rule and measurements.
  uint64_t memory_bytes = 0;

  // The most bytes of one filter; 0: no limit. The filter of a file with more keys gets fewer bits
  // per key, but not less than 3, or than bits_per_key if that is less. A partition is a filter of
  // its own. Range: 0 to 2^60. In kBlocked and kCompact only.
  uint64_t max_filter_bytes = 0;

  // Range entries beside the keys, with which scans of empty ranges read almost nothing; see
  // NewRangeExtractor and docs/ranges.md. "auto": chosen for each file. Or a list, "4:8:after0x2f":
  // beginnings of keys of 4 and of 8 bytes, and up to each of the first 8 '/'. Up to 8 different
  // lengths of 1 to 64 bytes, or "1bits" to "512bits"; and delimiters in hexadecimal, where
  // "after0x2f@1+3" is the first and third '/' alone, and all delimiters together have up to 32
  // occurrences. Empty: none. Only for comparators with the order of bytes.
  std::string range_prefixes;

  // The memory for entries, in percent of that for keys: the mean of all levels, of which the upper
  // ones get more of it. The entries of a list get at least one bit each, which may be more. Range:
  // 1 to 400.
  double range_memory_percent = 20;

  // For kBloom and kRibbon alone: the policy calls itself bloomfilter:N or ribbonfilter:N, as
  // RocksDB's own does, so that ldb, secondaries, backups and programs without bloomline can load
  // the OPTIONS file. Nothing in the database then names bloomline, except the LOG. A program that
  // loads its own options from that file gets RocksDB's policy: it sets this one again. From
  // RocksDB 9.8 on, so does a program whose DB::SetOptions changes filter_policy, unless the change
  // is a whole policy, {id=bloomline;...} (docs/rocksdb.md).
  bool stock_id = false;

  // Empty if NewRocksDBFilterPolicy takes the options, else one sentence that names the value and
  // what is allowed.
  std::string Validate() const;
};

// Returns a policy for BlockBasedTableOptions::filter_policy. Also calls RegisterBloomline(), so
// that the OPTIONS files that RocksDB writes can be loaded again.
//
// Options: the format is not kClassic. As in RocksDB's own policies, 0 <= bits_per_key <
// 0.5 writes no filters (but reads existing ones), and 0.5 to 1 counts as 1, which kCompact
// refuses.
//
// Errors: returns null if the options are invalid, if RocksDB has another version at run time, or
// if random_seed is set and the system's generator fails. *error then has the reason; if `error` is
// null, stderr has it. On success *error is left alone. Check for null: RocksDB takes a null policy
// as "no filters".
//
// After that the policy cannot fail. If the generator fails, a filter matches everything: the
// database's log has a line for each, stderr one for the whole process. Without memory, the process
// ends, as with RocksDB's own filters.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewRocksDBFilterPolicy(
    const FilterOptions& options, std::string* error = nullptr);

// The same with all options: also bits by level.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewRocksDBFilterPolicy(
    const RocksDBFilterOptions& options, std::string* error = nullptr);

// Returns a policy around `policy`, of bloomline or of RocksDB, for a comparator that treats
// different keys as equal (key_canonicalizer.h, docs/keys.md). It hands on canonical forms
// in place of keys and prefixes. Its filters have a name of their own, with the canonicalizer's
// name in it, which no other policy looks for, and it looks for no other filters. OPTIONS files
// name it, but a program must set it in code: without that, RocksDB returns OK for such a file and
// uses no filter.
//
// Errors: returns null if an argument is null, if the canonicalizer's name has a character that is
// not allowed, if the policy has range_prefixes, or if RocksDB has another version at run time.
// *error then has the reason; if `error` is null, stderr has it.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewCanonicalRocksDBFilterPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer, std::string* error = nullptr);

// Registers bloomline by name, so that RocksDB knows it in option strings and OPTIONS files:
//
//   filter_policy=bloomline:10                                         bits per key
//   filter_policy=bloomline:10:false                                   the same, as in RocksDB
//   filter_policy={id=bloomline;format=compact;bits_per_key=7.5;seed=random}
//   filter_policy={id=bloomline;format=compact;bits_by_level=auto;flush_format=blocked}
//   filter_policy={id=bloomline;bits_by_level=24:20:16:12:9;filters_at_bottom=false}
//   filter_policy={id=bloomline;format=bloom;bits_by_level=auto;stock_id=true}
//
// `seed=random` is FilterOptions::random_seed. DB::SetOptions changes the same options of a running
// database: all that it names or, if it returns an error, none. RocksDB 9.8 and later return none:
// after a refused change the filters have the default options (docs/compatibility.md).
//
//   db->SetOptions({{"block_based_table_factory", "{filter_policy={bits_per_key=16;};}"}});
//
// Call it before options are parsed, as often as you like. Without it, RocksDB returns OK for an
// OPTIONS file that names bloomline, but then uses no filter. RocksDB also drops most errors in
// such a string, so they go to stderr as well, one line each; docs/compatibility.md says which
// calls return them. Returns false if RocksDB has another version at run time, which stderr then
// says; the names are then not known.
bool RegisterBloomline();

// Returns the prefix extractor that shows bloomline's filters the ranges of scans
// (docs/ranges.md). RegisterBloomline registers it as `bloomline.ranges`. With
//
//   options.prefix_extractor = bloomline::NewRangeExtractor();
//   read_options.iterate_upper_bound = &end;
//
// Iterator::Seek can skip each file whose filter has range entries (RocksDBFilterOptions) and
// no key in the range. `end` and its bytes must outlive the iterator. Other filters say nothing
// about ranges. All keys have the same prefix, so nothing else changes; DB::Open refuses options
// that need others. The comparator must be BytewiseComparator, or keys are lost: DB::Open refuses
// others, but RocksDB does not check that in CreateColumnFamily and SetOptions.
//
// Iterators need no auto_prefix_mode; with it, RocksDB saves 0.2 us for each table. Iterators
// without `end` query no filter. In OPTIONS files the extractor is `bloomline.ranges`; in the
// properties of tables it has an id that is never the same twice, `bloomline.ranges:17.42`. Calls
// RegisterBloomline. Null if that fails. With a RocksDB that was not tested, no range is
// rejected (docs/compatibility.md, section Ranges).
std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> NewRangeExtractor();

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

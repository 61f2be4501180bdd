// A filter policy that builds and reads the filters in RocksDB's table files.
//
//   ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
//   table.filter_policy = bloomline::NewRocksDBFilterPolicy(bloomline::FilterOptions(), &error);
//   if (table.filter_policy == nullptr) return 1;  // error says why
//   db_options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
//
// The policy uses every Bloom and Ribbon filter that RocksDB wrote. Compact filters of bloomline
// before 0.4 match every key, as do filters of kBlocked in RocksDB without bloomline
// (docs/compatibility.md).
//
// bloomline works only with the ROCKSDB_NAMESPACE and the minor version of RocksDB that it was
// compiled for. With another version at run time, all functions below but Validate fail.
//
// All functions and policies are thread-safe. If a result is null, the reason is in *error, or on
// stderr if `error` is null. Link bloomline::rocksdb.
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

namespace ROCKSDB_NAMESPACE {
class ColumnFamilyHandle;
class DB;
class ObjectLibrary;
struct ColumnFamilyOptions;
struct DBOptions;
struct Options;
}  // namespace ROCKSDB_NAMESPACE

namespace bloomline {

// Options that choose a file's filter by its level, by whether older data lies below it, and by
// whether a flush writes it (docs/rocksdb.md).
struct RocksDBFilterOptions : FilterOptions {
  RocksDBFilterOptions() = default;
  explicit RocksDBFilterOptions(const FilterOptions& options) : FilterOptions(options) {}

  // Spreads the memory of bits_per_key so that false positives waste the fewest block reads: levels
  // with fewer keys get more bits. With FIFO compaction, every file gets bits_per_key.
  //
  // With a FilterAccount among DBOptions::listeners (OptimizeForMissingKeys), a new file gets what
  // the filters of all other live files leave it: filters take at most 1.05 times the memory of
  // bits_per_key in every state, with leveled and universal compaction. The account does not see
  // the inputs of CompactFiles, and imported column families before CountFiles; after
  // DeleteFilesInRange of the last level, further writes bring the mean back.
  //
  // Without an account, the policy learns the levels from the files that it gets, and assumes the
  // least favourable number of keys in them: filters take at most 1.12 times the memory of
  // bits_per_key. Flushed files have more bits once files of level 0 were seen to be merged. With
  // universal compaction, every file then gets bits_per_key. LOG says that there is no account.
  bool auto_bits_by_level = false;

  // Alternatively, the bits per key of each level, from level 0 on, up to 64 numbers. 0 means no
  // filter; the last one applies to all deeper levels. bits_per_key then applies only to files of
  // unknown level, such as those of SstFileWriter. Incompatible with auto_bits_by_level.
  std::vector<double> bits_by_level;

  // Format of flushed and recovered files; by default `format`.
  std::optional<Format> flush_format;

  // For kRibbon: levels 0 to this number - 1, and flushed files, get kBloom filters. 0: only
  // flushed files; -1: none; at most 64. Recovered files count as level 0. With FIFO compaction or
  // none, all files get kRibbon filters. The Bloom filters are RocksDB's newer ones at every
  // format_version. Incompatible with flush_format.
  int bloom_before_level = -1;

  // If false, bottommost files, which have no older data below them, get no filter. That saves
  // about 90 % of the memory, but each missing key costs a read.
  bool filters_at_bottom = true;

  // Maximum bytes for the filters of all files, up to 2^60; 0: no limit. As their sum nears the
  // limit, new files get fewer bits per key, spread as with auto_bits_by_level: at least 3 or
  // bits_per_key, whichever is less. Incompatible with bits_by_level.
  //
  // Needs a FilterAccount (filter_account.h) among DBOptions::listeners, or DB::Open fails.
  // Databases that share an account (experimental) share its memory (docs/operating.md). Files of
  // an SstFileWriter, which has no database, get bits_per_key, and LOG, or stderr, says so once.
  uint64_t memory_bytes = 0;

  // Maximum bytes of one filter or partition, up to 2^60; 0: no limit. A larger one gets fewer
  // bits per key, but at least 3 as above. kBlocked only.
  uint64_t max_filter_bytes = 0;

  // For kBloom and kRibbon: the policy's name is bloomfilter:N or ribbonfilter:N, so programs
  // without bloomline can load the OPTIONS file. A program that loads it or, since RocksDB 9.8,
  // changes filter_policy by DB::SetOptions gets RocksDB's policy and must set this one again.
  bool stock_id = false;

  // Returns "", or why NewRocksDBFilterPolicy refuses the options.
  std::string Validate() const;
};

// Returns a policy for BlockBasedTableOptions::filter_policy. Also calls RegisterBloomline().
//
// Options: kBlocked, kBloom or kRibbon; seeds only in kBlocked. bits_per_key from 0 to below 0.5
// means no new filters, and 0.5 to 1 counts as 1.
//
// Returns null, which means "no filters" to RocksDB, if the options are invalid, or if random_seed
// is set and the system's generator fails. If it fails later, a filter matches every key, and LOG
// says so.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewRocksDBFilterPolicy(
    const FilterOptions& options, std::string* error = nullptr);
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewRocksDBFilterPolicy(
    const RocksDBFilterOptions& options, std::string* error = nullptr);

// Sets this policy in the table options, and adds a FilterAccount (filter_account.h) to the
// listeners unless one is there: bits by level need both. Call it before DB::Open, and after
// OptimizeForPointLookup, which replaces the table options. Column families of one database share
// the DBOptions.
//
// Returns false, and changes nothing, if NewRocksDBFilterPolicy refuses the options, or if the
// table factory is not RocksDB's block-based one.
bool OptimizeForMissingKeys(ROCKSDB_NAMESPACE::Options* options, const RocksDBFilterOptions& filter,
                            std::string* error = nullptr);
bool OptimizeForMissingKeys(ROCKSDB_NAMESPACE::DBOptions* database,
                            ROCKSDB_NAMESPACE::ColumnFamilyOptions* family,
                            const RocksDBFilterOptions& filter, std::string* error = nullptr);

// Returns the names of the given families of an open database that have no filter policy, in their
// order: their new files get no filters, and RocksDB reports no error. Families whose tables take
// no policy (plain, cuckoo) are not named. Null handles are skipped; a null database has no
// families. With another version of RocksDB, the list is empty, and stderr says why. Each family
// costs a copy of its options.
std::vector<std::string> FamiliesWithoutFilters(
    ROCKSDB_NAMESPACE::DB* db, const std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*>& families);

// Wraps `policy`, one of bloomline or RocksDB, for a comparator that treats different keys as equal
// (key_canonicalizer.h, docs/keys.md). No other policy uses its filters, and it uses no others. Set
// it in code: with an OPTIONS file alone, RocksDB returns OK and uses no filter. Returns null if an
// argument is null or the canonicalizer's name is not allowed.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewCanonicalRocksDBFilterPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer, std::string* error = nullptr);

// Registers bloomline by name, so that RocksDB knows it in option strings and OPTIONS files
// (docs/compatibility.md):
//
//   filter_policy=bloomline:10
//   filter_policy={id=bloomline;format=ribbon;bits_by_level=auto;flush_format=bloom}
//
// In these texts, format=compact, which bloomline had before 0.4, means kRibbon with as much
// memory, and LOG says so.
//
// Call this, once or repeatedly, before options are parsed: otherwise, RocksDB returns OK for a
// file that names bloomline, but uses no filter. RocksDB drops most errors in option strings: a
// policy whose options are refused prints the reason on stderr and makes DB::Open fail with it.
// Where RocksDB does not ask the policy (CreateColumnFamily, SstFileWriter, SetOptions since
// RocksDB 9.8), new files get RocksDB's own Bloom filters with 10 bits per key, and LOG says so. On
// failure, returns false, with a line on stderr.
bool RegisterBloomline();

// Registers the names in a given library; `arg` is ignored. Returns the number of factories added,
// 0 on failure.
int RegisterBloomline(ROCKSDB_NAMESPACE::ObjectLibrary& library, const std::string& arg);

}  // namespace bloomline

// Does the same in a RocksDB that contains bloomline (docs/rocksdb.md).
extern "C" int bloomline_rocksdb_plugin(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                        const std::string& arg);

#endif  // BLOOMLINE_ROCKSDB_H_

// Whether a filter policy would use a filter block. Both engines look a filter up by name, and
// silently ignore all others:
//
// - LevelDB (table/table.cc): the block "filter." + FilterPolicy::Name().
// - RocksDB (block_based_table_reader.cc): "fullfilter." or "partitionedfilter." +
//   FilterPolicy::CompatibilityName(), which is "rocksdb.BuiltinBloomFilter" for all its own
//   policies and for bloomline's. Since 7.0 it ignores blocks "filter.".
//
// A filter that is used may still be one that the policy does not understand. Then it answers "may
// match" to all keys.
#ifndef BLOOMLINE_DB_DIRECTORY_FILTER_NAMES_H_
#define BLOOMLINE_DB_DIRECTORY_FILTER_NAMES_H_

#include <string_view>

#include "src/db/sstable/table.h"

namespace bloomline::directory {

enum class PolicyUse {
  kUsed,
  kMayMatch,  // read, and it matches every key
  kIgnored,   // no filter at all
  kUnknown,   // a policy of the user's, whose name for filters is not known
};

struct FilterBlock {
  sstable::Engine engine = sstable::Engine::kRocksDB;
  sstable::FilterKind kind = sstable::FilterKind::kFull;
  std::string_view name;      // as Table::filter_name
  bool is_bloomline = false;  // a layout of bloomline's own, not classic
};

// `policy` is as in an OPTIONS file: "bloomfilter:10:false", "{id=ribbonfilter:10;}",
// "{id=bloomline;...}", "nullptr". For LevelDB it is FilterPolicy::Name(), or "bloomline" for
// bloomline's policy under LevelDB's name. "leveldb.BuiltinBloomFilter2" means LevelDB's own.
// Empty: not known.
PolicyUse UseOf(std::string_view policy, const FilterBlock& block);

// Whether it is the name of the engine's own filters, which bloomline's have, too.
bool IsSharedName(sstable::Engine engine, std::string_view name);

}  // namespace bloomline::directory

#endif  // BLOOMLINE_DB_DIRECTORY_FILTER_NAMES_H_

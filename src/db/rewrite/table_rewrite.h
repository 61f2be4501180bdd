// Gives one table of LevelDB or RocksDB a new filter, without the engine. Data blocks are copied
// byte for byte; the filter, the handles in indexes, properties, metaindex and footer are new. No
// comparator is needed: a filter needs only user keys.
//
// Formats: LevelDB doc/table_format.md; RocksDB include/rocksdb/table.h (format_version 0 to 7),
// table/format.h, table/block_based. Whatever is not known is refused by name.
#ifndef BLOOMLINE_DB_REWRITE_TABLE_REWRITE_H_
#define BLOOMLINE_DB_REWRITE_TABLE_REWRITE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "bloomline/filter_options.h"
#include "src/db/tables/table.h"
#include "src/filter/options/formats.h"
#include "src/support/byte_io.h"

namespace bloomline::db {

// What a caller tells of a table before it is read: the MANIFEST's words about it.
struct TableSource {
  std::string path;
  std::string comparator;  // of its column family
  uint64_t bytes = 0;
  tables::Engine engine = tables::Engine::kRocksDB;
  bool verify_checksums = true;  // only fuzzers go without
  uint64_t memory = 0;           // as in tables::OpenOptions
};

// How an attempt ended. All but kDone have an *error: a sentence that begins with the path.
enum class Outcome {
  kDone,
  // A new filter would be of no use, or the table's keys cannot be known: it has no filter and an
  // unknown comparator, or no keys. It can stay as it is.
  kLeft,
  kRefused,   // it has something that this program does not know, or is not what the MANIFEST says
  kFailed,    // reading or writing failed, or the table is damaged
  kLacksKey,  // the old filter lacks a key that this program would hash: its keys are others
};

// Returns kDone if the table can be rewritten, as far as footer, metaindex and properties show.
// Sets *knows_new_bloom if they show that RocksDB 6.6 or later wrote it.
Outcome CheckTable(const TableSource& source, bool* knows_new_bloom, std::string* error);

// The session that all new tables of one run name as their writer: cache keys and unique ids come
// from it (RocksDB db/db_impl, DBImpl::GenerateDbSessionId).
struct RewriteSession {
  std::string text;  // 20 digits of base 36
  uint64_t upper = 0, lower = 0;
};
// Draws one at random. Returns false with *error if the system has no random numbers.
bool NewRewriteSession(RewriteSession* session, std::string* error);

struct TableRewrite {
  // In RocksDB kBloom, kRibbon or kBlocked; in LevelDB kClassic, kBlocked or kCompact.
  Format format = filter::kRocksDBDefault;
  double bits_per_key = 10;
  bool without_filter = false;
  // With kBloom: writes the filter that RocksDB before 6.6 reads, too.
  bool is_legacy = false;
  uint64_t number = 0;  // the new table's file number
  RewriteSession session;
};

struct RewrittenTable {
  uint64_t bytes = 0;
  uint64_t tail_bytes = 0;    // behind the data blocks
  uint64_t filter_bytes = 0;  // 0: it has no filter
  uint64_t num_filter_entries = 0;
  uint64_t num_entries = 0;  // without range deletions
  uint32_t crc32c = 0;       // of the file, as RocksDB's FileChecksumCrc32c computes it
  // 16 bytes, as the MANIFEST has it; nothing if the table records no session.
  std::optional<std::string> unique_id;
};

// Writes the new table to `out`, in order, in pieces of about 1 MiB. The old filter is queried for
// every key. If `out` refuses bytes, its error is that of kFailed. The table keeps the name of its
// filters; one without filters is given the engine's, if the comparator is the engine's, too.
// Memory: one filter, 8 bytes per key, and 8 MiB.
Outcome RewriteTable(const TableSource& source, const TableRewrite& rewrite, support::ByteSink* out,
                     RewrittenTable* result, std::string* error);

// Opens the written table and queries its filter for every key. `path` is its file. Returns
// kFailed, with *error, if it is not as `result` says or its filter lacks a key.
Outcome CheckRewrittenTable(const std::string& path, const TableSource& source,
                            const RewrittenTable& result, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_TABLE_REWRITE_H_

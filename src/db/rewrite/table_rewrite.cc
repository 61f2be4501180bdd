#include "src/db/rewrite/table_rewrite.h"

#include <algorithm>
#include <memory>

#include "bloomline/seed.h"
#include "src/db/rewrite/table_walk.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"

namespace bloomline::db {
namespace {

using support::Refuse;
using tables::Table;

// Why a new filter makes no sense, as the end of a sentence; empty: it does.
std::string WhyLeft(const Table& table) {
  const tables::Properties& properties = table.properties();
  const FilterKeys keys(table);
  const auto count = [](uint64_t n) { return n == tables::kUnknownCount ? 0 : n; };
  if (table.engine() == tables::Engine::kRocksDB &&
      count(properties.num_entries) <= count(properties.num_range_deletions)) {
    return "has no keys";
  }
  if (!keys.whole_keys && !keys.prefixes) return "has filters of neither keys nor prefixes";
  if (table.filter_kind() == tables::FilterKind::kNone && !keys.order.is_known) {
    return "has no filter, which would show what its comparator's keys are";
  }
  return "";
}

// The offset at which the tail begins, behind data blocks that end at data_end and bytes that fill
// up the last one. Returns false with *error if a block of the tail is before it.
bool FindTail(const KnownTable& table, uint64_t data_end, uint64_t* tail_start,
              std::string* error) {
  const tables::TableParts& parts = table.parts();
  *tail_start = parts.stored_properties.Number("rocksdb.tail.start.offset", data_end);
  uint64_t first = std::min(parts.index.offset, parts.blocks.footer.metaindex.offset);
  for (const auto& [name, handle] : parts.meta) {
    if (handle.size > 0) first = std::min(first, handle.offset);
  }
  for (const auto& [separator, handle] : table.index_partitions) {
    first = std::min(first, handle.offset);
  }
  return (*tail_start >= data_end && *tail_start <= first) ||
         Refuse(error, table.table->path(), ": its data blocks end at offset ", data_end,
                ", its properties say that the other blocks begin at ", *tail_start,
                ", and the first of these begins at ", first);
}

}  // namespace

Outcome CheckTable(const TableSource& source, bool* knows_new_bloom, std::string* error) {
  KnownTable known;
  const Outcome outcome = known.Open(source, error);
  if (outcome != Outcome::kDone) return outcome;
  // RocksDB 6.12 and later records a session in each table.
  *knows_new_bloom =
      known.table->format_version() >= 5 || known.parts().stored_properties.count(kSession) != 0;
  const std::string why = WhyLeft(*known.table);
  if (why.empty()) return Outcome::kDone;
  *error = source.path + ": " + why;
  return Outcome::kLeft;
}

bool NewRewriteSession(RewriteSession* session, std::string* error) {
  uint64_t upper;
  if (!DrawSeed(&upper, error) || !DrawSeed(&session->lower, error)) return false;
  session->upper = upper >> 25;  // 39 bits
  // RocksDB's EncodeSessionId: 8 and 12 digits of base 36.
  constexpr uint64_t kLowMask = (uint64_t{1} << 62) - 1;
  constexpr const char* kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  session->text.assign(20, '0');
  const auto write = [&](uint64_t number, size_t begin, size_t end) {
    for (size_t i = end; i-- > begin; number /= 36) session->text[i] = kDigits[number % 36];
  };
  write(session->upper << 2 | session->lower >> 62, 0, 8);
  write(session->lower & kLowMask, 8, 20);
  return true;
}

Outcome RewriteTable(const TableSource& source, const TableRewrite& rewrite, support::ByteSink* out,
                     RewrittenTable* result, std::string* error) {
  KnownTable known;
  const Outcome outcome = known.Open(source, error);
  if (outcome != Outcome::kDone) return outcome;
  const tables::TableParts& parts = known.parts();
  if (!rewrite.without_filter && parts.filter_name == engine_filters::kOldLevelDBName) {
    Refuse(error, source.path,
           ": has filters of goleveldb, or of LevelDB before 1.18, whose hashes "
           "differ, so that new ones could lose keys");
    return Outcome::kRefused;
  }
  tables::TableWriter writer(&parts.blocks.footer, out);
  const auto new_walk = source.engine == tables::Engine::kRocksDB ? NewRocksDBWalk : NewLevelDBWalk;
  const std::unique_ptr<TableWalk> walk = new_walk(known, rewrite, &writer);
  if (!walk->Run(error)) return Outcome::kFailed;
  if (!walk->lost().empty()) {
    *error = walk->lost();
    return Outcome::kLacksKey;
  }
  if (!rewrite.without_filter && !walk->unproven().empty() &&
      !tables::OrderOf(parts.properties).is_known) {
    Refuse(error, source.path, ": nothing shows what its filter should hold: ", walk->unproven(),
           ", and the comparator ", parts.properties.comparator, " is not the engine's own");
    return Outcome::kRefused;
  }
  uint64_t tail_start;
  if (!FindTail(known, walk->data_end(), &tail_start, error) ||
      !support::AppendPart(parts.blocks.file, writer.offset(), tail_start, &writer, error) ||
      !walk->WriteTail(result, error)) {
    return Outcome::kFailed;
  }
  result->num_entries = walk->num_entries();
  result->bytes = writer.offset();
  result->tail_bytes = writer.offset() - tail_start;
  result->crc32c = writer.crc32c();
  return Outcome::kDone;
}

Outcome CheckRewrittenTable(const std::string& path, const TableSource& source,
                            const RewrittenTable& result, std::string* error) {
  TableSource written = source;
  written.path = path;
  written.bytes = result.bytes;
  written.verify_checksums = true;
  KnownTable known;
  if (known.Open(written, error) != Outcome::kDone) return Outcome::kFailed;
  TableWalk walk(*known.table, nullptr);
  if (!walk.Run(error)) return Outcome::kFailed;
  if (!walk.lost().empty()) {
    *error = walk.lost();
  } else if (walk.num_entries() != result.num_entries) {
    Refuse(error, path, ": has ", walk.num_entries(), " entries; it should have ",
           result.num_entries);
  } else if (!walk.unproven().empty() && result.filter_bytes != 0) {
    Refuse(error, path, ": its new filter cannot be checked: ", walk.unproven());
  }
  return error->empty() ? Outcome::kDone : Outcome::kFailed;
}

}  // namespace bloomline::db

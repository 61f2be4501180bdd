#include "src/db/rewrite/table_walk.h"

#include "src/support/file_io.h"
#include "src/support/number_text.h"

namespace bloomline::db {

using support::Refuse;

bool TableWalk::CopyBlock(std::string* error) {
  const uint64_t begin = entry().block_offset();
  if (begin < out_->offset()) {
    return Refuse(error, table_.path(), ": the data block at offset ", begin,
                  " begins inside the previous one, which ends at ", out_->offset());
  }
  const std::string_view block = entry().stored_block();
  // Between blocks there may be bytes that fill up pages.
  return support::AppendPart(table_.parts().blocks.file, out_->offset(), begin, out_, error) &&
         out_->Append(block.data(), block.size(), error);
}

bool TableWalk::OpenFilter(std::optional<uint64_t> before, std::string* error) {
  ForgetLast();  // versions of one key may be in two filters
  // Partitions that RocksDB wrote may lack prefixes of their neighbours' keys.
  const bool is_new = out_ == nullptr;
  return !is_new || !before ||
         (AskPrefix(*before, keys_.Key(entry().user_key()), place(), error) &&
          AskPrefix(filter(), last_key(), last_place(), error));
}

bool TableWalk::AskPrefix(uint64_t filter, std::string_view key, const EntryPlace& place,
                          std::string* error) {
  std::string_view prefix;
  return !keys_.Prefix(key, &prefix) ||
         Ask(filter, key, prefix.size(), Purpose::kPrefix, place, error);
}

bool TableWalk::AddEntry(std::string* error) {
  // The hashes for the new filter, and its bytes.
  constexpr uint64_t kEntriesTogether = 4096;
  constexpr uint64_t kEntryBytes = 12;
  if (out_ != nullptr && num_entries_ % kEntriesTogether == 0) {
    table_.parts().blocks.memory.Take(kEntriesTogether * kEntryBytes);
  }
  ++num_entries_;
  if (entry().entry_in_block() == 0) {
    data_end_ = entry().block_end();
    BeginBlock();
    if (out_ != nullptr && !CopyBlock(error)) return false;
  }
  const std::string_view user_key = entry().user_key();
  AddVersion(user_key);
  if (user_key.size() < keys_.order.timestamp_bytes) {
    return Refuse(error, table_.path(), ": a key of ", user_key.size(), " bytes has no timestamp");
  }
  return VisitEntry(error);
}

void TableWalk::Answer(const Query& query, const engine_filters::EngineFilter* filter,
                       bool may_match) {
  if (filter == nullptr) {
    unproven_ = query.filter == tables::Table::FilterReader::kUnknownFilter
                    ? "the partition of a key is unknown"
                    : "it has no filter";
  } else if (!filter->CanQuery()) {
    unproven_ = filter->why;
  } else if (filter->layout == engine_filters::FilterLayout::kAlwaysMatch ||
             filter->layout == engine_filters::FilterLayout::kFormerCompact) {
    unproven_ = "its filter matches every key";
  }
  if (may_match || !lost_.empty()) return;
  lost_ = support::StrCat(table_.path(), ": the filter lacks ",
                          query.purpose == Purpose::kPrefix ? "the prefix of " : "",
                          "the key of entry ", query.place.entry, " in the data block at offset ",
                          query.place.block_offset);
  Stop();
}

}  // namespace bloomline::db

#include "src/db/queries/file_gets.h"

#include <algorithm>

#include "src/db/sstable/comparator.h"

namespace bloomline::db {
namespace {

constexpr uint8_t kTypeMerge = 2;  // RocksDB's; LevelDB has none

}  // namespace

FileGets::FileGets(const sstable::Table& table, bool uses_filter)
    : table_(table),
      keys_(table),
      has_filter_(uses_filter && table.filter_kind() != sstable::FilterKind::kNone) {}

bool FileGets::Run(const directory::TableFile& file, const std::vector<RecordedQuery>& gets,
                   std::vector<GetOfFile>* answers, std::string* error) {
  // Queries have no timestamps, nor have these bounds.
  sstable::KeyOrder order = keys_.order();
  order.timestamp_bytes = 0;
  const std::string_view smallest = keys_.Key(file.smallest_key);
  const std::string_view largest = keys_.Key(file.largest_key);
  if (has_filter_ && !filters_.Init(table_, error)) return false;
  reader_ = table_.NewKeyReader(error);
  if (reader_ == nullptr) return false;
  auto get = std::partition_point(gets.begin(), gets.end(), [&](const RecordedQuery& query) {
    return sstable::Compare(order, query.key, smallest) < 0;
  });
  for (; get != gets.end() && sstable::Compare(order, get->key, largest) <= 0; ++get) {
    Filter filter;
    if (!Ask(get->key, &filter, error)) return false;
    GetAnswer answer = GetAnswer::kRejected;
    if (filter != Filter::kRejects) {
      bool is_found = false;
      bool is_merge = false;
      if (!Find(get->key, &is_found, &is_merge, error)) return false;
      const bool is_filtered = filter == Filter::kMatches;
      if (!is_found) {
        answer = is_filtered ? GetAnswer::kFalsePositive : GetAnswer::kUnfiltered;
      } else if (is_merge) {
        answer = is_filtered ? GetAnswer::kMerged : GetAnswer::kMergedUnfiltered;
      } else {
        answer = is_filtered ? GetAnswer::kFound : GetAnswer::kFoundUnfiltered;
      }
    }
    GetOfFile result;
    result.get = static_cast<uint32_t>(get - gets.begin()) & kMostGets;
    result.answer = static_cast<uint32_t>(answer) & 7;
    answers->push_back(result);
  }
  return true;
}

// As the engine asks for a Get: the whole key, or else its prefix.
bool FileGets::Ask(std::string_view key, Filter* filter, std::string* error) {
  *filter = Filter::kNone;
  if (!has_filter_) return true;
  std::string_view queried = key;
  if (!keys_.whole_keys() && (!keys_.prefixes() || !keys_.Prefix(key, &queried))) return true;
  uint64_t block = 0;
  if (table_.filter_kind() == sstable::FilterKind::kByOffset) {
    // Which filter it is depends on the data block. Where two blocks meet, it may be the next one.
    if (!SkipTo(key, error)) return false;
    if (is_at_end_) return true;
    block = reader_->block_offset();
  }
  target_.assign(key);
  target_.append(keys_.order().timestamp_bytes, '\xff');
  const uint64_t index =
      filters_.FilterOf(target_, sstable::Table::FilterReader::kMaxSequence, block);
  if (index >= filters_.num_filters()) return true;
  const engine_filters::EngineFilter* const opened = filters_.At(index, error);
  if (opened == nullptr) return false;
  *filter = opened->MayMatch(queried) ? Filter::kMatches : Filter::kRejects;
  return true;
}

// To the first entry that is not before the key.
bool FileGets::SkipTo(std::string_view key, std::string* error) {
  sstable::KeyOrder order = keys_.order();
  order.timestamp_bytes = 0;
  const auto is_before = [&] {
    return sstable::Compare(order, keys_.Key(reader_->user_key()), key) < 0;
  };
  if (is_at_end_ || (has_entry_ && !is_before())) return true;
  target_.assign(key);
  target_.append(keys_.order().timestamp_bytes, '\xff');
  reader_->SkipTo(target_);
  do {
    has_entry_ = reader_->Next();
  } while (has_entry_ && is_before());
  is_at_end_ = !has_entry_;
  *error = reader_->error();
  return error->empty();
}

bool FileGets::Find(std::string_view key, bool* is_found, bool* is_merge, std::string* error) {
  if (!SkipTo(key, error)) return false;
  // Versions of a key follow each other. The Get ends at the first that is no operand.
  while (has_entry_ && keys_.Key(reader_->user_key()) == key) {
    *is_found = true;
    *is_merge = table_.engine() == sstable::Engine::kRocksDB && reader_->type() == kTypeMerge;
    if (!*is_merge) return true;
    has_entry_ = reader_->Next();
    is_at_end_ = !has_entry_;
  }
  *error = reader_->error();
  return error->empty();
}

}  // namespace bloomline::db

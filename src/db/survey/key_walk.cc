#include "src/db/survey/key_walk.h"

#include "src/support/number_text.h"

namespace bloomline::db {
namespace {

constexpr size_t kQueries = 256;
constexpr size_t kMostBytes = 1 << 20;  // plus one key, which may have megabytes

// N of "rocksdb.FixedPrefix.N"; older versions of RocksDB write "rocksdb.FixedPrefix" only for
// N = 0. Prefixes of more bytes than any key has do not occur.
std::optional<size_t> LengthAfter(std::string_view name, std::string_view start) {
  if (name.substr(0, start.size()) != start) return std::nullopt;
  uint64_t length;
  if (!support::ParseUint64(name.substr(start.size()), &length)) return std::nullopt;
  return static_cast<size_t>(length);
}

}  // namespace

engine_filters::Container ContainerOf(const tables::Table& table) {
  // In RocksDB, an application's own policy may have filters by offset, too.
  const bool is_leveldbs = table.filter_kind() == tables::FilterKind::kByOffset &&
                           (table.engine() == tables::Engine::kLevelDB ||
                            table.filter_name() == engine_filters::kRocksDBName);
  return is_leveldbs ? engine_filters::Container::kLevelDB : engine_filters::Container::kRocksDB;
}

bool TableFilters::Init(const tables::Table& table, std::string* error) {
  table_ = &table;
  reader_ = table.NewFilterReader(error);
  return reader_ != nullptr;
}

const engine_filters::EngineFilter* TableFilters::At(uint64_t index, std::string* error) {
  if (index == index_) return &filter_;
  index_ = ~uint64_t{0};
  std::string_view bytes;
  if (!reader_->Read(index, &bytes, error)) return nullptr;
  filter_ = engine_filters::EngineFilter::Open(ContainerOf(*table_), table_->filter_name(), bytes);
  bytes_ = bytes.size();
  index_ = index;
  return &filter_;
}

FilterKeys::FilterKeys(const tables::Table& table)
    : order(tables::OrderOf(table.properties())), comparator(table.properties().comparator) {
  const tables::Properties& properties = table.properties();
  if (table.engine() == tables::Engine::kLevelDB) return;
  whole_keys = properties.whole_key_filtering;
  const std::string& extractor = properties.prefix_extractor;
  if (!properties.prefix_filtering || extractor.empty()) return;
  const auto fixed = LengthAfter(extractor, "rocksdb.FixedPrefix.");
  const auto capped = LengthAfter(extractor, "rocksdb.CappedPrefix.");
  const bool is_all = extractor == "rocksdb.Noop";
  if (!fixed && !capped && !is_all && extractor != engine_filters::kRangeExtractor) {
    unknown = "prefix extractor '" + extractor + "' is not known to this program";
    return;
  }
  prefixes = true;
  is_capped = !fixed;
  prefix_bytes = is_all ? ~size_t{0} : fixed ? *fixed : capped.value_or(0);
}

bool KeyWalk::Run(std::string* error) {
  const bool has_filters = table_.filter_kind() != tables::FilterKind::kNone;
  if (has_filters && !filters_.Init(table_, error)) return false;
  reader_ = table_.NewKeyReader(error);
  if (reader_ == nullptr) return false;
  while (!is_stopped_ && reader_->Next()) {
    const bool is_new_block = reader_->block_offset() != block_;
    if (is_new_block) {
      if (const uint64_t blocks = BlocksToSkip(); blocks != 0) {
        reader_->SkipBlocks(blocks - 1);
        continue;
      }
      block_ = reader_->block_offset();
    }
    if (!OpenEntry(is_new_block, error)) return false;
  }
  if (!is_stopped_ && !AnswerAll(error)) return false;
  *error = reader_->error();
  reader_.reset();  // its blocks take no memory while the file is read again
  if (is_stopped_ || !error->empty()) return error->empty();
  return Finish(error) && AnswerAll(error);
}

bool KeyWalk::OpenEntry(bool is_new_block, std::string* error) {
  // Only partitions divide the keys of a block.
  if (is_new_block || table_.filter_kind() == tables::FilterKind::kPartitioned) {
    const uint64_t filter =
        table_.filter_kind() == tables::FilterKind::kNone
            ? tables::Table::FilterReader::kNoFilter
            : filters_.reader().FilterOf(reader_->user_key(), reader_->sequence(), block_);
    if (filter != filter_) {
      const std::optional<uint64_t> before = filter_;
      filter_ = filter;
      if (!OpenFilter(before, error)) return false;
    }
  }
  return AddEntry(error);
}

bool KeyWalk::VisitEntry(std::string* error) {
  const std::string_view user_key = entry().user_key();
  const std::string_view key = keys_.Key(user_key);
  if (has_last_ && last_key_ == key) return true;  // another version of it
  has_last_ = true;
  last_key_.assign(key);
  last_place_ = place();
  if (!IsQueried(key)) return true;
  if (keys_.whole_keys && !Ask(filter(), user_key, key.size(), Purpose::kKey, place(), error)) {
    return false;
  }
  AddKey(key);
  std::string_view prefix;
  if (!keys_.Prefix(key, &prefix) || last_prefix_ == prefix) return true;
  last_prefix_ = prefix;
  AddPrefix(prefix);
  return Ask(filter(), user_key, prefix.size(), Purpose::kPrefix, place(), error);
}

void KeyWalk::ForgetLast() {
  has_last_ = false;
  last_prefix_.reset();
}

bool KeyWalk::Ask(uint64_t filter, std::string_view key, size_t queried, Purpose purpose,
                  const EntryPlace& place, std::string* error) {
  const bool is_full = waiting_.size() == kQueries || bytes_.size() >= kMostBytes;
  if ((is_full || filter != waits_for_) && !AnswerAll(error)) return false;
  waits_for_ = filter;
  waiting_.push_back({bytes_.size(), key.size(), queried, purpose, place});
  bytes_.append(key);
  return true;
}

bool KeyWalk::AnswerAll(std::string* error) {
  if (waiting_.empty()) return true;
  const engine_filters::EngineFilter* filter = nullptr;
  if (IsFilter(waits_for_) && (filter = filters_.At(waits_for_, error)) == nullptr) return false;
  std::string_view queried[kQueries];
  bool may_match[kQueries];
  const std::string_view bytes = bytes_;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    queried[i] = bytes.substr(waiting_[i].begin, waiting_[i].queried);
  }
  if (filter != nullptr) filter->MayMatch(waiting_.size(), queried, may_match);
  for (size_t i = 0; i < waiting_.size(); ++i) {
    const Waiting& one = waiting_[i];
    const Query query{bytes.substr(one.begin, one.length), queried[i], one.purpose, waits_for_,
                      one.place};
    Answer(query, filter, filter == nullptr || may_match[i]);
  }
  waiting_.clear();
  bytes_.clear();
  return true;
}

}  // namespace bloomline::db

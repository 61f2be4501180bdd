// The keys of a table, in order (table.h).
#include <optional>
#include <string>
#include <string_view>

#include "src/db/tables/bytes/coding.h"
#include "src/db/tables/data_block_walk.h"
#include "src/db/tables/table_parts.h"
#include "src/support/number_text.h"

namespace bloomline::tables {
namespace {

constexpr size_t kSequenceAndTypeBytes = 8;

// The walks over keys have up to this many copies of the last keys: strings of up to twice a key's
// size, with its prefix, its neighbours and the bounds of ranges.
constexpr uint64_t kKeyCopies = 16;

// Keys share bytes with the key before, but reading a key takes time for all its bytes: a crafted
// file of 2 MB can have terabytes of keys. Each key takes at least two bytes of the file, however
// well they are compressed, so this limit allows keys that share 16 KiB each.
uint64_t MaxSharedBytes(uint64_t file_bytes) { return (uint64_t{1} << 30) + 8192 * file_bytes; }

class TableKeyReader final : public Table::KeyReader {
 public:
  explicit TableKeyReader(const TableParts* parts)
      : parts_(parts),
        walk_(parts),
        reader_(&parts->blocks, BlockReader::Access::kSequential),
        entries_(&parts->blocks.memory),
        copies_(&parts->blocks.memory) {}

  bool Open(std::string* error) {
    if (parts_->dictionary.size > 0) {
      BlockReader reader(&parts_->blocks, BlockReader::Access::kRandom);
      std::string_view dictionary;
      if (!reader.Read("compression dictionary", parts_->dictionary, &dictionary, error)) {
        return false;
      }
      dictionary_bytes_ = dictionary.size();
      copies_.GrowTo(3 * dictionary_bytes_);  // the decompressor has two, one for a moment
      reader_.SetDictionary(std::string(dictionary));
    }
    LeaveBlock();
    return walk_.Open(error);
  }

  std::string_view block_separator() const override { return walk_.separator(); }

  std::string_view stored_block() const override { return reader_.stored(); }

  bool Next() override {
    while (!entries_.Next()) {
      if (entries_.problem() != nullptr) return Damaged(entries_.problem());
      if (!NextBlock()) return false;
    }
    shared_bytes_ += entries_.shared_key_bytes();
    const uint64_t most = MaxSharedBytes(parts_->blocks.file.size());
    if (shared_bytes_ > most) {
      return Damaged("the keys up to it share ", shared_bytes_,
                     " bytes with the keys before them; allowed: at most ", most);
    }
    const std::string_view key = entries_.key();
    copies_.GrowTo(kKeyCopies * key.size() + 3 * dictionary_bytes_);
    if (key.size() < kSequenceAndTypeBytes) return Damaged("a key has no sequence number");
    const uint64_t packed = LoadLittleEndian64(key.data() + key.size() - kSequenceAndTypeBytes);
    user_key_ = key.substr(0, key.size() - kSequenceAndTypeBytes);
    value_ = entries_.value();
    type_ = static_cast<uint8_t>(packed);
    const uint64_t of_all = parts_->global_sequence;
    sequence_ = of_all != 0 ? of_all : packed >> 8;
    entry_in_block_ = next_entry_++;
    ++num_entries_;
    return true;
  }

  void SkipBlocks(uint64_t n) override {
    skips_ = true;
    blocks_to_skip_ = n;
    LeaveBlock();
  }

 private:
  bool NextBlock() {
    if (is_done_) return false;
    is_done_ = true;  // reset once the block has been read
    for (; blocks_to_skip_ > 0; --blocks_to_skip_) {
      if (!walk_.Next(&block_, &error_)) return AtEnd();
    }
    if (!walk_.Next(&block_, &error_)) return AtEnd();
    std::string_view contents;
    if (!reader_.Read(kDataBlock, block_, &contents, &error_)) return false;
    next_entry_ = 0;
    is_done_ = !entries_.Open(contents, parts_->blocks.compression.engine);
    return !is_done_ ||
           parts_->blocks.Damaged(&error_, kDataBlock, block_.offset, entries_.problem());
  }

  // The cursor is then at a block's end.
  void LeaveBlock() { entries_.Open({"\0\0\0\0", 4}, Engine::kLevelDB); }

  // Only this check finds that the index lost a block. Range deletions count as entries, but are in
  // a separate block; old versions of RocksDB do not record their number.
  bool AtEnd() {
    const Properties& properties = parts_->properties;
    if (!error_.empty() || skips_ || properties.num_entries == kUnknownCount) return false;
    uint64_t range_deletions = properties.num_range_deletions;
    if (range_deletions == kUnknownCount) {
      if (parts_->has_range_deletions) return false;
      range_deletions = 0;
    }
    if (num_entries_ + range_deletions == properties.num_entries) return false;
    return support::Refuse(&error_, parts_->blocks.file.name(), ": has ", num_entries_,
                           " entries and ", range_deletions,
                           " range deletions, but its properties count ", properties.num_entries,
                           " in all");
  }

  template <typename... Parts>
  bool Damaged(const Parts&... problem) {
    is_done_ = true;
    parts_->blocks.Damaged(&error_, kDataBlock, block_.offset, "entry ", next_entry_, ": ",
                           problem...);
    LeaveBlock();
    return false;
  }

  const TableParts* const parts_;
  DataBlockWalk walk_;
  BlockReader reader_;
  BlockCursor entries_;
  MemoryShare copies_;
  uint64_t dictionary_bytes_ = 0;
  uint64_t blocks_to_skip_ = 0;
  bool skips_ = false;
  bool is_done_ = false;
  uint64_t num_entries_ = 0;
  uint64_t shared_bytes_ = 0;  // the sum of what keys share with the keys before them
  uint32_t next_entry_ = 0;
};

// The sequence number and the type at the end of a key, as one number; nothing if the end is none
// of LevelDB's.
std::optional<uint64_t> PackedSequence(std::string_view key) {
  constexpr uint64_t kLastType = 1;
  if (key.size() < kSequenceAndTypeBytes) return std::nullopt;
  const uint64_t packed = LoadLittleEndian64(key.data() + key.size() - kSequenceAndTypeBytes);
  return (packed & 0xff) <= kLastType ? std::optional(packed) : std::nullopt;
}

}  // namespace

bool Table::HasSequenceNumbers() const {
  if (engine() == Engine::kRocksDB) return true;
  DataBlockWalk walk(parts_.get());
  BlockReader reader(&parts_->blocks, BlockReader::Access::kRandom);
  BlockCursor entries(&parts_->blocks.memory);
  BlockHandle block;
  std::string_view contents;
  std::string ignored;  // who reads the keys reports damage
  if (!walk.Open(&ignored) || !walk.Next(&block, &ignored) ||
      !reader.Read(kDataBlock, block, &contents, &ignored) ||
      !entries.Open(contents, Engine::kLevelDB) || !entries.Next()) {
    return true;
  }
  const MemoryShare copy(&parts_->blocks.memory, entries.key().size());
  const std::string first(entries.key());
  const std::optional<uint64_t> newest = PackedSequence(first);
  if (!newest || !entries.Next()) return newest.has_value();
  const std::optional<uint64_t> next = PackedSequence(entries.key());
  // Older versions of a key follow newer ones. Numbers of eight bytes, the highest first, may look
  // like versions, but they ascend.
  const auto user_key = [](std::string_view key) {
    return key.substr(0, key.size() - kSequenceAndTypeBytes);
  };
  return next && (user_key(entries.key()) != user_key(first) || *next <= *newest);
}

std::unique_ptr<Table::KeyReader> Table::NewKeyReader(std::string* error) const {
  auto reader = std::make_unique<TableKeyReader>(parts_.get());
  if (!reader->Open(error)) return nullptr;
  return reader;
}

}  // namespace bloomline::tables

// Tables that RocksDB wrote in all its forms and with filters of every policy, read without it.
#include "tests/db/sstable_rocksdb.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"

namespace bloomline {
namespace {

using sstable::FilterKind;
using sstable::Table;
using tests::CheckTable;
using tests::DecoupleFilters;
using tests::kFirstFormatVersion;
using tests::kKeys;
using tests::kLastFormatVersion;
using tests::kRocksDBVersion;
using tests::OneTable;
using tests::OpenTable;
using tests::TableCase;
using tests::TableEntries;
using tests::TableEntry;
using tests::TempDir;
using TableOptions = rocksdb::BlockBasedTableOptions;

// Options that only newer versions have. False: this one does not.
template <typename T>
auto SeparateKeysAndValues(T* options, int) -> decltype(options->separate_key_value_in_data_block) {
  options->uniform_cv_threshold = 100;
  return options->separate_key_value_in_data_block = true;
}
template <typename T>
bool SeparateKeysAndValues(T*, long) {
  return false;
}

// One form of a table. It is written with a whole filter and, with a binary index, in partitions.
struct Form {
  std::string name;
  uint32_t version = kLastFormatVersion;
  rocksdb::CompressionType codec = rocksdb::kNoCompression;
  rocksdb::ChecksumType checksum = rocksdb::kXXH3;
  bool has_dictionary = false;
  TableOptions::IndexType index = TableOptions::kBinarySearch;
  int restart_interval = 16;
  int index_restart_interval = 1;
  std::shared_ptr<const rocksdb::FilterPolicy> policy = nullptr;  // null: RocksDB's Bloom filters
  bool has_hashes = false;                                        // in data blocks
  bool is_separated = false;                                      // keys and values
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

// The form of compressed blocks changed with format_version 2, before which zlib and LZ4 are not
// read, and with 7.
void AddCompressed(std::vector<Form>* forms) {
  for (const auto codec : rocksdb::GetSupportedCompressions()) {
    if (codec == rocksdb::kNoCompression || codec == rocksdb::kXpressCompression ||
        codec == rocksdb::kBZip2Compression) {
      continue;
    }
    const bool is_old_read = codec == rocksdb::kSnappyCompression || codec == rocksdb::kZSTD;
    // Newer versions refuse a dictionary for what cannot use one.
    const bool takes_dictionary = kRocksDBVersion < 1000 || codec != rocksdb::kSnappyCompression;
    const std::set<uint32_t> versions = {is_old_read ? kFirstFormatVersion : 2, 5,
                                         kLastFormatVersion};
    for (const uint32_t version : versions) {
      for (const bool has_dictionary : {false, true}) {
        if (has_dictionary && (version < 5 || !takes_dictionary)) continue;
        Form form{"Codec" + std::to_string(codec) + "Version" + std::to_string(version) +
                  (has_dictionary ? "Dictionary" : "")};
        form.codec = codec;
        form.version = version;
        if (version == 0) form.checksum = rocksdb::kCRC32c;
        form.has_dictionary = has_dictionary;
        forms->push_back(form);
      }
    }
  }
}

std::vector<Form> Forms() {
  std::vector<Form> forms;
  const auto add = [&](const std::string& name) -> Form& { return forms.emplace_back(Form{name}); };
  for (uint32_t version = kFirstFormatVersion; version <= kLastFormatVersion; ++version) {
    Form& form = add("Version" + std::to_string(version));
    form.version = version;
    if (version == 0) form.checksum = rocksdb::kCRC32c;  // the only one it has
  }
  for (const auto checksum :
       {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash, rocksdb::kxxHash64}) {
    Form& form = add("Checksum" + std::to_string(checksum));
    form.checksum = checksum;
    form.version = checksum % 2 == 0 ? kLastFormatVersion : 5;
  }
  AddCompressed(&forms);
  for (const auto index : {TableOptions::kHashSearch, TableOptions::kBinarySearchWithFirstKey}) {
    add("Index" + std::to_string(index)).index = index;
  }
  Form& hashes = add("HashesInBlocks");
  hashes.has_hashes = true;
  hashes.restart_interval = 3;
  hashes.index_restart_interval = 7;
  for (const int interval : {1, 4}) {
    Form& form = add("Separated" + std::to_string(interval));
    form.is_separated = true;
    form.restart_interval = form.index_restart_interval = interval;
    form.codec = rocksdb::kSnappyCompression;
  }
  add("Ribbon").policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  add("Blocked").policy = NewRocksDBFilterPolicy(FilterOptions());
  add("Compact").policy = NewRocksDBFilterPolicy(FilterOptions{Format::kCompact});
  return forms;
}

class SstableFormTest : public testing::TestWithParam<Form> {};

TEST_P(SstableFormTest, IsReadAsRocksDBSays) {
  const Form& form = GetParam();
  for (const bool partitioned : {false, true}) {
    if (partitioned && form.index != TableOptions::kBinarySearch) continue;
    SCOPED_TRACE(partitioned ? "partitioned" : "whole");
    TableCase test_case;
    test_case.table.format_version = form.version;
    test_case.table.checksum = form.checksum;
    test_case.table.index_type = form.index;
    test_case.table.block_restart_interval = form.restart_interval;
    test_case.table.index_block_restart_interval = form.index_restart_interval;
    if (form.index == TableOptions::kHashSearch) {
      test_case.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
    }
    if (form.has_hashes) {
      test_case.table.data_block_index_type = TableOptions::kDataBlockBinaryAndHash;
    }
    if (form.is_separated && !SeparateKeysAndValues(&test_case.table, 0)) {
      GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " has no such blocks";
    }
    test_case.options.compression = form.codec;
    if (form.codec != rocksdb::kNoCompression) test_case.table.block_size = 2000;
    if (form.has_dictionary) {
      test_case.options.compression_opts.max_dict_bytes = 4096;
      test_case.options.compression_opts.zstd_max_train_bytes = 32768;
    }
    if (form.policy != nullptr) test_case.SetPolicy(form.policy);
    if (partitioned) test_case.Partition();
    const rocksdb::TableProperties properties =
        CheckTable(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    // Without this, none of the blocks could have become smaller.
    if (form.codec != rocksdb::kNoCompression) {
      EXPECT_LT(properties.data_size, (properties.raw_key_size + kKeys * 45) * 2 / 3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, SstableFormTest, testing::ValuesIn(Forms()),
                         [](const auto& info) { return info.param.name; });

TEST(SstableRocksDBTest, SkippedBlocks) {
  TableCase test_case;
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  const auto table = OpenTable(written.TablePath());
  ASSERT_NE(table, nullptr);
  // The entries of blocks 0, 3, 6...
  std::vector<TableEntry> expected;
  uint64_t block = 0, offset = 0;
  for (const TableEntry& entry : TableEntries(*table)) {
    if (entry.block_offset != offset) ++block;
    offset = entry.block_offset;
    if (block % 3 == 0) expected.push_back(entry);
  }
  ASSERT_GT(block, 50u);
  std::string error;
  const auto reader = table->NewKeyReader(&error);
  ASSERT_NE(reader, nullptr) << error;
  std::vector<TableEntry> entries;
  offset = 0;
  bool has_entry = reader->Next();
  while (has_entry) {
    EXPECT_EQ(reader->entry_in_block(), 0u);
    offset = reader->block_offset();
    for (; has_entry && reader->block_offset() == offset; has_entry = reader->Next()) {
      entries.push_back({std::string(reader->user_key()), reader->sequence(), reader->type(),
                         std::string(reader->value()), 0});
    }
    if (!has_entry) break;
    reader->SkipBlocks(1);  // the one that has begun, and one more
    has_entry = reader->Next();
  }
  EXPECT_EQ(reader->error(), "");
  EXPECT_EQ(entries, expected);
}

TEST(SstableRocksDBTest, DecoupledFilterPartitions) {
  TableCase test_case;
  test_case.Partition();
  if (!DecoupleFilters(&test_case.table, true, 0)) {
    GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " always couples them";
  }
  test_case.has_decoupled_filters = true;
  test_case.table.metadata_block_size = 100;
  CheckTable(test_case, FilterKind::kPartitioned);
}

// RocksDB seeks in the index over partitions, and misses keys where it is not in order.
TEST(SstableRocksDBTest, PartitionsInWrongOrder) {
  TableCase test_case;
  test_case.table.checksum = rocksdb::kNoChecksum;
  test_case.table.format_version = 5;
  test_case.Partition();
  OneTable written(test_case);
  written.Write();
  std::ifstream file(written.TablePath(), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  TempDir dir;
  const auto problem = [&] {
    std::ofstream(dir.Path("table"), std::ios::binary) << bytes;
    std::string error;
    const auto table = Table::Open(dir.Path("table"), {}, &error);
    if (table == nullptr || table->NewFilterReader(&error) != nullptr) return std::string();
    return error;
  };
  EXPECT_EQ(problem(), "");
  int found = 0;
  // The index over filters is near the end, and few of its keys share bytes.
  size_t at = bytes.size();
  for (int i = 0; i < 300 && found == 0; ++i) {
    at = bytes.rfind("user", at - 1);
    ASSERT_NE(at, bytes.npos);
    bytes[at] = 'a';
    if (problem().find("its separators are not in order") != std::string::npos) ++found;
    bytes[at] = 'u';
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace bloomline

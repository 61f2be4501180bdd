// Tables that RocksDB wrote in all its forms and with filters of every policy, read without it.
#include "tests/db/sstable_rocksdb.h"

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
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

TEST(SstableRocksDBTest, FormatVersions) {
  for (uint32_t version = kFirstFormatVersion; version <= kLastFormatVersion; ++version) {
    for (bool partitioned : {false, true}) {
      SCOPED_TRACE("format_version " + std::to_string(version) +
                   (partitioned ? ", partitioned" : ""));
      TableCase test_case;
      test_case.table.format_version = version;
      if (version == 0) test_case.table.checksum = rocksdb::kCRC32c;  // the only one it has
      if (partitioned) test_case.Partition();
      CheckTable(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

TEST(SstableRocksDBTest, ChecksumTypes) {
  uint32_t version = kLastFormatVersion;
  for (rocksdb::ChecksumType type : {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash,
                                     rocksdb::kxxHash64, rocksdb::kXXH3}) {
    SCOPED_TRACE("checksum type " + std::to_string(type));
    TableCase test_case;
    test_case.table.checksum = type;
    test_case.table.format_version = version;
    version = version == 5 ? kLastFormatVersion : 5;
    CheckTable(test_case, FilterKind::kFull);
  }
}

void CheckCompression(rocksdb::CompressionType type, uint32_t format_version, bool has_dictionary) {
  SCOPED_TRACE("compression " + std::to_string(type) + ", format_version " +
               std::to_string(format_version) + (has_dictionary ? ", dictionary" : ""));
  TableCase test_case;
  test_case.options.compression = type;
  test_case.table.format_version = format_version;
  if (format_version == 0) test_case.table.checksum = rocksdb::kCRC32c;
  test_case.table.block_size = 2000;
  if (has_dictionary) {
    test_case.options.compression_opts.max_dict_bytes = 4096;
    test_case.options.compression_opts.zstd_max_train_bytes = 32768;
  }
  const bool is_partitioned = type == rocksdb::kZSTD;  // these indexes are compressed, too
  if (is_partitioned) test_case.Partition();
  const rocksdb::TableProperties properties =
      CheckTable(test_case, is_partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
  // Without this, none of the blocks could have become smaller.
  EXPECT_LT(properties.data_size, (properties.raw_key_size + kKeys * 45) * 2 / 3);
}

TEST(SstableRocksDBTest, Compressions) {
  int checked = 0;
  for (rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
    if (type == rocksdb::kNoCompression || type == rocksdb::kXpressCompression ||
        type == rocksdb::kBZip2Compression) {
      continue;
    }
    // The form of compressed blocks changed with 2, before which zlib and LZ4 are not read, and
    // with 7.
    const bool is_old_read = type == rocksdb::kSnappyCompression || type == rocksdb::kZSTD;
    CheckCompression(type, is_old_read ? kFirstFormatVersion : 2, false);
    CheckCompression(type, kLastFormatVersion, false);
    // Newer versions refuse a dictionary for what cannot use one.
    if (kRocksDBVersion < 1000 || type != rocksdb::kSnappyCompression) {
      CheckCompression(type, 5, true);
      if (kLastFormatVersion > 5) CheckCompression(type, kLastFormatVersion, true);
    }
    ++checked;
  }
  std::printf("%d compressions\n", checked);
  EXPECT_GE(checked, 1);
}

TEST(SstableRocksDBTest, IndexAndBlockForms) {
  bool has_hashes = false;  // in data blocks
  for (auto index : {TableOptions::kBinarySearch, TableOptions::kHashSearch,
                     TableOptions::kTwoLevelIndexSearch, TableOptions::kBinarySearchWithFirstKey}) {
    SCOPED_TRACE("index type " + std::to_string(index));
    TableCase test_case;
    test_case.table.index_type = index;
    if (has_hashes) {
      test_case.table.data_block_index_type = TableOptions::kDataBlockBinaryAndHash;
      test_case.table.block_restart_interval = 3;
    }
    test_case.table.index_block_restart_interval = has_hashes ? 7 : 1;
    if (index == TableOptions::kHashSearch) {
      test_case.table.index_block_restart_interval = 1;
      test_case.options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
    }
    has_hashes = !has_hashes;
    CheckTable(test_case, FilterKind::kFull);
  }
}

TEST(SstableRocksDBTest, SeparatedKeysAndValues) {
  for (bool partitioned : {false, true}) {
    for (int restart_interval : {1, 4}) {
      SCOPED_TRACE("restarts after " + std::to_string(restart_interval));
      TableCase test_case;
      if (!SeparateKeysAndValues(&test_case.table, 0)) {
        GTEST_SKIP() << "RocksDB " << kRocksDBVersion << " has no such blocks";
      }
      test_case.table.block_restart_interval = restart_interval;
      test_case.table.index_block_restart_interval = restart_interval;
      test_case.options.compression = rocksdb::kSnappyCompression;
      if (partitioned) test_case.Partition();
      CheckTable(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
}

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

TEST(SstableRocksDBTest, Policies) {
  FilterOptions compact = {Format::kCompact};
  for (const auto& policy :
       {std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewRibbonFilterPolicy(10)),
        NewRocksDBFilterPolicy(FilterOptions()), NewRocksDBFilterPolicy(compact)}) {
    for (bool partitioned : {false, true}) {
      SCOPED_TRACE(std::string(policy->Name()) + (partitioned ? ", partitioned" : ""));
      TableCase test_case;
      test_case.SetPolicy(policy);
      if (partitioned) test_case.Partition();
      CheckTable(test_case, partitioned ? FilterKind::kPartitioned : FilterKind::kFull);
    }
  }
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

// Files whose filters were damaged after they were written. Every such filter must match what it
// may have lost.
#include <fstream>
#include <iterator>

#include "src/filter/format/trailer.h"
#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class RocksDBDamageTest : public FeatureTest {
 protected:
  static constexpr char kTrailerEnd[] = "\0bLn\1";  // docs/format.md, section 5

  // With a block cache of its own: no filter from before the damage is in it.
  rocksdb::Options OptionsOf(rocksdb::BlockBasedTableOptions table, bool mapped) const {
    table.block_cache = rocksdb::NewLRUCache(1 << 20);
    rocksdb::Options options = MakeOptions(table);
    options.paranoid_checks = false;
    options.allow_mmap_reads = mapped;
    return options;
  }

  // Writes two files and changes the filter of the first: damage(filter).
  template <typename Damage>
  void WriteDamaged(const rocksdb::BlockBasedTableOptions& table, const std::string& name,
                    Damage damage) {
    std::string file;
    uint64_t bytes = 0;
    {
      const auto db = Open(OptionsOf(table, false), name);
      Put(db.get(), 0, kNumKeys, 2, 0);
      Flush(db.get());
      file = Path(name) + Files(db.get()).front().name;
      bytes = FilterBytes(db.get());
      Put(db.get(), 0, kNumKeys, 2, 1);
      Flush(db.get());
    }
    std::string contents = ReadFile(file);
    const size_t end = contents.rfind(std::string(kTrailerEnd, 5));
    EXPECT_NE(end, std::string::npos);
    const size_t begin = end + 5 - bytes;
    std::string filter = contents.substr(begin, bytes);
    damage(&filter);
    EXPECT_EQ(filter.size(), bytes);
    EXPECT_NE(filter, contents.substr(begin, bytes));
    contents.replace(begin, bytes, filter);
    std::ofstream(file, std::ios::binary) << contents;
  }

  // Nothing is lost. The filter of the damaged file passes every key, the other one is used.
  void ExpectNothingLost(const rocksdb::BlockBasedTableOptions& table, const std::string& name,
                         bool mapped = false) {
    const auto db = Open(OptionsOf(table, mapped), name);
    const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
    EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
    // The missing keys beyond a file's last stored key are not queried.
    EXPECT_GE(static_cast<double>(answers.rejected),
              (1 - max_rate()) * static_cast<double>(answers.missing - 2))
        << "the other file's filter is not used: " << answers;
    EXPECT_LE(answers.rejected, answers.missing) << "the damaged filter rejects: " << answers;
  }
};

// RocksDB's checksum of the block finds any damage. It then has no filter for this file.
TEST_P(RocksDBDamageTest, AChecksumFindsDamageInTheMiddle) {
  for (const bool cached : {false, true}) {
    SCOPED_TRACE(testing::Message() << "in the block cache " << cached);
    auto table = Table();
    table.cache_index_and_filter_blocks = cached;
    const std::string name = std::to_string(cached);
    WriteDamaged(table, name, [](std::string* filter) {
      for (size_t i = filter->size() / 3; i < 2 * filter->size() / 3; ++i) (*filter)[i] = 0;
    });
    ExpectNothingLost(table, name);
  }
}

// Without checksums, bloomline gets the damaged bytes. What is behind the keys' bits says what they
// are; if that makes no sense, the filter matches everything.
TEST_P(RocksDBDamageTest, ATrailerThatMakesNoSenseMatchesEverything) {
  for (const bool mapped : {false, true}) {
    auto table = Table();
    table.checksum = rocksdb::kNoChecksum;
    // The fields from the last byte of the bits on: version, layout, number of blocks and others.
    for (const size_t from_end : {1, 6, 7}) {
      SCOPED_TRACE(testing::Message() << from_end << " bytes before the end, mapped " << mapped);
      const std::string name = std::to_string(mapped) + "." + std::to_string(from_end);
      WriteDamaged(table, name,
                   [&](std::string* filter) { (*filter)[filter->size() - from_end] = '\x7f'; });
      ExpectNothingLost(table, name, mapped);
    }
  }
}

// Bits of a block that were set by damage let more keys pass, and lose none.
TEST_P(RocksDBDamageTest, SetBitsLoseNoKey) {
  auto table = Table();
  table.checksum = rocksdb::kNoChecksum;
  table.filter_policy = PolicyOf("bloomline:10");
  WriteDamaged(table, "db", [](std::string* filter) {
    filter->replace(0, filter->size() - filter::kTrailerBytes,
                    filter->size() - filter::kTrailerBytes, '\xff');
  });
  table.filter_policy = NewPolicy();
  const auto db = Open(OptionsOf(table, false));
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  EXPECT_EQ(answers.true_positives, kNumKeys);
  EXPECT_GE(answers.passed, answers.missing - 2) << "of the damaged filter: " << answers;
  EXPECT_GE(answers.rejected, kNumKeys * 97 / 100) << "of the other filter: " << answers;
}

// Partitions are damaged one by one: only keys of the damaged one pass.
TEST_P(RocksDBDamageTest, OtherPartitionsStayInUse) {
  auto table = PartitionedTable();
  table.checksum = rocksdb::kNoChecksum;  // with them, RocksDB does not open the file
  std::string file;
  {
    const auto db = Open(OptionsOf(table, false));
    PutRuns(db.get(), 1);
    file = Path("db") + Files(db.get()).front().name;
  }
  std::string contents = ReadFile(file);
  const std::string mark(kTrailerEnd, 5);
  uint64_t partitions = 0;
  for (size_t at = contents.find(mark); at != std::string::npos; at = contents.find(mark, at + 1)) {
    if (++partitions % 4 == 0) contents[at + mark.size() - 1] = '\x7f';
  }
  EXPECT_GE(partitions, 20u);
  std::ofstream(file, std::ios::binary) << contents;
  const auto db = Open(OptionsOf(table, false));
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  // A quarter of the partitions; RocksDB 9.10 makes large and small ones.
  EXPECT_GE(answers.rejected, answers.missing * 6 / 10) << answers;
  EXPECT_LE(answers.rejected, answers.missing * 9 / 10) << answers;
}

BLOOMLINE_FEATURE_TESTS(RocksDBDamageTest);

}  // namespace
}  // namespace bloomline

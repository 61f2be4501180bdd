// Tables that engines of other versions wrote, kept in tests/golden/tables with the programs that
// made them; and what is not a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "src/db/sstable/bytes/checksum.h"
#include "src/db/sstable/table.h"
#include "tests/db/table_entries.h"
#include "tests/golden/tables/entries.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using sstable::FilterKind;
using sstable::Table;
using tests::TableEntry;

const std::string kFolder = BLOOMLINE_GOLDEN_DIR "/tables/";

struct Golden {
  std::string file;
  int format_version = 0;
  std::string kind;
  size_t num_filters = 0;
  uint32_t crc = 0;

  bool is_foreign() const { return file.find("foreign") != std::string::npos; }
};

std::vector<Golden> Goldens() {
  std::ifstream list(kFolder + "tables.txt");
  std::vector<Golden> goldens;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    Golden golden;
    fields >> golden.file >> golden.format_version >> golden.kind >> golden.num_filters >>
        std::hex >> golden.crc;
    EXPECT_FALSE(fields.fail()) << line;
    goldens.push_back(golden);
  }
  EXPECT_GE(goldens.size(), 11u);
  return goldens;
}

FilterKind KindOf(const std::string& name) {
  return name == "full"          ? FilterKind::kFull
         : name == "partitioned" ? FilterKind::kPartitioned
                                 : FilterKind::kByOffset;
}

// RocksDB's large values are in the file, outside of its blocks; the entry says where (type 17).
bool IsEmbedded(const Golden& golden, const tests::GoldenKeyValue& entry) {
  return golden.file.find("blobs") != std::string::npos && entry.value.size() >= 30;
}

void CheckEntries(const Golden& golden, const Table& table) {
  std::vector<tests::GoldenKeyValue> expected;
  for (int i = 0; i < tests::kGoldenEntries; ++i) expected.push_back(tests::GoldenEntry(i));
  std::sort(expected.begin(), expected.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  const std::vector<TableEntry> entries = tests::TableEntries(table);
  ASSERT_EQ(entries.size(), expected.size());
  size_t embedded = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].key, expected[i].key);
    if (IsEmbedded(golden, expected[i])) {
      EXPECT_EQ(entries[i].type, 17);
      ++embedded;
      continue;
    }
    EXPECT_EQ(entries[i].type, expected[i].is_deletion ? 0 : 1);
    EXPECT_EQ(entries[i].value, expected[i].value);
  }
  EXPECT_EQ(embedded > 0, golden.file.find("blobs") != std::string::npos);
}

TEST(SstableGoldenTest, Tables) {
  for (const Golden& golden : Goldens()) {
    SCOPED_TRACE(golden.file);
    const auto table = tests::OpenTable(kFolder + golden.file);
    ASSERT_NE(table, nullptr);
    if (tests::IsBuiltWithoutItsCodec(*table)) continue;
    EXPECT_EQ(table->format_version(), golden.format_version);
    EXPECT_EQ(table->filter_kind(), KindOf(golden.kind));
    EXPECT_EQ(table->engine(),
              golden.kind == "offset" ? sstable::Engine::kLevelDB : sstable::Engine::kRocksDB);
    if (golden.is_foreign()) {
      std::string error;
      EXPECT_EQ(table->NewKeyReader(&error), nullptr);
      EXPECT_NE(error.find("is compressed by \"TestManager\", which is not RocksDB's own"),
                std::string::npos)
          << error;
    } else {
      CheckEntries(golden, *table);
    }
    std::string bytes;
    size_t num_filters = 0;
    for (const std::string& filter : tests::TableFilters(*table)) {
      bytes += filter;
      num_filters += !filter.empty();
    }
    EXPECT_EQ(num_filters, golden.num_filters);
    EXPECT_EQ(tests::GoldenCrc32(bytes), golden.crc);
  }
}

// The values are those of RFC 3720, B.4, and the usual check of "123456789".
TEST(SstableGoldenTest, Crc32c) {
  for (const auto crc32c : {sstable::Crc32c, sstable::PortableCrc32c}) {
    EXPECT_EQ(crc32c("123456789", 9), 0xe3069283u);
    EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8a9136aau);
    EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32), 0x62a8ab43u);
    EXPECT_EQ(crc32c("", 0), 0u);
  }
  std::mt19937_64 random(1);
  std::string bytes(300, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (size_t n = 0; n < 280; ++n) {
    EXPECT_EQ(sstable::Crc32c(bytes.data() + n % 9, n),
              sstable::PortableCrc32c(bytes.data() + n % 9, n));
  }
}

class SstableErrorTest : public testing::Test {
 protected:
  // The error of a file with these bytes.
  std::string ErrorOf(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    std::string error;
    bool vanished = true;
    EXPECT_EQ(Table::Open(path_, {}, &error, &vanished), nullptr);
    EXPECT_FALSE(vanished);
    EXPECT_EQ(error.substr(0, path_.size() + 2), path_ + ": ");
    return error.substr(std::min(error.size(), path_.size() + 2));
  }

  tests::TempDir dir_;
  const std::string path_ = dir_.Path("file");
};

TEST_F(SstableErrorTest, NoTables) {
  EXPECT_EQ(ErrorOf(""), "is no table: it has 0 bytes, and a footer has 48 or more");
  EXPECT_EQ(ErrorOf(std::string(47, 'x')),
            "is no table: it has 47 bytes, and a footer has 48 or more");
  EXPECT_EQ(ErrorOf(std::string(100, 'x')),
            "is not a table of LevelDB or RocksDB: its last 8 bytes are not theirs");
}

TEST_F(SstableErrorTest, NewerFormats) {
  const std::string magic("\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 8);
  EXPECT_EQ(ErrorOf(std::string(100, '\1') + std::string("\x08\0\0\0", 4) + magic),
            "has format_version 8; 0 to 7 are known");
  EXPECT_EQ(ErrorOf(std::string(100, '\x09') + std::string("\x05\0\0\0", 4) + magic),
            "has checksum type 9; 0 to 4 are known");
}

TEST_F(SstableErrorTest, VanishedFiles) {
  std::string error;
  bool vanished = false;
  EXPECT_EQ(Table::Open(path_, {}, &error, &vanished), nullptr);
  EXPECT_TRUE(vanished);
  EXPECT_EQ(error, path_ + ": cannot be opened: No such file or directory");
  EXPECT_EQ(Table::Open(dir_.Path("."), {}, &error, &vanished), nullptr);
  EXPECT_FALSE(vanished);
  EXPECT_EQ(error, dir_.Path(".") + ": is not a regular file");
}

}  // namespace
}  // namespace bloomline

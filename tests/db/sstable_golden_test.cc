// Tables that engines of other versions wrote, kept in tests/golden/tables with the programs that
// made them: as they are, cut off, with changed bytes; and what is not a table. Damage gives an
// error that says where, or the same entries and filters as before, never other ones.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "src/db/tables/bytes/checksum.h"
#include "src/db/tables/table.h"
#include "tests/db/table_entries.h"
#include "tests/golden/tables/entries.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::sstable_golden_test {
namespace {

using tables::FilterKind;
using tables::Table;

const std::string kFolder = BLOOMLINE_GOLDEN_DIR "/tables/";

struct Golden {
  std::string file;
  int format_version = 0;
  std::string kind;
  size_t num_filters = 0;
  uint32_t crc = 0;

  bool Is(const char* what) const { return file.find(what) != std::string::npos; }
};

// Those that this build can read: some need a library that it did not find.
std::vector<Golden> Goldens() {
  std::ifstream list(kFolder + "tables.txt");
  std::vector<Golden> goldens;
  size_t left_out = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    Golden golden;
    fields >> golden.file >> golden.format_version >> golden.kind >> golden.num_filters >>
        std::hex >> golden.crc;
    EXPECT_FALSE(fields.fail()) << line;
    if (IsBuiltWithoutItsCodec(*OpenTable(kFolder + golden.file))) {
      ++left_out;
    } else {
      goldens.push_back(golden);
    }
  }
  EXPECT_GE(goldens.size() + left_out, 13u);
  return goldens;
}

FilterKind KindOf(const std::string& name) {
  return name == "full"          ? FilterKind::kFull
         : name == "partitioned" ? FilterKind::kPartitioned
                                 : FilterKind::kByOffset;
}

// RocksDB's large values are in the file, outside of its blocks; the entry says where (type 17).
bool IsEmbedded(const Golden& golden, const GoldenKeyValue& entry) {
  return golden.Is("blobs") && entry.value.size() >= 30;
}

void CheckEntries(const Golden& golden, const Table& table) {
  std::vector<GoldenKeyValue> expected;
  for (int i = 0; i < kGoldenEntries; ++i) expected.push_back(GoldenEntry(i));
  std::sort(expected.begin(), expected.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  const std::vector<TableEntry> entries = TableEntries(table);
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
  EXPECT_EQ(embedded > 0, golden.Is("blobs"));
}

TEST(SstableGoldenTest, Tables) {
  for (const Golden& golden : Goldens()) {
    SCOPED_TRACE(golden.file);
    const auto table = OpenTable(kFolder + golden.file);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->format_version(), golden.format_version);
    EXPECT_EQ(table->filter_kind(), KindOf(golden.kind));
    EXPECT_EQ(table->engine(),
              golden.Is("leveldb") ? tables::Engine::kLevelDB : tables::Engine::kRocksDB);
    if (golden.Is("foreign")) {
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
    for (const std::string& filter : TableFilters(*table)) {
      bytes += filter;
      num_filters += !filter.empty();
    }
    EXPECT_EQ(num_filters, golden.num_filters);
    EXPECT_EQ(GoldenCrc32(bytes), golden.crc);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStep = 23;  // every 23rd byte
#else
constexpr size_t kStep = 5;
#endif

std::string BytesOf(const std::string& file) {
  const std::string bytes = ReadFile(kFolder + file);
  EXPECT_FALSE(bytes.empty()) << file;
  return bytes;
}

// A file in memory, whose bytes can be changed one by one.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) {
    EXPECT_EQ(pwrite(descriptor_, bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void Truncate(size_t n) { EXPECT_EQ(ftruncate(descriptor_, static_cast<off_t>(n)), 0); }
  void Set(size_t offset, char byte) {
    EXPECT_EQ(pwrite(descriptor_, &byte, 1, static_cast<off_t>(offset)), 1);
  }
  const std::string& path() const { return path_; }

 private:
  const int descriptor_ = memfd_create("table", MFD_CLOEXEC);
  const std::string path_ = "/proc/self/fd/" + std::to_string(descriptor_);
};

// All that can be read of a table, and all errors on the way.
struct Reading {
  std::string contents, sequences, errors;
};

void Add(std::string_view text, std::string* to) {
  to->append(std::to_string(text.size())).append(":").append(text);
}

void ReadEntries(const Table& table, Table::FilterReader* filters, Reading* reading) {
  std::string error;
  const auto keys = table.NewKeyReader(&error);
  reading->errors += error;
  if (keys == nullptr) return;
  while (keys->Next()) {
    Add(keys->user_key(), &reading->contents);
    Add(keys->value(), &reading->contents);
    reading->contents += std::to_string(keys->type());
    reading->sequences += std::to_string(keys->sequence()) + ",";
    if (filters == nullptr) continue;
    const uint64_t filter =
        filters->FilterOf(keys->user_key(), keys->sequence(), keys->block_offset());
    reading->contents += "," + std::to_string(filter);
  }
  reading->errors += keys->error();
  EXPECT_FALSE(keys->Next());  // an end stays an end
}

Reading Read(const std::string& path, bool verify_checksums) {
  Reading reading;
  tables::OpenOptions options;
  options.verify_checksums = verify_checksums;
  std::string error;
  const auto table = Table::Open(path, options, &error);
  if (table == nullptr) return {"", "", error};
  const auto filters = table->NewFilterReader(&error);
  reading.errors += error;
  const uint64_t num_filters = filters == nullptr ? 0 : filters->num_filters();
  for (uint64_t i = 0; i < num_filters; ++i) {
    std::string_view bytes;
    error.clear();
    if (filters->Read(i, &bytes, &error)) Add(bytes, &reading.contents);
    reading.errors += error;
  }
  ReadEntries(*table, filters.get(), &reading);
  return reading;
}

TEST(SstableDamageTest, EveryTruncationIsAnError) {
  for (const Golden& golden : Goldens()) {
    SCOPED_TRACE(golden.file);
    const std::string bytes = BytesOf(golden.file);
    MemoryFile memory(bytes);
    ASSERT_FALSE(Read(memory.path(), true).contents.empty());
    for (size_t n = bytes.size() - 1;; n -= std::min(n, kStep)) {
      memory.Truncate(n);
      for (bool verify : {true, false}) {
        const Reading reading = Read(memory.path(), verify);
        ASSERT_EQ(reading.contents, "") << n;
        ASSERT_EQ(reading.errors.substr(0, memory.path().size() + 2), memory.path() + ": ") << n;
      }
      if (n == 0) break;
    }
  }
}

TEST(SstableDamageTest, ChangedBytesAreNoticedOrDoNotCount) {
  std::mt19937_64 random(5);
  for (const Golden& golden : Goldens()) {
    SCOPED_TRACE(golden.file);
    const std::string bytes = BytesOf(golden.file);
    MemoryFile memory(bytes);
    const Reading whole = Read(memory.path(), true);
    size_t noticed = 0, changed = 0, with_offset = 0;
    for (size_t offset = random() % kStep; offset < bytes.size(); offset += kStep) {
      const int bit = static_cast<int>(random() % 9);  // 8: all of them
      memory.Set(offset, static_cast<char>(bytes[offset] ^ (bit == 8 ? 255 : 1 << bit)));
      const Reading reading = Read(memory.path(), true);
      ++changed;
      if (reading.errors != whole.errors) {
        ++noticed;
        with_offset += reading.errors.find(" at offset ") != std::string::npos;
      } else {
        ASSERT_TRUE(reading.contents == whole.contents) << "offset " << offset << " bit " << bit;
        // No checksum protects the one sequence number of RocksDB's ingested files.
        ASSERT_TRUE(golden.Is("rocksdb") || reading.sequences == whole.sequences)
            << "offset " << offset;
      }
      // Without checksums anything may come out of it, but it ends.
      Read(memory.path(), false);
      memory.Set(offset, bytes[offset]);
    }
    EXPECT_TRUE(Read(memory.path(), true).contents == whole.contents);
    // What is not: a footer's padding, values outside of blocks, and blocks of another's
    // compression, which are not read.
    const bool is_special = golden.Is("blobs") || golden.Is("foreign");
    EXPECT_GE(noticed, changed * (is_special ? 4 : 9) / 10);
    EXPECT_GE(with_offset, noticed * 8 / 10);
  }
}

// An index that lost a block would otherwise look whole.
TEST(SstableDamageTest, TheNumberOfEntriesIsCompared) {
  const std::string bytes = BytesOf("rocksdb-7.8-version0.sst");
  MemoryFile memory(bytes);
  const std::string error = memory.path() +
                            ": has 120 entries and 0 range deletions, but its properties count "
                            "121 in all";
  int found = 0;
  for (size_t offset = 0; offset < bytes.size(); ++offset) {
    if (bytes[offset] != 120) continue;
    memory.Set(offset, 121);
    found += Read(memory.path(), false).errors == error;
    memory.Set(offset, 120);
  }
  EXPECT_EQ(found, 1);
}

// A buffer reserves a quarter more than it is asked for. This size, cut off at the bits of a
// size_t, would be 4 bytes.
TEST(SstableDamageTest, SizesBeyondTheAddressSpaceAreOutOfMemory) {
  tables::Buffer buffer;
  EXPECT_THROW(buffer.Reserve(sizeof(size_t) > 4 ? 0xccccccccccccccd0 : 0xccccccd0),
               std::bad_alloc);
}

// The values are those of RFC 3720, B.4, and the usual check of "123456789".
TEST(SstableGoldenTest, Crc32c) {
  for (const auto crc32c : {tables::Crc32c, tables::PortableCrc32c}) {
    EXPECT_EQ(crc32c("123456789", 9, 0), 0xe3069283u);
    EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32, 0), 0x8a9136aau);
    EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32, 0), 0x62a8ab43u);
    EXPECT_EQ(crc32c("", 0, 0), 0u);
    EXPECT_EQ(crc32c("456789", 6, crc32c("123", 3, 0)), 0xe3069283u);
  }
  std::mt19937_64 random(1);
  std::string bytes(300, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (size_t n = 0; n < 280; ++n) {
    EXPECT_EQ(tables::Crc32c(bytes.data() + n % 9, n),
              tables::PortableCrc32c(bytes.data() + n % 9, n));
  }
}

class SstableErrorTest : public testing::Test {
 protected:
  // Expects that this is the error of a file with these bytes, behind its name.
  void ExpectError(const std::string& bytes, const std::string& error_part) {
    std::ofstream(path_, std::ios::binary) << bytes;
    std::string error;
    EXPECT_EQ(Table::Open(path_, {}, &error), nullptr);
    EXPECT_EQ(error.find(path_ + ": "), 0u) << error;
    EXPECT_NE(error.find(error_part), std::string::npos) << error;
  }

  TempDir dir_;
  const std::string path_ = dir_.Path("file");
};

TEST_F(SstableErrorTest, NoTablesAndNewerOnes) {
  ExpectError("", "it has 0 bytes, and a footer has 48 or more");
  ExpectError(std::string(47, 'x'), "it has 47 bytes, and a footer has 48 or more");
  ExpectError(
      std::string(100, 'x'),
      "is not a table of LevelDB or RocksDB: its magic number is 7878787878787878; allowed: ");
  const std::string magic("\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 8);
  ExpectError(std::string(100, '\1') + std::string("\x08\0\0\0", 4) + magic,
              "has format_version 8; 0 to 7 are known");
  ExpectError(std::string(100, '\x09') + std::string("\x05\0\0\0", 4) + magic,
              "has checksum type 9; 0 to 4 are known");
}

TEST_F(SstableErrorTest, NoFiles) {
  std::string error;
  EXPECT_EQ(Table::Open(path_, {}, &error), nullptr);
  EXPECT_EQ(error, path_ + ": cannot be opened: No such file or directory");
  EXPECT_EQ(Table::Open(dir_.Path("."), {}, &error), nullptr);
  EXPECT_EQ(error, dir_.Path(".") + ": is not a regular file");
}

}  // namespace
}  // namespace bloomline::tests::sstable_golden_test

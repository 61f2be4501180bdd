// MANIFESTs of any bytes: src/db/tree/manifest.h.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "src/db/tree/manifest.h"
#include "tests/db/manifest_writer.h"

namespace bloomline::tree::database_manifest_test {
namespace {

using tests::DeletedFile;
using tests::Fixed;
using tests::LengthPrefixed;
using tests::ManifestWriter;
using tests::NewFile;
using tests::NewFile4;
using tests::Varint;

// "0 default leveldb.BytewiseComparator: 5@1 a-b 6@0 c-d;"
std::string TextOf(const LiveFiles& live) {
  std::string text;
  for (const auto& [id, family] : live.families()) {
    text += std::to_string(id) + " " + family.family.name + " " + family.family.comparator + ":";
    for (const auto& [number, file] : family.files) {
      EXPECT_EQ(number, file.number);
      text += " " + std::to_string(number) + "@" + std::to_string(file.level) + " " +
              file.smallest_key + "-" + file.largest_key;
    }
    text += ";";
  }
  return text;
}

class ManifestTest : public ::testing::Test {
 protected:
  ~ManifestTest() override { close(descriptor_); }

  struct Reading {
    bool ok = false;
    std::string text, error;
  };

  std::string Path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  Reading Read(const std::string& bytes) {
    EXPECT_EQ(ftruncate(descriptor_, 0), 0);
    EXPECT_EQ(pwrite(descriptor_, bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    Reading reading;
    LiveFiles live;
    reading.ok = ReadManifest(Path(), &live, &reading.error);
    EXPECT_EQ(reading.ok, reading.error.empty());
    reading.text = TextOf(live);
    return reading;
  }
  Reading ReadRecords(const std::vector<std::string>& records) {
    ManifestWriter writer;
    for (const std::string& record : records) writer.Add(record);
    return Read(writer.bytes());
  }

  // In memory: the tests read thousands of files.
  const int descriptor_ = memfd_create("manifest", 0);
};

const std::string kComparator = Varint(1) + LengthPrefixed("cmp");
const std::string kNewDatabase = tests::NewDatabase("cmp");

std::string InGroup(uint64_t remaining, const std::string& edit) {
  return Varint(300) + Varint(remaining) + edit;
}

// Files come, move and go; two column families; an atomic group.
std::vector<std::string> History() {
  return {
      kComparator,
      Varint(2) + Varint(3) + Varint(3) + Varint(9),
      Varint(4) + Varint(100),
      NewFile4(0, 10, "a", "c") + NewFile4(0, 11, "b", "d"),
      Varint(200) + Varint(1) + Varint(201) + LengthPrefixed("more") + kComparator,
      Varint(200) + Varint(1) + NewFile4(0, 12, "x", "z"),
      DeletedFile(0, 10) + DeletedFile(0, 11) + NewFile4(1, 13, "a", "d"),
      InGroup(1, NewFile4(0, 14, "e", "f")),
      InGroup(0, Varint(200) + Varint(1) + NewFile4(0, 15, "u", "v")),
      DeletedFile(1, 13) + NewFile4(2, 13, "a", "d"),
      Varint(200) + Varint(2) + Varint(201) + LengthPrefixed("gone") + kComparator,
      Varint(200) + Varint(2) + Varint(202),
  };
}

TEST_F(ManifestTest, History) {
  std::vector<std::string> records = History();
  const Reading reading = ReadRecords(records);
  EXPECT_TRUE(reading.ok) << reading.error;
  EXPECT_EQ(reading.text, "0 default cmp: 13@2 a-d 14@0 e-f;1 more cmp: 12@0 x-z 15@0 u-v;");
  records.resize(8);  // the group is not complete: none of it
  EXPECT_EQ(ReadRecords(records).text, "0 default cmp: 13@1 a-d;1 more cmp: 12@0 x-z;");
}

// goleveldb adds the table that it makes of a log twice.
TEST_F(ManifestTest, TheSameTwiceInARecord) {
  const std::string file = NewFile(0, 5, "a", "b");
  const Reading reading = ReadRecords({kNewDatabase + file + NewFile(1, 6, "c", "d") + file});
  EXPECT_TRUE(reading.ok) << reading.error;
  EXPECT_EQ(reading.text, "0 default cmp: 5@0 a-b 6@1 c-d;");
}

// What a reader sees while the owner writes: some of the last record. It is as if that were not
// there. Without the numbers of History's first three records, it is no database.
TEST_F(ManifestTest, EachLengthIsAPrefix) {
  std::map<size_t, std::string> whole;  // by the length at which it is reached
  ManifestWriter writer;
  int records = 0;
  for (const std::string& record : History()) {
    writer.Add(record);
    if (++records >= 3) whole[writer.bytes().size()] = Read(writer.bytes()).text;
  }
  std::string expected;
  for (size_t length = 0; length <= writer.bytes().size(); ++length) {
    const Reading reading = Read(writer.bytes().substr(0, length));
    if (whole.count(length) > 0) expected = whole[length];
    ASSERT_EQ(reading.ok, !expected.empty()) << length;
    if (!reading.ok) {
      EXPECT_NE(reading.error.find("so its end is missing"), std::string::npos) << reading.error;
      continue;
    }
    ASSERT_EQ(reading.text, expected) << length;
    if (whole.count(length) == 0) continue;
    // Preallocated space, as some writers leave it.
    const Reading zeros = Read(writer.bytes().substr(0, length) + std::string(70000, '\0'));
    ASSERT_TRUE(zeros.ok) << length << ": " << zeros.error;
    ASSERT_EQ(zeros.text, expected) << length;
  }
}

TEST_F(ManifestTest, EachNumberIsNeeded) {
  for (const uint64_t missing : {2, 3, 4}) {
    std::string record;
    for (const uint64_t tag : {2, 3, 4}) record += tag == missing ? "" : Varint(tag) + Varint(7);
    EXPECT_EQ(ReadRecords({record}).error.substr(Path().size()),
              std::string(": has no ") + kNumbers[missing - 2] +
                  " in its 11 bytes, so its end is missing; which tables are live is unknown");
  }
  EXPECT_FALSE(ReadRecords({InGroup(1, kNewDatabase)}).ok);
}

// No damage goes unnoticed, except in the last record, where it may look as if that were not
// complete.
TEST_F(ManifestTest, FlippedBytes) {
  ManifestWriter writer;
  std::vector<std::string> records = History();
  size_t last = 0;
  for (const std::string& record : records) {
    last = writer.bytes().size();
    writer.Add(record);
  }
  records.pop_back();
  const std::string without_last = ReadRecords(records).text;
  int noticed = 0;
  for (size_t i = 0; i < writer.bytes().size(); ++i) {
    for (const char flip : {'\1', '\x80', '\xff'}) {
      std::string bytes = writer.bytes();
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      const Reading reading = Read(bytes);
      if (!reading.ok) {
        ++noticed;
      } else {
        ASSERT_GE(i, last) << "damage at " << i << " is not noticed: " << reading.text;
        ASSERT_EQ(reading.text, without_last);
      }
    }
  }
  EXPECT_GT(noticed, static_cast<int>(2 * last));
}

TEST_F(ManifestTest, DamageHasItsPlace) {
  ManifestWriter writer;
  writer.Add(kNewDatabase);
  writer.Add(NewFile(0, 5, "a", "b"));
  const size_t damage = writer.bytes().size() - 3;
  writer.Add(NewFile(0, 6, "c", "d"));
  std::string bytes = writer.bytes();
  bytes[damage] ^= 1;
  EXPECT_EQ(Read(bytes).error,
            Path() +
                ": the record at offset 18 has a wrong checksum; which tables are "
                "live is unknown");
  bytes = writer.bytes();
  bytes[18 + 5] = '\x40';  // a length that reaches behind the end, as in a record half written
  EXPECT_NE(Read(bytes).error.find("offset 18 is longer than its block"), std::string::npos);
}

// Lost pages: zeros with records behind them.
TEST_F(ManifestTest, HolesAreNoticed) {
  ManifestWriter writer;
  for (uint64_t i = 0; i < 3000; ++i) writer.Add(NewFile(0, 10 + i, "aaaaaaaa", "bbbbbbbbb"));
  ASSERT_GT(writer.bytes().size(), 3 * ManifestWriter::kBlockBytes);
  for (const size_t begin : {size_t{0}, size_t{4096}, ManifestWriter::kBlockBytes, size_t{36864}}) {
    for (const size_t size : {size_t{4096}, ManifestWriter::kBlockBytes}) {
      std::string bytes = writer.bytes();
      bytes.replace(begin, size, size, '\0');
      EXPECT_NE(Read(bytes).error.find("which tables"), std::string::npos) << begin << " " << size;
    }
  }
}

TEST_F(ManifestTest, RecordsOfAllSizes) {
  ManifestWriter writer;
  writer.Add(kNewDatabase);
  std::string expected = "0 default cmp:";
  uint64_t number = 10;
  // Each offset in a block, and records of several blocks.
  for (const size_t size : {32730, 1, 5, 6, 7, 8, 30, 32768, 100000, 3, 32700, 17, 65536}) {
    const std::string key(size, 'k');
    writer.Add(NewFile(3, number, key, "z"));
    expected += " " + std::to_string(number++) + "@3 " + key + "-z";
  }
  const Reading reading = Read(writer.bytes());
  EXPECT_TRUE(reading.text == expected + ";");
  // An empty first fragment at a block's end, as old writers left it.
  ManifestWriter old;
  old.Add(NewFile(0, 5, std::string(ManifestWriter::kBlockBytes - 46 + 4, 'a'), "b"));
  while (ManifestWriter::kBlockBytes - old.bytes().size() > 14) old.AddFragment(128, "");
  ASSERT_LE(old.bytes().size(), ManifestWriter::kBlockBytes - 7);
  old.AddFragment(2, "");
  old.Add(kNewDatabase);
  EXPECT_TRUE(Read(old.bytes()).ok);
}

TEST_F(ManifestTest, RecordTypes) {
  ManifestWriter writer;
  writer.AddFragment(1, kNewDatabase);
  const std::string record = NewFile4(0, 5, "a", "b");
  writer.AddFragment(2, record.substr(0, 5));
  writer.AddFragment(3, record.substr(5, 5));
  writer.AddFragment(4, record.substr(10));
  writer.AddFragment(130, "skipped");
  writer.AddFragment(200, "skipped");
  writer.Add(NewFile4(0, 6, "c", "d"));
  const Reading reading = Read(writer.bytes());
  EXPECT_EQ(reading.text, "0 default cmp: 5@0 a-b 6@0 c-d;");
  for (const int type : {5, 9, 12, 100}) {
    ManifestWriter unknown;
    unknown.Add(kNewDatabase);
    unknown.AddFragment(type, "?");
    const Reading refused = Read(unknown.bytes());
    EXPECT_FALSE(refused.ok);
    EXPECT_NE(refused.error.find("offset 18 is of type " + std::to_string(type)), std::string::npos)
        << refused.error;
  }
  // A record whose end, or whose beginning, is missing.
  for (const int type : {2, 3, 4}) {
    ManifestWriter broken;
    broken.Add(kNewDatabase);
    broken.AddFragment(type, NewFile4(0, 5, "a", "b"));
    broken.Add(NewFile4(0, 6, "c", "d"));
    const Reading found = Read(broken.bytes());
    EXPECT_NE(found.error.find(type == 2 ? "offset 18 has no end" : "offset 18 has no beginning"),
              std::string::npos)
        << found.error;
  }
}

// All of RocksDB's tags up to 11 but those of 6.12 to 6.18, in records that also add a file.
TEST_F(ManifestTest, Tags) {
  const std::string blob_fields = Varint(2) + LengthPrefixed("field") + Varint(0);
  const std::vector<std::string> tags = {
      Varint(2) + Varint(1ull << 60),
      Varint(3) + Varint(7),
      Varint(4) + Varint(~0ull),
      Varint(5) + Varint(3) + tests::InternalKey("cursor"),
      Varint(9) + Varint(0),
      Varint(10) + Varint(4),
      Varint(100) + Varint(6) + Varint(77) + Varint(1) + tests::InternalKey("q") +
          tests::InternalKey("r") + Varint(1) + Varint(2),
      Varint(102) + Varint(6) + Varint(77) + Varint(2) + Varint(1) + tests::InternalKey("q") +
          tests::InternalKey("r") + Varint(1) + Varint(2),
      Varint(203) + Varint(4),
      Varint(400) + Varint(8) + Varint(1) + Varint(2) + LengthPrefixed("crc") +
          LengthPrefixed("xxxx") + blob_fields,
      Varint(401) + Varint(8) + Varint(1) + Varint(2) + blob_fields,
      Varint(8193) + LengthPrefixed("id"),
      Varint(8198) + LengthPrefixed("timestamp"),
      Varint(8199) + LengthPrefixed(Varint(5) + Varint(1)),
      Varint(8200) + LengthPrefixed(Varint(5)),
      Varint(8201) + LengthPrefixed("\1"),
      Varint(8202) + LengthPrefixed("progress"),
      Varint(8203) + LengthPrefixed(Varint(1000)),
      Varint(8192 + 4000) + LengthPrefixed("of the future"),
  };
  std::string fields;
  for (const uint64_t field : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 63, 128}) {
    fields += Varint(field) + LengthPrefixed("value");
  }
  fields += Varint(65) + LengthPrefixed("\2");
  for (const std::string& tag : tags) {
    const Reading reading = ReadRecords({kNewDatabase, tag + NewFile4(1, 5, "a", "b", fields)});
    EXPECT_TRUE(reading.ok) << reading.error;
    const bool has_file = reading.text.find(" 77@6 q-r") != std::string::npos;
    EXPECT_EQ(reading.text,
              std::string("0 default cmp: 5@1 a-b") + (has_file ? " 77@6 q-r;" : ";"));
    // Cut off anywhere, it is damage or another whole record; never a file that is not there.
    for (size_t length = 0; length < tag.size(); ++length) {
      const Reading cut = ReadRecords({kNewDatabase, tag.substr(0, length)});
      EXPECT_EQ(cut.text, "0 default cmp:;");
    }
  }
}

// Contradictions, and what is not known.
TEST_F(ManifestTest, EditsThatAreRefused) {
  const std::string file = NewFile4(1, 5, "a", "b");
  const std::string key = LengthPrefixed("short");
  const std::string blob = Varint(401) + Varint(8) + Varint(1) + Varint(2);
  const struct {
    std::vector<std::string> edits;
    const char* error;
  } kCases[] = {
      {{DeletedFile(0, 5)},
       "offset 18 deletes table 5 of level 0, which is not there; which tables are live is un"},
      {{file, DeletedFile(0, 5)}, "deletes table 5 of level 0, which is not there"},
      {{file, file}, "adds table 5, which is there already"},
      {{file + file}, "adds table 5, which is there already"},
      {{NewFile(0, 5, "a", "b") + NewFile(1, 5, "a", "b")}, "adds table 5, which is there already"},
      {{NewFile(0, 5, "a", "b") + NewFile(0, 5, "a", "c")}, "adds table 5, which is there already"},
      {{NewFile(0, 5, "a", "b") + NewFile(0, 5, "a", "b", 999)},
       "adds table 5, which is there already"},
      {{NewFile(0, 5, "a", "b"), NewFile(0, 5, "a", "b")}, "adds table 5, which is there already"},
      {{Varint(200) + Varint(7) + file}, "changes column family 7, which is not there"},
      {{Varint(202)}, "drops column family 0"},
      {{Varint(201) + LengthPrefixed("default")}, "adds column family 0, which is there already"},
      {{InGroup(2, file), InGroup(0, file)}, "of its atomic group, of which 2 must follow"},
      {{InGroup(2, file), file}, "is not the next one of its atomic group, of which 2"},
      {{NewFile4(256, 5, "a", "b")}, "has wrong bytes in a new file"},
      {{Varint(7) + Varint(0) + Varint(5) + Varint(1) + key + key}, "wrong bytes in a new file"},
      {{Varint(8) + file}, "has tag 8, which this program does not know"},
      {{Varint(104) + file}, "has tag 104, which this program does not know"},
      {{Varint(8194) + file}, "has tag 8194, which this program does not know"},
      {{NewFile4(0, 9, "", "", Varint(66) + LengthPrefixed("?"))},
       "has field 66, which this program"},
      {{blob + Varint(64) + file}, "has field 64, which this program does not know"},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> records = {kNewDatabase};
    records.insert(records.end(), c.edits.begin(), c.edits.end());
    const Reading reading = ReadRecords(records);
    EXPECT_FALSE(reading.ok);
    EXPECT_NE(reading.error.find(c.error), std::string::npos) << reading.error;
  }
}

}  // namespace
}  // namespace bloomline::tree::database_manifest_test

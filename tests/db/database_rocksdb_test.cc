// src/db/tree against RocksDB's own answers: which tables are live, in which column
// family, level and folder, with which keys.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "src/db/tree/database.h"
#include "tests/engines/accounted_database.h"
#include "tests/support/temp_dir.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tree::database_rocksdb_test {
namespace {

using rocksdb::ColumnFamilyOptions;
using rocksdb::Options;
using tests::TempDir;

// Column family, level, number, bytes, path, smallest and largest user key.
using TableFact =
    std::tuple<std::string, int, uint64_t, uint64_t, std::string, std::string, std::string>;
using TableFacts = std::set<TableFact>;

class RocksDBUnderTest : public tests::AccountedDatabase {
 public:
  RocksDBUnderTest(const std::string& path, const Options& options)
      : AccountedDatabase(path, nullptr) {
    this->options() = options;
    this->options().create_if_missing = true;
    Reopen();
  }

  void Reopen() {
    Close();
    const rocksdb::Status status = Open();
    ASSERT_TRUE(status.ok()) << status.ToString();
    Settle();
  }
  // Lets the compactions that are due run, for a while: some stay pending.
  void Settle() {
    for (int waited = 0, quiet = 0; quiet < 3 && waited < 500; ++waited) {
      uint64_t running = 0;
      db()->GetIntProperty("rocksdb.num-running-compactions", &running);
      quiet = running == 0 ? quiet + 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  // `num_keys` random keys of 16 digits in each column family, then a flush.
  void Fill(uint64_t seed, int num_keys) {
    for (auto* const family : handles()) {
      for (int i = 0; i < num_keys; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        char key[24];
        std::snprintf(key, sizeof(key), "%016u", static_cast<unsigned>(seed >> 40));
        Put(family, key, std::string(100, static_cast<char>('a' + i % 26)));
      }
    }
    Flush();
    Settle();
  }
  void Put(rocksdb::ColumnFamilyHandle* family, const std::string& key, const std::string& value) {
    rocksdb::Status status;
    if (family->GetComparator()->timestamp_size() == 0) {
      status = db()->Put({}, family, key, value);
    } else {
      std::string timestamp(8, '\0');
      timestamp[0] = static_cast<char>(1 + key.back() % 7);
      status = db()->Put({}, family, key, timestamp, value);
    }
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  TableFacts Expected() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db()->GetLiveFilesMetaData(&files);
    TableFacts facts;
    for (const auto& file : files) {
      facts.emplace(file.column_family_name, file.level, file.file_number, file.size,
                    file.directory + "/" + file.relative_filename, file.smallestkey,
                    file.largestkey);
    }
    return facts;
  }
  std::string path() { return db()->GetName(); }
};

TableFacts FactsOf(const Database& database) {
  TableFacts facts;
  for (const auto& file : database.files) {
    facts.emplace(database.column_families[static_cast<size_t>(file.column_family)].name,
                  file.level, file.number, file.bytes, file.path, file.smallest_key,
                  file.largest_key);
  }
  return facts;
}

std::set<std::string> FoldersOf(const TableFacts& facts) {
  std::set<std::string> folders;
  for (const TableFact& fact : facts) {
    folders.insert(std::filesystem::path(std::get<4>(fact)).parent_path().filename().string());
  }
  return folders;
}

Database OpenOne(const std::string& argument) {
  std::vector<Database> databases;
  std::string error;
  EXPECT_TRUE(tree::OpenInput(argument, &databases, &error)) << error;
  EXPECT_EQ(databases.size(), 1u);
  return databases.empty() ? Database() : std::move(databases.front());
}

// Small tables and levels: a few thousand keys fill three.
Options SmallOptions() {
  Options options;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 32 << 10;
  options.max_bytes_for_level_base = 128 << 10;
  options.max_bytes_for_level_multiplier = 4;
  options.level0_file_num_compaction_trigger = 2;
  options.compression = rocksdb::kNoCompression;
  options.allow_fallocate = false;  // spares file operations
  return options;
}

void ExpectSame(RocksDBUnderTest* db, const std::string& when) {
  ASSERT_TRUE(db->db()->PauseBackgroundWork().ok());
  const Database database = OpenOne(db->path());
  EXPECT_EQ(database.engine, tables::Engine::kRocksDB) << when;
  EXPECT_EQ(FactsOf(database), db->Expected()) << when;
  ASSERT_TRUE(db->db()->ContinueBackgroundWork().ok());
  EXPECT_EQ(database.warnings, std::set<std::string>()) << when;
  EXPECT_EQ(database.column_families.size(), db->handles().size()) << when;
  for (size_t i = 0; i < std::min(database.column_families.size(), db->handles().size()); ++i) {
    const ColumnFamily& family = database.column_families[i];
    EXPECT_EQ(family.comparator, db->handles()[i]->GetComparator()->Name()) << when;
  }
  // Files are in the order of levels and, in a level, of keys.
  for (size_t i = 1; i < database.files.size(); ++i) {
    const TableFile& a = database.files[i - 1];
    const TableFile& b = database.files[i];
    const auto* const comparator =
        db->handles()[static_cast<size_t>(a.column_family)]->GetComparator();
    if (a.column_family != b.column_family || comparator->timestamp_size() > 0) continue;
    EXPECT_LE(a.level, b.level) << when;
    if (a.level > 0 && a.level == b.level) {
      EXPECT_LT(comparator->Compare(a.largest_key, b.smallest_key), 0) << when;
    }
  }
}

// Fills, compares; reopens, compares; compacts, compares.
void Exercise(RocksDBUnderTest* db) {
  ExpectSame(db, "empty");
  for (const uint64_t seed : {1, 2}) {
    db->Fill(seed, 1500);
    ExpectSame(db, "filled with seed " + std::to_string(seed));
  }
  db->Reopen();
  ExpectSame(db, "reopened");
  db->Compact();
  db->Settle();
  ExpectSame(db, "compacted");
}

TEST(RocksDBDirectory, ColumnFamiliesComeAndGo) {
  const TempDir dir;
  RocksDBUnderTest db(dir.Path("db"), SmallOptions());
  ColumnFamilyOptions universal = SmallOptions();
  universal.compaction_style = rocksdb::kCompactionStyleUniversal;
  ColumnFamilyOptions reverse = SmallOptions();
  reverse.comparator = rocksdb::ReverseBytewiseComparator();
  rocksdb::BlockBasedTableOptions ribbon;
  ribbon.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  universal.table_factory.reset(rocksdb::NewBlockBasedTableFactory(ribbon));
  db.Create("one", SmallOptions());
  db.Create("two: \"#\\ a=b]", universal);
  db.Create("reverse", reverse);
  db.Fill(1, 1000);
  ExpectSame(&db, "four families");
  const Database four = OpenOne(db.path());
  EXPECT_NE(four.column_families[2].filter_policy.find("ribbonfilter:10"), std::string::npos)
      << four.column_families[2].filter_policy;
  EXPECT_EQ(four.column_families[2].compaction_style, "kCompactionStyleUniversal");
  EXPECT_EQ(four.column_families[0].filter_policy, "nullptr");
  db.Drop(1);
  ExpectSame(&db, "one dropped");
  db.Create("one", SmallOptions());
  db.Fill(2, 1000);
  ExpectSame(&db, "added again");
  db.Drop(3);
  db.Drop(2);
  db.Drop(1);
  Exercise(&db);
}

// db_paths and cf_paths: the user names the folders.
TEST(RocksDBDirectory, TablesInOtherFolders) {
  const TempDir dir;
  Options options = SmallOptions();
  options.db_paths = {
      {dir.Path("db"), 200 << 10}, {dir.Path("second"), 600 << 10}, {dir.Path("a third"), 1 << 30}};
  RocksDBUnderTest db(dir.Path("db"), options);
  ColumnFamilyOptions elsewhere = SmallOptions();
  elsewhere.cf_paths = {{dir.Path("family"), 1 << 30}};
  db.Create("elsewhere", elsewhere);
  for (uint64_t round = 1; round <= 3; ++round) {
    db.Fill(round, 2000);
  }
  // Compactions take tables to the other folders, on a busy machine late.
  EXPECT_TRUE(tests::Within30Seconds([&] {
    EXPECT_TRUE(db.db()->PauseBackgroundWork().ok());
    if (FoldersOf(db.Expected()).size() >= 3) return true;
    EXPECT_TRUE(db.db()->ContinueBackgroundWork().ok());
    return false;
  }));
  const Database without = OpenOne(db.path());
  EXPECT_TRUE(std::any_of(without.files.begin(), without.files.end(), [](const TableFile& file) {
    return !std::filesystem::exists(file.path);
  }));
  std::vector<Database> databases;
  std::string error;
  const std::vector<std::string> input{dir.Path("second"), dir.Path("a third"), dir.Path("family")};
  ASSERT_TRUE(OpenInput(db.path(), &databases, &error, input)) << error;
  EXPECT_EQ(FactsOf(databases.at(0)), db.Expected());
  EXPECT_EQ(databases[0].warnings, std::set<std::string>());
  EXPECT_GE(FoldersOf(FactsOf(databases[0])).size(), 3u);
  ASSERT_TRUE(db.db()->ContinueBackgroundWork().ok());
}

// Each brings other records into the MANIFEST.
TEST(RocksDBDirectory, OfAllOptions) {
  const struct {
    const char* name;
    void (*change)(Options* options);
  } kCases[] = {
    {"leveled", [](Options* o) { o->allow_fallocate = true; }},  // RocksDB's default
    {"universal", [](Options* o) { o->compaction_style = rocksdb::kCompactionStyleUniversal; }},
    {"FIFO",
     [](Options* o) {
       o->compaction_style = rocksdb::kCompactionStyleFIFO;
       o->compaction_options_fifo.max_table_files_size = 200 << 10;
       o->ttl = 0;
     }},
    {"MANIFESTs roll over",
     [](Options* o) {
       o->max_manifest_file_size = 2000;
       o->track_and_verify_wals_in_manifest = true;
       o->two_write_queues = true;
       o->write_dbid_to_manifest = true;
     }},
    {"blob files, checksums, ttl",
     [](Options* o) {
       o->enable_blob_files = true;
       o->min_blob_size = 50;
       o->enable_blob_garbage_collection = true;
       o->blob_garbage_collection_age_cutoff = 1;
       o->file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
       o->ttl = 3600;
       o->atomic_flush = true;
     }},
    {"timestamps", [](Options* o) { o->comparator = tests::TimestampComparator(); }},
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 910
    {"no IDENTITY",
     [](Options* o) {
       o->write_dbid_to_manifest = true;
       o->write_identity_file = false;
     }},
#endif
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const TempDir dir;
    Options options = SmallOptions();
    c.change(&options);
    RocksDBUnderTest db(dir.Path("db"), options);
    Exercise(&db);
    if (&c != kCases) continue;
    db.Fill(99, 1500);
    std::set<int> levels;
    for (const TableFile& file : OpenOne(db.path()).files) levels.insert(file.level);
    EXPECT_GE(levels.size(), 2u);  // else the test shows little
  }
}

#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 910
// The tables then have no timestamps, and neither have the keys in MANIFEST. RocksDB appends zeros.
TEST(RocksDBDirectory, TimestampsThatAreNotStored) {
  const TempDir dir;
  Options options = SmallOptions();
  options.comparator = tests::TimestampComparator();
  options.persist_user_defined_timestamps = false;
  options.allow_concurrent_memtable_write = false;
  RocksDBUnderTest db(dir.Path("db"), options);
  for (uint64_t round = 1; round < 4; ++round) {
    db.Fill(round, 1500);
    ASSERT_TRUE(db.db()->PauseBackgroundWork().ok());
    TableFacts expected;
    for (auto [family, level, number, bytes, path, smallest, largest] : db.Expected()) {
      smallest.resize(smallest.size() - 8);
      largest.resize(largest.size() - 8);
      expected.emplace(family, level, number, bytes, path, smallest, largest);
    }
    EXPECT_EQ(FactsOf(OpenOne(db.path())), expected);
    ASSERT_TRUE(db.db()->ContinueBackgroundWork().ok());
    db.Reopen();
  }
}
#endif

}  // namespace
}  // namespace bloomline::tree::database_rocksdb_test

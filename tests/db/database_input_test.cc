// What arguments name: folders and tables; what is said of those that name nothing; OPTIONS.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "src/db/tree/database.h"
#include "src/db/tree/options_file.h"
#include "tests/db/manifest_writer.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tree::database_input_test {
namespace {

using tables::Engine;
using tests::ManifestWriter;
using tests::NewFile;
using tests::NewFile4;
using tests::TempDir;
using tests::Varint;

class InputTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return dir_.Path(name); }
  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  // A folder with a MANIFEST of these records.
  void WriteDatabase(const std::string& name, const std::vector<std::string>& records) const {
    ManifestWriter writer;
    writer.Add(tests::NewDatabase("leveldb.BytewiseComparator"));
    for (const std::string& record : records) writer.Add(record);
    Write(name + "/MANIFEST-000002", writer.bytes());
    Write(name + "/CURRENT", "MANIFEST-000002\n");
  }

  std::vector<Database> Open(const std::string& argument) const {
    std::vector<Database> databases;
    std::string error;
    EXPECT_TRUE(OpenInput(argument, &databases, &error)) << error;
    EXPECT_EQ(error, "");
    return databases;
  }
  // The error, without the path of the test's folder.
  std::string ErrorOf(const std::string& argument) const {
    std::vector<Database> databases(1);
    std::string error;
    EXPECT_FALSE(OpenInput(argument, &databases, &error)) << argument;
    EXPECT_EQ(databases.size(), 1u);  // nothing was added
    const std::string folder = dir_.Path("");
    for (size_t at = error.find(folder); at != error.npos; at = error.find(folder)) {
      error.erase(at, folder.size());
    }
    return error;
  }

  const TempDir dir_;
};

TEST_F(InputTest, NamesNothing) {
  EXPECT_EQ(ErrorOf(Path("none")),
            "none: does not exist; allowed: a database's folder, or a table");
  EXPECT_EQ(ErrorOf(""), ": does not exist; allowed: a database's folder, or a table");
  EXPECT_EQ(ErrorOf("/dev/null"), "/dev/null: is neither a folder nor a regular file");
  Write("parent/text.txt", "x");
  WriteDatabase("parent/child", {});
  EXPECT_EQ(ErrorOf(Path("parent")),
            "parent: has no CURRENT file, so it is not a database directory; to examine single "
            "tables, name these files (*.sst, *.ldb)");
}

TEST_F(InputTest, BadCurrent) {
  for (const std::string current : {"", "\n", "MANIFEST-\n", "MANIFEST-1x\n", "../MANIFEST-1",
                                    "MANIFEST-000001 \n", "MANIFEST-99999999999999999999\n"}) {
    Write("db/CURRENT", current);
    std::string name = current;
    if (!name.empty() && name.back() == '\n') name.pop_back();
    EXPECT_EQ(ErrorOf(Path("db")),
              "db/CURRENT: has '" + name + "'; allowed: the name of a MANIFEST");
  }
  Write("db/CURRENT", "\x1b[2J\xff");  // an encrypted one
  EXPECT_EQ(ErrorOf(Path("db")), "db/CURRENT: has '\x1b[2J\xff'; allowed: the name of a MANIFEST");
  Write("db/CURRENT", "MANIFEST-000007\n");
  EXPECT_EQ(ErrorOf(Path("db")), "db/CURRENT: names db/MANIFEST-000007, which does not exist");
  Write("db/MANIFEST-000007", "");
  EXPECT_EQ(
      ErrorOf(Path("db")),
      "db/MANIFEST-000007: has no log number in its 0 bytes, so its end is missing; which tables "
      "are live is unknown");
}

// What Pebble wrote is named as such, whatever else is wrong with it.
TEST_F(InputTest, Pebble) {
  const std::string own = "db: is a Pebble database (marker.manifest.000012.MANIFEST-000002), of ";
  WriteDatabase("db", {NewFile4(2, 5, "a", "b")});
  Write("db/000005.sst", "");
  Write("db/marker.manifest.000009.MANIFEST-000001", "");
  Write("db/marker.manifest.000012.MANIFEST-000002", "");
  EXPECT_EQ(ErrorOf(Path("db")), own +
                                     "which nothing is read; tables that it has in RocksDB's "
                                     "format can be named one by one (*.sst)");
  std::filesystem::remove(Path("db/marker.manifest.000009.MANIFEST-000001"));
  std::filesystem::remove(Path("db/marker.manifest.000012.MANIFEST-000002"));
  EXPECT_EQ(Open(Path("db"))[0].pebble_sign, "");
  std::string error;
  EXPECT_TRUE(IsDatabase(Path("db"), &error)) << error;

  // The newest OPTIONS count.
  Write("db/OPTIONS-000003", "[Version]\n  pebble_version=0.1\n");
  Write("db/OPTIONS-000004", "[Version]\n  rocksdb_version=6.2.1\n");
  EXPECT_EQ(Open(Path("db"))[0].pebble_sign, "");
  Write("db/OPTIONS-000005", "[Version]\n  pebble_version=0.1\n[Level \"0\"]\n  block_size=1\n");
  const Database shared = Open(Path("db"))[0];
  EXPECT_EQ(shared.pebble_sign, "pebble_version in OPTIONS-000005");
  EXPECT_EQ(shared.engine, Engine::kRocksDB);
  EXPECT_EQ(shared.files.size(), 1u);
  EXPECT_EQ(shared.warnings.size(), 1u);
  EXPECT_FALSE(IsDatabase(Path("db"), &error));

  const std::string with_options = "db: is a Pebble database (pebble_version in OPTIONS-000005), ";
  Write("db/CURRENT", "MANIFEST-000000\n");
  EXPECT_EQ(ErrorOf(Path("db")), with_options +
                                     "of which nothing is read: db/CURRENT: names "
                                     "db/MANIFEST-000000, which does not exist");
  std::filesystem::remove(Path("db/CURRENT"));
  EXPECT_EQ(ErrorOf(Path("db")), with_options + "of which nothing is read: it has no CURRENT file");

  for (const char* name : {"db/OPTIONS-000003", "db/OPTIONS-000004", "db/OPTIONS-000005"}) {
    std::filesystem::remove(Path(name));
  }
  Write("db/000007.sst", "\xf0\x9f\xaa\xb3\xf0\x9f\xaa\xb3");
  EXPECT_EQ(ErrorOf(Path("db")),
            "db: is a Pebble database (the magic number of 000007.sst), of which nothing is read: "
            "it has no CURRENT file");
  EXPECT_FALSE(IsDatabase(Path("db"), &error));
  Write("db/000008.sst", "\x9f\xaa\xb3\xf0\x9f\xaa\xb3");
  EXPECT_EQ(ErrorOf(Path("db")).find("Pebble"), std::string::npos);
}

TEST_F(InputTest, Tables) {
  const std::string tables = BLOOMLINE_GOLDEN_DIR "/tables/";
  std::filesystem::copy_file(tables + "leveldb-1.23-snappy.ldb", Path("a.sst"));
  // It ends in LevelDB's magic number.
  std::filesystem::copy_file(tables + "rocksdb-7.8-version0.sst", Path("b.ldb"));
  Write("c.sst", "neither");
  Write("d.ldb", "");
  for (const auto& [name, engine] :
       std::vector<std::pair<std::string, Engine>>{{"a.sst", Engine::kLevelDB},
                                                   {"b.ldb", Engine::kRocksDB},
                                                   {"c.sst", Engine::kRocksDB},
                                                   {"d.ldb", Engine::kLevelDB}}) {
    const std::vector<Database> databases = Open(Path(name));
    ASSERT_EQ(databases.size(), 1u) << name;
    EXPECT_EQ(databases[0].engine, engine) << name;
    EXPECT_EQ(databases[0].path, "");
    ASSERT_EQ(databases[0].files.size(), 1u);
    ASSERT_EQ(databases[0].column_families.size(), 1u);
    const TableFile& file = databases[0].files[0];
    EXPECT_EQ(file.path, Path(name));
    EXPECT_EQ(file.level, -1);
    EXPECT_EQ(file.bytes, std::filesystem::file_size(Path(name)));
  }
  // Together they are one database for each engine.
  std::vector<Database> databases;
  std::string error;
  for (const char* name : {"a.sst", "b.ldb", "c.sst", "d.ldb"}) {
    ASSERT_TRUE(OpenInput(Path(name), &databases, &error)) << error;
  }
  ASSERT_EQ(databases.size(), 2u);
  for (const Database& database : databases) EXPECT_EQ(database.files.size(), 2u);
}

TEST_F(InputTest, Engines) {
  WriteDatabase("leveldb", {NewFile(2, 5, "a", "b")});
  WriteDatabase("rocksdb", {NewFile4(2, 5, "a", "b")});
  WriteDatabase("empty_leveldb", {});
  WriteDatabase("empty_rocksdb", {Varint(10) + Varint(0)});
  WriteDatabase("with_identity", {});
  WriteDatabase("with_options", {});
  // RocksDB that tried to open LevelDB's database leaves files, too.
  WriteDatabase("opened_by_rocksdb", {NewFile(2, 5, "a", "b")});
  for (const char* name : {"leveldb/000005.ldb", "rocksdb/000005.sst", "with_identity/IDENTITY",
                           "with_options/OPTIONS-000007", "opened_by_rocksdb/IDENTITY",
                           "opened_by_rocksdb/000005.sst"}) {
    Write(name, "");
  }
  EXPECT_EQ(Open(Path("leveldb"))[0].engine, Engine::kLevelDB);
  EXPECT_EQ(Open(Path("rocksdb"))[0].engine, Engine::kRocksDB);
  EXPECT_EQ(Open(Path("empty_leveldb"))[0].engine, Engine::kLevelDB);
  EXPECT_EQ(Open(Path("empty_rocksdb"))[0].engine, Engine::kRocksDB);
  EXPECT_EQ(Open(Path("with_identity"))[0].engine, Engine::kRocksDB);
  EXPECT_EQ(Open(Path("with_options"))[0].engine, Engine::kRocksDB);
  const Database opened = Open(Path("opened_by_rocksdb"))[0];
  EXPECT_EQ(opened.engine, Engine::kLevelDB);
  EXPECT_EQ(opened.files.at(0).path, Path("opened_by_rocksdb/000005.sst"));
}

// ---- OPTIONS of any text.

TEST(OptionsFile, Sections) {
  OptionsFile options;
  ParseOptionsFile(
      "# comment\n"
      "[Version]\n  rocksdb_version=7.8.3\n"
      "[DBOptions]\n  db_log_dir=/a\n"
      "[CFOptions \"default\"]\r\n  path=/a\\:b\\#c # comment\r\n  no statement\n=\n"
      "  num_levels=5\n  compression_opts={max_dict_bytes=0;level=1;}\n"
      "  a = b=c  \n"
      "[TableOptions/BlockBasedTable \"default\"]\n  filter_policy={id=bloomfilter:10:false;}#x\n"
      "  num_levels=9\n"
      "[CFOptions \"with \\\"quotes\\\" \\#1\"]\n  a=1\n"
      "[Unknown \"default\"]\n  b=2\n"
      "[CFOptions]\n  c=3\n"
      "[TableOptions \"default\"]\n  d=4",
      &options);
  EXPECT_EQ(options.database, (OptionTexts{{"db_log_dir", "/a"}}));
  ASSERT_EQ(options.families.size(), 2u);
  EXPECT_EQ(options.families["default"],
            (OptionTexts{{"path", "/a:b#c"},
                         {"", ""},
                         {"num_levels", "5"},
                         {"compression_opts", "{max_dict_bytes=0;level=1;}"},
                         {"a", "b=c"},
                         {"filter_policy", "{id=bloomfilter:10:false;}"}}));
  EXPECT_EQ(options.families["with \"quotes\" #1"], (OptionTexts{{"a", "1"}}));
}

TEST(OptionsFile, Values) {
  EXPECT_EQ(OptionId("bloomfilter:10:false"), "bloomfilter:10:false");
  EXPECT_EQ(OptionId(" {bloomfilter:10:false;} "), "bloomfilter:10:false");
  EXPECT_EQ(OptionId("{bloom_before_level=0;id=ribbonfilter:10;}"), "ribbonfilter:10");
  EXPECT_EQ(OptionId("id=bloomline;format=compact"), "bloomline");
  EXPECT_EQ(OptionId("{bits_per_key=7}"), "");
  EXPECT_EQ(OptionId(""), "");
  EXPECT_EQ(OptionId("{a={id=x;b=1;};id=y;b={c=2;};}"), "y");
  EXPECT_EQ(OptionId("{ id = {bloomfilter:10}; }"), "bloomfilter:10");
  EXPECT_EQ(ShortPolicy("bloomfilter:10:false"), "bloomfilter:10:false");
  EXPECT_EQ(ShortPolicy("{id=ribbonfilter:10;format=blocked;}"),
            "{id=ribbonfilter:10;format=blocked;}");
  EXPECT_EQ(ShortPolicy("bloomline:12"), "bloomline:12");
  EXPECT_EQ(ShortPolicy("{id=bloomline:12;bits_per_key=10}"), "{id=bloomline:12;bits_per_key=10}");
  EXPECT_EQ(
      ShortPolicy("{id=bloomline;bits_per_key=10;format=blocked;seed=0;bits_by_level=uniform;"
                  "levels_in_use=0;level_size_ratio=10;flush_format=same;"
                  "bloom_before_level=-1;filters_at_bottom=true;stock_id=false;"
                  "range_prefixes=none;range_memory_percent=20;memory=0;max_filter_bytes=0;}"),
      "bloomline");
  EXPECT_EQ(ShortPolicy("{id=bloomline;format=ribbon;bloom_before_level=0;stock_id=true}"),
            "{id=bloomline;format=ribbon;bloom_before_level=0;stock_id=true;}");
  EXPECT_EQ(ShortPolicy("{bits_per_key=10;id=bloomline;new_option={a=1;b=2;};seed=0;}"),
            "{id=bloomline;new_option={a=1;b=2;};}");
}

}  // namespace
}  // namespace bloomline::tree::database_input_test

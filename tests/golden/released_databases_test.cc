// Databases that releases wrote, in golden/releases/VERSION/{leveldb,rocksdb}. This version takes
// their options, uses their filters, finds their keys and adds files. It writes the same filters
// and options, so the release can use what this version adds: a database can go back to it.
//
// Format compact of RocksDB is the exception: it went in 0.4. Its filters match every key, and its
// options mean Ribbon.
//
// golden/option_strings.txt lists RocksDB's column families: name, number of keys, options.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/options/former_compact.h"
#include "src/filter/container/trailer.h"
#include "tests/db/table_entries.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/metric_value.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

namespace fs = std::filesystem;

std::string Key(int i) { return "release/" + std::to_string(100000 + 3 * i); }
std::string MissingKey(int i) { return Key(i) + "x"; }

template <typename Get>
void ExpectKeys(int num_keys, Get get) {
  std::string value;
  for (int i = 0; i < num_keys; ++i) {
    ASSERT_TRUE(get(Key(i), &value).ok()) << Key(i);
    ASSERT_EQ(value, std::to_string(i));
    ASSERT_TRUE(get(MissingKey(i), &value).IsNotFound());
  }
}

// Whether the filter has entries for ranges, which releases before 0.3 wrote.
bool HasEntries(const std::string& filter) {
  return filter::HasTrailer(filter) &&
         filter.size() > filter::DecodeTrailer(filter).payload_bytes() + filter::kTrailerBytes;
}

bool IsFormerCompact(const std::string& filter) {
  return filter::DecodeTrailer(filter).layout == filter::Layout::kFormerCompact;
}

// The filters of the tables in the folder, without those that have entries for ranges, and without
// compact ones. Partitions are left out: RocksDB chooses their keys.
std::multiset<std::string> Filters(const fs::path& folder) {
  std::multiset<std::string> filters;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".ldb" && file.path().extension() != ".sst") continue;
    const auto table = OpenTable(file.path());
    if (table == nullptr || table->filter_kind() == tables::FilterKind::kPartitioned) continue;
    for (const std::string& filter : TableFilters(*table)) {
      if (!filter.empty() && !HasEntries(filter) && !IsFormerCompact(filter)) {
        filters.insert(filter);
      }
    }
  }
  return filters;
}

// How the OPTIONS files in the folder write bloomline's policies, but for those of format compact,
// and without former options, which releases take for their defaults. Releases that do not know one
// of the names give all options their defaults.
std::set<std::string> PolicyLines(const fs::path& folder) {
  std::set<std::string> lines;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().filename().string().rfind("OPTIONS-", 0) != 0) continue;
    std::ifstream options(file.path());
    for (std::string line; std::getline(options, line);) {
      if (line.find("filter_policy={id=bloomline;") == std::string::npos) continue;
      if (line.find("=compact;") != std::string::npos) continue;
      const std::regex former(
          "(range_prefixes|range_memory_percent|levels_in_use|level_size_ratio)=[^;]*;");
      lines.insert(std::regex_replace(line, former, ""));
    }
  }
  return lines;
}

class LevelDB {
 public:
  LevelDB(const std::string& path, Format format)
      : policy_(NewLevelDBFilterPolicy(FilterOptions{format, 10})) {
    EXPECT_STREQ(policy_->Name(), "leveldb.BuiltinBloomFilter2");
    leveldb::Options options;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    options.block_size = 64 << 10;  // one filter for each table
    options.filter_policy = policy_.get();
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, path, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }

  void Add(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      ASSERT_TRUE(db_->Put({}, Key(i), std::to_string(i)).ok());
    }
    const std::string first = Key(begin), last = Key(end - 1);
    const leveldb::Slice from = first, to = last;
    db_->CompactRange(&from, &to);
  }

  void Expect(int num_keys, const std::multiset<std::string>& filters) {
    ExpectKeys(num_keys,
               [&](const std::string& key, auto* value) { return db_->Get({}, key, value); });
    for (const std::string& filter : filters) {
      int num_matches = 0;
      for (int i = 0; i < 1000; ++i) num_matches += policy_->KeyMayMatch(MissingKey(i), filter);
      EXPECT_LT(num_matches, 100);
    }
  }

 private:
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::unique_ptr<leveldb::DB> db_;
};

constexpr Format kLevelDBFormats[] = {Format::kClassic, Format::kBlocked, Format::kCompact};
constexpr int kLevelDBKeys = 510;  // of each format; blocked filters of 500 keys have no blocks

struct Family {
  int num_keys = 0;
  rocksdb::ColumnFamilyOptions options;
};

std::map<std::string, Family> Families() {
  EXPECT_TRUE(RegisterBloomline());
  rocksdb::ConfigOptions config;  // returns all errors (docs/compatibility.md)
  config.input_strings_escaped = false;
  std::ifstream list(BLOOMLINE_GOLDEN_DIR "/option_strings.txt");
  std::map<std::string, Family> families;
  Family family;
  for (std::string name, text; list >> name >> family.num_keys >> text;) {
    // Nothing has this name any more, which RocksDB, as it is by default, takes for no extractor.
    config.ignore_unsupported_options = text.find("=bloomline.ranges") != std::string::npos;
    const rocksdb::Status status =
        rocksdb::GetColumnFamilyOptionsFromString(config, {}, text, &family.options);
    EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
    family.options.compression = rocksdb::kNoCompression;
    // Since RocksDB 9 the default, by which sizes follow malloc_usable_size.
    family.options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
        ->optimize_filters_for_memory = false;
    families[name] = family;
  }
  return families;
}

void AddToRocksDB(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    ASSERT_TRUE(db->Put({}, family, Key(i), std::to_string(i)).ok());
  }
  ASSERT_TRUE(db->Flush({}, family).ok());
}

// Scans all keys, in total order and by prefixes, forward and backward, and each alone with bounds.
void ExpectScans(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, int num_keys) {
  using Set = void (*)(rocksdb::ReadOptions*);
  for (const Set set :
       {Set([](rocksdb::ReadOptions*) {}),
        Set([](rocksdb::ReadOptions* read) { read->total_order_seek = true; }),
        Set([](rocksdb::ReadOptions* read) { read->auto_prefix_mode = true; }),
        Set([](rocksdb::ReadOptions* read) { read->prefix_same_as_start = true; })}) {
    rocksdb::ReadOptions read;
    set(&read);
    const std::unique_ptr<rocksdb::Iterator> scan(db->NewIterator(read, family));
    int num_found = 0;
    for (scan->Seek(Key(0)); scan->Valid(); scan->Next()) ASSERT_EQ(scan->key(), Key(num_found++));
    EXPECT_EQ(num_found, num_keys);
    for (scan->SeekForPrev(MissingKey(num_keys)); scan->Valid(); scan->Prev()) {
      ASSERT_EQ(scan->key(), Key(--num_found));
    }
    EXPECT_EQ(num_found, 0);
    for (int i = 0; i < num_keys; ++i) {
      for (const std::string& begin : {Key(i), MissingKey(i)}) {
        const std::string end = begin + '\0';  // the next key
        const rocksdb::Slice lower_bound = begin, upper_bound = end;
        read.iterate_lower_bound = &lower_bound;
        read.iterate_upper_bound = &upper_bound;
        const std::unique_ptr<rocksdb::Iterator> within(db->NewIterator(read, family));
        within->Seek(begin);
        ASSERT_EQ(within->Valid(), begin == Key(i)) << begin;
        within->SeekForPrev(begin);
        ASSERT_EQ(within->Valid(), begin == Key(i)) << begin;
      }
    }
  }
}

// How many compact filters were opened.
double NumCompactOpened() {
  return MetricValue("bloomline_filters_opened_matching_everything_total",
                     "reason=\"former_compact\"");
}

// The families whose filters are compact in databases of releases before 0.4.
bool WasCompact(const std::string& family) {
  return family == "compact" || family == "seed" || family == "limit" || family == "partitions";
}

using Change = void (*)(rocksdb::ColumnFamilyOptions*);

// Opens the database with its own OPTIONS file, and with `change` if it is not null. It has
// num_turns times the keys that the release wrote, and gets as many again. In the release, the
// families of WasCompact had compact filters if has_compact is true.
void ReadAndAdd(const std::string& path, int num_turns, bool has_compact, Change change = nullptr) {
  std::map<std::string, Family> known = Families();
  rocksdb::DBOptions options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  rocksdb::Status status = rocksdb::LoadLatestOptions({}, path, &options, &families);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (rocksdb::ColumnFamilyDescriptor& family : families) {
    EXPECT_EQ(family.options.prefix_extractor, nullptr) << "nothing has the name";
    if (change != nullptr) change(&family.options);
  }
  options.statistics = rocksdb::CreateDBStatistics();
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  status = OpenRocksDB(options, path, families, &handles, &db);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (size_t i = 0; i < families.size(); ++i) {
    SCOPED_TRACE(families[i].name);
    const Family& family = known[families[i].name];
    const int num_keys = num_turns * family.num_keys;
    std::string mismatch;
    // The family `default` has no filters; stock_id names RocksDB's policy.
    if (families[i].name != "default" && families[i].name != "stock_id") {
      EXPECT_TRUE(PolicyOf(family.options)
                      ->AreEquivalent({}, PolicyOf(families[i].options).get(), &mismatch))
          << mismatch;
    }
    options.statistics->setTickerCount(rocksdb::BLOOM_FILTER_USEFUL, 0);
    ExpectKeys(num_keys, [&](const std::string& key, auto* value) {
      return db->Get({}, handles[i], key, value);
    });
    if (change == nullptr) {
      const uint64_t num_useful = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
      const int num_filters = num_turns - (has_compact && WasCompact(families[i].name) ? 1 : 0);
      EXPECT_GE(num_useful, static_cast<uint64_t>(num_filters * family.num_keys * 8 / 10));
      EXPECT_TRUE(num_filters > 0 || num_useful == 0) << num_useful;
    }
    if (num_keys > 0) ExpectScans(db.get(), handles[i], num_keys);
    AddToRocksDB(db.get(), handles[i], num_keys, num_keys + family.num_keys);
    db->DestroyColumnFamilyHandle(handles[i]);
  }
}

std::string LatestOptions(const std::string& path) {
  std::string name;
  EXPECT_TRUE(rocksdb::GetLatestOptionsFileName(path, rocksdb::Env::Default(), &name).ok());
  return ReadFile(path + "/" + name);
}

bool IsBefore04(const fs::path& release) { return release.filename() < "0.4"; }

std::vector<fs::path> Releases() {
  const fs::directory_iterator releases(BLOOMLINE_GOLDEN_DIR "/releases");
  return std::vector<fs::path>(begin(releases), end(releases));
}

TEST(ReleasedDatabasesTest, AreReadAndGetMoreFiles) {
  ASSERT_FALSE(Releases().empty());
  for (const fs::path& release : Releases()) {
    SCOPED_TRACE(release);
    const TempDir dir;
    fs::copy(release, dir.Path(""), fs::copy_options::recursive);
    const std::string path = dir.Path("leveldb");
    const int num_keys = 3 * kLevelDBKeys;
    for (const Format format : kLevelDBFormats) {
      LevelDB(path, format).Expect(num_keys, Filters(path));
    }
    LevelDB(path, Format::kCompact).Add(num_keys, 2 * num_keys);
    LevelDB(path, Format::kBlocked).Expect(2 * num_keys, Filters(path));

    const bool has_compact = IsBefore04(release);
    ReadAndAdd(dir.Path("rocksdb"), 1, has_compact);
    // With what the first has added, and its OPTIONS file.
    ReadAndAdd(dir.Path("rocksdb"), 2, has_compact);
    EXPECT_EQ(LatestOptions(dir.Path("rocksdb")).find("format=compact"), std::string::npos);
    const std::string log = ReadFile(dir.Path("rocksdb/LOG"));
    EXPECT_EQ(CountOf(engine::FormerCompactRemark(), log), has_compact ? 4 : 0);
  }
}

// Tables whose extractor was bloomline.ranges have one empty prefix in their filters.
TEST(ReleasedDatabasesTest, ANewPrefixExtractorLosesNoKeyOfOldTables) {
  const Change changes[] = {
      [](rocksdb::ColumnFamilyOptions* options) {
        options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
      },
      [](rocksdb::ColumnFamilyOptions* options) {
        options->prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
        options->table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->whole_key_filtering =
            false;
      },
      [](rocksdb::ColumnFamilyOptions* options) {
        options->prefix_extractor.reset(rocksdb::NewCappedPrefixTransform(4));
      }};
  for (const fs::path& release : Releases()) {
    for (const Change change : changes) {
      SCOPED_TRACE(release);
      const TempDir dir;
      fs::copy(release, dir.Path(""), fs::copy_options::recursive);
      ReadAndAdd(dir.Path("rocksdb"), 1, IsBefore04(release), change);
    }
  }
}

// How many live tables of the column family have such filters.
int NumTablesWith(bool (*is_such)(const std::string& filter), rocksdb::DB* db,
                  rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  int num_tables = 0;
  for (const auto& level : metadata.levels) {
    for (const auto& file : level.files) {
      const auto table = OpenTable(file.db_path + "/" + file.name);
      const std::vector<std::string> filters = TableFilters(*table);
      num_tables += std::any_of(filters.begin(), filters.end(), is_such);
    }
  }
  return num_tables;
}

TEST(ReleasedDatabasesTest, ACompactionRemovesEntriesForRanges) {
  for (const char* version : {"0.1.0", "0.2.0"}) {  // later ones wrote none
    const fs::path release = Releases().front().parent_path() / version;
    SCOPED_TRACE(release);
    const TempDir dir;
    fs::copy(release, dir.Path(""), fs::copy_options::recursive);
    ASSERT_TRUE(RegisterBloomline());
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    ASSERT_TRUE(rocksdb::LoadLatestOptions({}, dir.Path("rocksdb"), &options, &families).ok());
    std::unique_ptr<rocksdb::DB> db;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    ASSERT_TRUE(OpenRocksDB(options, dir.Path("rocksdb"), families, &handles, &db).ok());
    for (rocksdb::ColumnFamilyHandle* const handle : handles) {
      if (handle->GetName() == "ranges") {
        EXPECT_EQ(NumTablesWith(HasEntries, db.get(), handle), 1);
        ASSERT_TRUE(GiveNewFilters(db.get(), handle).ok());
        EXPECT_EQ(NumTablesWith(HasEntries, db.get(), handle), 0);
        ExpectScans(db.get(), handle, 300);
      }
      db->DestroyColumnFamilyHandle(handle);
    }
  }
}

TEST(ReleasedDatabasesTest, ACompactionReplacesCompactFilters) {
  for (const fs::path& release : Releases()) {
    if (!IsBefore04(release)) continue;
    SCOPED_TRACE(release);
    const TempDir dir;
    fs::copy(release, dir.Path(""), fs::copy_options::recursive);
    const std::string path = dir.Path("rocksdb");
    ASSERT_TRUE(RegisterBloomline());
    rocksdb::DBOptions options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    ASSERT_TRUE(rocksdb::LoadLatestOptions({}, path, &options, &families).ok());
    const double num_opened = NumCompactOpened();
    std::unique_ptr<rocksdb::DB> db;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    ASSERT_TRUE(OpenRocksDB(options, path, families, &handles, &db).ok());
    EXPECT_GE(NumCompactOpened(), num_opened + 4);
    for (rocksdb::ColumnFamilyHandle* const handle : handles) {
      SCOPED_TRACE(handle->GetName());
      if (WasCompact(handle->GetName())) {
        EXPECT_EQ(NumTablesWith(IsFormerCompact, db.get(), handle), 1);
        ASSERT_TRUE(GiveNewFilters(db.get(), handle).ok());
        EXPECT_EQ(NumTablesWith(IsFormerCompact, db.get(), handle), 0);
      }
      db->DestroyColumnFamilyHandle(handle);
    }
    db.reset();
    ReadAndAdd(path, 1, /*has_compact=*/false);
  }
}

// With BLOOMLINE_WRITE_RELEASE=FOLDER, only writes the databases of a release (releases_test).
TEST(ReleasedDatabasesTest, TodaysFiltersAndOptionsAreTheSame) {
  const TempDir dir;
  const char* kept = std::getenv("BLOOMLINE_WRITE_RELEASE");
  const fs::path folder = kept == nullptr ? dir.Path("") : kept;
  int begin = 0;
  for (const Format format : kLevelDBFormats) {
    LevelDB(folder / "leveldb", format).Add(begin, begin + kLevelDBKeys);
    begin += kLevelDBKeys;
  }
  const std::map<std::string, Family> families = Families();
  rocksdb::DBOptions db_options;
  ASSERT_TRUE(
      rocksdb::GetDBOptionsFromString({}, {}, "listeners=bloomline.account", &db_options).ok());
  db_options.create_if_missing = true;
  db_options.db_host_id = "";  // tables name no machine
  auto db = MustOpenRocksDB(rocksdb::Options(db_options, {}), folder / "rocksdb");
  for (const auto& [name, family] : families) {
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily(family.options, name, &handle).ok());
    AddToRocksDB(db.get(), handle, 0, family.num_keys);
    db->DestroyColumnFamilyHandle(handle);
  }
  db.reset();
  if (kept != nullptr) return;
  for (const fs::path& release : Releases()) {
    for (const std::string engine : {"leveldb", "rocksdb"}) {
      const auto today = Filters(folder / engine);
      const auto then = Filters(release / engine);
      EXPECT_GE(then.size(), 3u);
      std::vector<std::string> gone;
      std::set_difference(then.begin(), then.end(), today.begin(), today.end(),
                          std::back_inserter(gone));
      // In the family `levels`, flushed files had blocked filters with the bits of compact ones.
      EXPECT_EQ(gone.size(), engine == "rocksdb" && IsBefore04(release) ? 1u : 0u)
          << release / engine;
    }
    const auto today = PolicyLines(folder / "rocksdb"), then = PolicyLines(release / "rocksdb");
    EXPECT_GE(then.size(), 5u);
    EXPECT_TRUE(std::includes(today.begin(), today.end(), then.begin(), then.end()));
  }
}

}  // namespace
}  // namespace bloomline::tests

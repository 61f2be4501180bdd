// Reads a LevelDB database while its owner changes it.
#include <gtest/gtest.h>
#include <leveldb/db.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "src/inspect/database/database.h"
#include "tests/support/temp_dir.h"

namespace bloomline::database {
namespace {

constexpr int kReadings = 200;
constexpr int kKeys = 5000;
constexpr size_t kValueBytes = 100;

std::string Key(int i) {
  char key[24];
  std::snprintf(key, sizeof(key), "%016d", i);
  return key;
}

// Each key is stored at least once at any time, so the tables of one moment hold all the bytes, and
// have the first and the last key. With tables of two moments, inputs of a compaction would overlap
// with its outputs, or neither would be there.
bool IsOneMoment(const Database& database) {
  uint64_t bytes = 0;
  bool has_first = false;
  bool has_last = false;
  const TableFile* previous = nullptr;
  for (const TableFile& file : database.files) {
    bytes += file.bytes;
    has_first = has_first || file.smallest_key == Key(0);
    has_last = has_last || file.largest_key == Key(kKeys - 1);
    if (file.level == 0) continue;
    if (previous != nullptr && previous->level == file.level &&
        previous->largest_key >= file.smallest_key) {
      return false;
    }
    previous = &file;
  }
  return bytes > kKeys * kValueBytes && has_first && has_last;
}

TEST(LiveLevelDB, EachReadingIsOneMoment) {
  const tests::TempDir dir;
  leveldb::Options options;
  options.create_if_missing = true;
  options.compression = leveldb::kNoCompression;
  options.write_buffer_size = 64 << 10;
  options.max_file_size = 1 << 20;
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, dir.Path("db"), &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  const std::string value(kValueBytes, 'v');
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, Key(i), value).ok());
  db->CompactRange(nullptr, nullptr);

  std::atomic<bool> stop{false};
  std::thread owner([&] {
    for (int step = 0; !stop; ++step) {
      for (int i = 0; i < 500; ++i) db->Put({}, Key((step * 379 + i * 7) % kKeys), value);
      if (step % 4 == 3) {
        const std::string from = Key(step * 97 % kKeys), to = Key((step * 97 + 700) % kKeys);
        const leveldb::Slice begin(from), end(to);
        db->CompactRange(&begin, &end);
      }
    }
  });
  std::set<uint64_t> numbers;
  std::vector<std::string> warnings;
  Database database;
  // Of a busy machine, the owner may get little.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto has_changed = [&] { return numbers.size() > 3 * database.files.size(); };
  for (int i = 0; i < kReadings || (!has_changed() && std::chrono::steady_clock::now() < deadline);
       ++i) {
    std::string error;
    std::vector<Database> databases;
    EXPECT_TRUE(OpenInput(dir.Path("db"), &databases, &error)) << error;
    if (databases.empty()) continue;
    database = databases[0];
    EXPECT_TRUE(IsOneMoment(database)) << database.files.size() << " tables";
    for (const TableFile& file : database.files) numbers.insert(file.number);
    warnings.insert(warnings.end(), database.warnings.begin(), database.warnings.end());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  stop = true;
  owner.join();
  EXPECT_TRUE(has_changed());
  EXPECT_TRUE(warnings.empty()) << warnings.size() << ": " << warnings.front();
  ASSERT_TRUE(IsOneMoment(database));
  // The comparison would notice a table of another level that comes twice, or none.
  Database planted = database;
  for (const TableFile& file : database.files) {
    if (file.level > 0) planted.files.push_back(file);
  }
  std::sort(planted.files.begin(), planted.files.end(), [](const auto& a, const auto& b) {
    return std::tie(a.level, a.smallest_key) < std::tie(b.level, b.smallest_key);
  });
  EXPECT_FALSE(IsOneMoment(planted));
  planted.files.clear();
  EXPECT_FALSE(IsOneMoment(planted));
}

}  // namespace
}  // namespace bloomline::database

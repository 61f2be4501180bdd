#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/table_builder.h>

#include <algorithm>
#include <memory>

#include "bloomline/leveldb.h"
#include "tests/db/make_databases.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kKeys = 40000;

// Stored keys have even numbers.
std::string BigEndianKey(uint64_t number) {
  std::string key(8, '\0');
  for (int i = 0; i < 8; ++i) key[static_cast<size_t>(7 - i)] = static_cast<char>(number >> 8 * i);
  return key;
}

// LevelDB's own under a name that does harm to a terminal.
class ForgedPolicy : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return kForgedName; }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* filter) const override {
    policy_->CreateFilter(keys, n, filter);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return policy_->KeyMayMatch(key, filter);
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_{leveldb::NewBloomFilterPolicy(10)};
};

// Shorter keys first.
class ByLength : public leveldb::Comparator {
 public:
  explicit ByLength(const char* name) : name_(name) {}

  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  const char* Name() const override { return name_; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  const char* const name_;
};

std::unique_ptr<leveldb::DB> Create(const std::string& path, leveldb::Options options) {
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  Check(leveldb::DB::Open(options, path, &opened));
  return std::unique_ptr<leveldb::DB>(opened);
}
std::unique_ptr<leveldb::DB> Create(const std::string& path, const leveldb::FilterPolicy* policy) {
  leveldb::Options options;
  options.filter_policy = policy;
  return Create(path, options);
}

// Everything is still in its log.
void WriteLog(const std::string& path) {
  const auto db = Create(path, leveldb::Options());
  Check(db->Put({}, "key", "value"));
}

void WriteByLength(const std::string& path, const leveldb::FilterPolicy* policy, const char* name) {
  const ByLength by_length(name);
  leveldb::Options options;
  options.filter_policy = policy;
  options.comparator = &by_length;
  const auto db = Create(path, options);
  for (int i = 0; i < 3000; ++i) Check(db->Put({}, "key" + std::to_string(i), "value"));
  db->CompactRange(nullptr, nullptr);
}

// Numbers without gaps, but for one in 150: nearly no key has a missing neighbour.
void WriteDense(const std::string& path, const leveldb::FilterPolicy* policy) {
  const auto db = Create(path, policy);
  for (uint64_t i = 1; i < 3000; ++i) {
    if (i % 150 != 0) Check(db->Put({}, BigEndianKey(i), std::string(102, 'v')));
  }
  db->CompactRange(nullptr, nullptr);
}

// One table as a memtable is written: with all versions of a key, here in many blocks.
void WriteVersions(const std::string& path, const leveldb::FilterPolicy* policy) {
  const auto db = Create(path, policy);
  const std::string value(1000, 'v');  // snappy makes it small: a filter is for several blocks
  // Less than a memtable. Compaction has nothing to merge, and keeps all versions.
  for (uint64_t i = 0; i < 2800; ++i) {
    Check(db->Put({}, BigEndianKey(4000), value));
    if (i % 4 == 0) Check(db->Put({}, BigEndianKey(8 * i), "v"));
  }
  db->CompactRange(nullptr, nullptr);
}

// One table as a memtable is written, in which each key from `first` to `last` was put twice.
void WriteOverwritten(const std::string& path, const leveldb::FilterPolicy* policy, uint64_t first,
                      uint64_t last) {
  leveldb::Options options;
  options.filter_policy = policy;
  options.compression = leveldb::kNoCompression;
  options.max_file_size = 64 << 20;
  const auto db = Create(path, options);
  const std::string value(102, 'v');
  for (uint64_t i = 0; i < kKeys / 2; ++i) Check(db->Put({}, BigEndianKey(2 * i), value));
  for (uint64_t i = first; i < last; ++i) Check(db->Put({}, BigEndianKey(2 * i), value));
  db->CompactRange(nullptr, nullptr);
}

// Each data block has one key.
void WriteLargeValues(const std::string& path, const leveldb::FilterPolicy* policy) {
  const auto db = Create(path, policy);
  const std::string value(5000, 'v');
  for (uint64_t i = 0; i < 1000; ++i) Check(db->Put({}, BigEndianKey(2 * i), value));
  db->CompactRange(nullptr, nullptr);
}

// Filters of 36 keys, and of one.
void WriteSetsOfAnySize(const std::string& path, const leveldb::FilterPolicy* policy) {
  leveldb::Options options;
  options.filter_policy = policy;
  options.compression = leveldb::kNoCompression;
  const auto db = Create(path, options);
  for (uint64_t i = 0; i < 1000; ++i) {
    Check(db->Put({}, BigEndianKey(i), std::string(i < 900 ? 102 : 5000, 'v')));
  }
  db->CompactRange(nullptr, nullptr);
}

// A table of LevelDB's TableBuilder alone, which writes the keys as they are: text of `digits`
// digits, or numbers of eight bytes.
void WriteTableAlone(const std::string& path, const leveldb::FilterPolicy* policy, size_t digits) {
  leveldb::Options options;
  options.filter_policy = policy;
  leveldb::WritableFile* opened = nullptr;
  Check(leveldb::Env::Default()->NewWritableFile(path, &opened));
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  leveldb::TableBuilder table(options, file.get());
  for (uint64_t i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    const std::string text = std::string(digits - std::min(digits, number.size()), '0') + number;
    table.Add(digits == 0 ? BigEndianKey(i) : text, std::string(102, 'v'));
  }
  Check(table.Finish());
  Check(file->Close());
}

// 102 bytes of value make 36 keys a data block.
void Write(const std::string& path, const leveldb::FilterPolicy* policy, Json* json) {
  leveldb::Options options;
  options.filter_policy = policy;
  options.write_buffer_size = 1 << 19;
  options.compression = leveldb::kNoCompression;
  const auto db = Create(path, options);
  const std::string value(102, 'v');
  // In two sweeps, so that level 0 overlaps.
  for (uint64_t start : {0, 1}) {
    for (uint64_t i = start; i < kKeys; i += 2) Check(db->Put({}, BigEndianKey(2 * i), value));
  }
  db->CompactRange(nullptr, nullptr);
  Json levels = Json::array();
  for (int level = 0; level < 7; ++level) {
    std::string files;
    db->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &files);
    levels.push_back(std::stoi(files));
  }
  *json = {{"keys", kKeys}, {"files_of_level", levels}};
}

}  // namespace

void MakeLevelDBs(const std::string& folder, Json* json) {
  const std::unique_ptr<const leveldb::FilterPolicy> own(leveldb::NewBloomFilterPolicy(10));
  Write(folder + "/leveldb", own.get(), &(*json)["leveldb"]);
  WriteLog(folder + "/leveldb_empty");
  WriteByLength(folder + "/leveldb_by_length", own.get(), "tests.ByLength");
  const ForgedPolicy forged;
  WriteByLength(folder + "/leveldb_forged", &forged, kForgedName);
  WriteDense(folder + "/leveldb_dense", own.get());
  WriteVersions(folder + "/leveldb_versions", own.get());
  WriteLargeValues(folder + "/leveldb_large_values", own.get());
  const std::unique_ptr<const leveldb::FilterPolicy> blocked(NewLevelDBFilterPolicy({}));
  const std::unique_ptr<const leveldb::FilterPolicy> compact(
      NewLevelDBFilterPolicy(FilterOptions{Format::kCompact}));
  WriteOverwritten(folder + "/leveldb_overwritten_own", own.get(), 18000, 20000);
  WriteOverwritten(folder + "/leveldb_overwritten_blocked", blocked.get(), 0, 2000);
  WriteOverwritten(folder + "/leveldb_overwritten_compact", compact.get(), 0, 2000);
  WriteOverwritten(folder + "/leveldb_overwritten_none", nullptr, 18000, 20000);
  Write(folder + "/leveldb_bloomline", blocked.get(), &(*json)["leveldb_bloomline"]);
  WriteSetsOfAnySize(folder + "/leveldb_compact", compact.get());
  Write(folder + "/leveldb_none", nullptr, &(*json)["leveldb_none"]);
  WriteTableAlone(folder + "/short_keys.ldb", own.get(), 4);
  WriteTableAlone(folder + "/long_keys.ldb", own.get(), 16);
  WriteTableAlone(folder + "/numbers.ldb", own.get(), 0);
  WriteTableAlone(folder + "/no_filter.ldb", nullptr, 16);
}

void HoldLevelDB(const std::string& path) {
  const std::unique_ptr<leveldb::DB> db = Create(path, {});
  std::cout << "done" << std::endl;
  std::cin.get();
}

}  // namespace bloomline::tests

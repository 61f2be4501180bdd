#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/write_batch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "bloomline/leveldb.h"
#include "tests/migration/database.h"
#include "tests/migration/leveldb_policy.h"
#include "tests/migration/leveldb_table.h"

namespace bloomline::tests {
namespace {

using leveldb::Slice;

const leveldb::FilterPolicy* NewPlainPolicy(Filter filter) {
  if (filter == Filter::kBloom) return leveldb::NewBloomFilterPolicy(10);
  FilterOptions options;
  const bool compact = filter == Filter::kCompact || filter == Filter::kNamedCompact;
  const bool blocked = filter == Filter::kBlocked || filter == Filter::kNamedBlocked;
  options.format = compact ? Format::kCompact : blocked ? Format::kBlocked : Format::kClassic;
  return NewLevelDBFilterPolicy(options, filter == Filter::kBlockBased ? kBlockBasedName
                                         : IsNamed(filter)             ? kOwnName
                                                                       : kLevelDBBuiltinName);
}

// Counts the reads of tables. With an empty block cache, each is a block.
class CountingTable : public leveldb::RandomAccessFile {
 public:
  CountingTable(leveldb::RandomAccessFile* file, std::atomic<uint64_t>* reads)
      : file_(file), reads_(reads) {}
  leveldb::Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    ++*reads_;
    return file_->Read(offset, n, result, scratch);
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
  std::atomic<uint64_t>* const reads_;
};

class CountingEnv : public leveldb::EnvWrapper {
 public:
  explicit CountingEnv(leveldb::Env* env) : EnvWrapper(env) {}
  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** file) override {
    leveldb::RandomAccessFile* table = nullptr;
    const leveldb::Status status = target()->NewRandomAccessFile(name, &table);
    *file = status.ok() ? new CountingTable(table, &reads) : nullptr;
    return status;
  }
  std::atomic<uint64_t> reads{0};
};

class SilentLogger : public leveldb::Logger {
 public:
  void Logv(const char*, std::va_list) override {}
};

class LevelDBDatabase : public Database {
 public:
  explicit LevelDBDatabase(const DatabaseOptions& options)
      : policy_(options.filter, options.denial),
        faulty_env_(options.faults == nullptr ? nullptr : NewFaultyLevelDBEnv(options.faults)),
        env_(faulty_env_ == nullptr ? leveldb::Env::Default() : faulty_env_.get()),
        cache_(leveldb::NewLRUCache(0)) {
    options_.create_if_missing = options.create;
    options_.env = &env_;
    options_.filter_policy = options.filter == Filter::kNone ? nullptr : &policy_;
    options_.info_log = &logger_;
    options_.compression = leveldb::kNoCompression;
    options_.block_cache = cache_.get();
    options_.write_buffer_size = std::max<uint64_t>(64 << 10, options.num_keys * 5);
    options_.max_file_size = std::max<uint64_t>(1 << 20, options.num_keys * 5);
  }

  bool Open(const std::string& path, std::string* error) {
    path_ = path;
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options_, path, &db);
    db_.reset(db);
    return IsOk(status, error);
  }

  bool Write(const std::vector<Change>& changes, std::string* error) override {
    leveldb::WriteBatch batch;
    for (const Change& change : changes) {
      if (change.deletes) {
        batch.Delete(change.key);
      } else {
        batch.Put(change.key, change.value);
      }
    }
    return IsOk(db_->Write({}, &batch), error);
  }

  // LevelDB has no such function, but a compaction of a range without keys begins with it.
  bool Flush(std::string*) override {
    const Slice none("");
    db_->CompactRange(&none, &none);
    return true;
  }

  // LevelDB's compaction leaves the last level with tables alone, unless something of a level above
  // overlaps them: here, the first and the last key.
  bool Rewrite(std::string* error) override {
    std::vector<Change> ends;
    for (const bool last : {false, true}) {
      const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
      last ? iterator->SeekToLast() : iterator->SeekToFirst();
      if (!iterator->Valid()) return IsOk(iterator->status(), error);
      ends.push_back({iterator->key().ToString(), iterator->value().ToString()});
    }
    return Write(ends, error) && Compact(error);
  }
  bool Compact(std::string*) override {
    db_->CompactRange(nullptr, nullptr);  // returns no status
    return true;
  }

  Answer Get(const std::string& key, std::string* value) override {
    const leveldb::Status status = db_->Get({}, key, value);
    return status.ok() ? Answer::kFound : status.IsNotFound() ? Answer::kNotFound : Answer::kError;
  }
  void GetMany(const std::vector<std::string>& keys, std::vector<Answer>* answers,
               std::vector<std::string>* values) override {
    answers->clear();
    values->assign(keys.size(), "");
    for (size_t i = 0; i < keys.size(); ++i) answers->push_back(Get(keys[i], &(*values)[i]));
  }
  std::string Seek(const std::string& key) override {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
    iterator->Seek(key);
    return iterator->Valid() ? iterator->key().ToString() : "";
  }

  const FilterCounts& counts() const override { return policy_.counts(); }
  uint64_t data_blocks_read() const override { return env_.reads; }

  std::map<std::string, int> Tables() override {
    std::map<std::string, int> names;
    std::string levels;
    if (!db_->GetProperty("leveldb.sstables", &levels)) return {{"unreadable", 1}};
    std::istringstream lines(levels);
    for (std::string line; std::getline(lines, line);) {  // " NUMBER:SIZE['FIRST' .. 'LAST']"
      if (line.find(':') == line.npos) continue;
      char name[32];
      std::snprintf(name, sizeof(name), "/%06lu.ldb", std::strtoul(line.c_str(), nullptr, 10));
      ++names[LevelDBFiltersOf(path_ + name)];
    }
    return names;
  }

 private:
  static bool IsOk(const leveldb::Status& status, std::string* error) {
    if (!status.ok()) *error = status.ToString();
    return status.ok();
  }

  std::string path_;
  const CountingLevelDBPolicy policy_;
  SilentLogger logger_;
  const std::unique_ptr<leveldb::Env> faulty_env_;
  CountingEnv env_;
  const std::unique_ptr<leveldb::Cache> cache_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;  // destroyed first
};

}  // namespace

CountingLevelDBPolicy::CountingLevelDBPolicy(Filter filter, const Denial& denial)
    : policy_(NewPlainPolicy(filter == Filter::kNone ? Filter::kBloom : filter)), denial_(denial) {}
const char* CountingLevelDBPolicy::Name() const { return policy_->Name(); }
void CountingLevelDBPolicy::CreateFilter(const Slice* keys, int n, std::string* dst) const {
  policy_->CreateFilter(keys, n, dst);
}
bool CountingLevelDBPolicy::KeyMayMatch(const Slice& key, const Slice& filter) const {
  constexpr int kMaxStockCode = 30;  // LevelDB's k
  const bool stock =
      filter.empty() || static_cast<unsigned char>(filter[filter.size() - 1]) <= kMaxStockCode;
  const Kind kind = stock ? Kind::kBloom : Kind::kOurs;
  const bool denied = kind == denial_.kind && key == Slice(denial_.key);
  const bool answer = policy_->KeyMayMatch(key, filter) && !denied;
  ++(answer ? counts_.yes : counts_.no)[static_cast<int>(kind)];
  return answer;
}

std::unique_ptr<Database> OpenLevelDB(const DatabaseOptions& options, const std::string& path,
                                      std::string* error) {
  auto database = std::make_unique<LevelDBDatabase>(options);
  if (!database->Open(path, error)) return nullptr;
  return database;
}

}  // namespace bloomline::tests

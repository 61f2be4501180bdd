// LevelDB as a Database.
#include <stdexcept>

#include "db_bench_ext/databases/harness.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/write_batch.h"

namespace bloomline::bench {
namespace {

void Check(const leveldb::Status& status) {
  if (!status.ok()) throw std::runtime_error("LevelDB: " + status.ToString());
}

// LevelDB has no statistics, but without a block cache each data block that it needs is one Read.
// The counter is a plain integer, because only Gets of one thread are counted. Beside a block read,
// its cost cannot be measured.
class CountingFile : public leveldb::RandomAccessFile {
 public:
  CountingFile(leveldb::RandomAccessFile* target, uint64_t* reads)
      : target_(target), reads_(reads) {}

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    if (reads_ != nullptr) ++*reads_;
    return target_->Read(offset, n, result, scratch);
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> target_;
  uint64_t* const reads_;
};

class CountingEnv : public leveldb::EnvWrapper {
 public:
  CountingEnv() : leveldb::EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** result) override {
    const leveldb::Status status = target()->NewRandomAccessFile(path, result);
    if (status.ok()) *result = new CountingFile(*result, counting_ ? &reads_ : nullptr);
    return status;
  }

  // For files opened from now on. Off at first, because the compaction thread reads, too.
  void set_counting(bool counting) { counting_ = counting; }
  uint64_t reads() const { return reads_; }

 private:
  bool counting_ = false;
  uint64_t reads_ = 0;
};

class LevelDBDatabase : public Database {
 public:
  LevelDBDatabase(const Policy& policy, const std::string& parent)
      : directory_(parent),
        policy_(NewLevelDBPolicy(policy.name, static_cast<int>(policy.bits_per_key))),
        no_cache_(leveldb::NewLRUCache(0)) {
    Open();
  }

  void Put(std::string_view key, std::string_view value) override {
    batch_.Put({key.data(), key.size()}, {value.data(), value.size()});
    if (++batch_rows_ == kBatchRows) Commit();
  }

  void CompactAndReopen() override {
    Commit();
    // Twice: CompactRange finds the lowest level in use before it flushes the memtable, so the
    // first call may stop above what it flushed.
    db_->CompactRange(nullptr, nullptr);
    db_->CompactRange(nullptr, nullptr);
    db_.reset();
    env_.set_counting(true);
    Open();  // deletes what compaction left behind, so that only live files remain
    std::string level_0_files;
    if (!db_->GetProperty("leveldb.num-files-at-level0", &level_0_files) || level_0_files != "0")
      throw std::runtime_error("LevelDB: compaction left files in level 0");
  }

  bool Get(std::string_view key, std::string* value) override {
    ++gets_;
    const leveldb::Status status =
        db_->Get(leveldb::ReadOptions(), leveldb::Slice(key.data(), key.size()), value);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }

  void StartCounting() override {
    reads_before_ = env_.reads();
    gets_ = 0;
  }

  // A Get reads a data block only if the filter says "may match", or if there is no filter. In one
  // sorted run it reads at most one. The run may span two levels: LevelDB moves files down until
  // each level has its proper size.
  BlockCounts StopCounting() override {
    const uint64_t reads = env_.reads() - reads_before_;
    if (reads > gets_) throw std::runtime_error("LevelDB: compaction did not leave one sorted run");
    BlockCounts counts;
    counts.data_reads = counts.filter_positives = reads;
    return counts;
  }

  FilterSummary Filters() override { return ReadLevelDBFilters(directory_.path()); }

 private:
  void Open() {
    leveldb::Options options;
    options.create_if_missing = true;
    options.env = &env_;
    options.filter_policy = policy_.get();
    options.block_cache = no_cache_.get();
    options.compression = leveldb::kNoCompression;
    options.max_open_files = 50000;        // every table stays open, with its filters
    options.write_buffer_size = 32 << 20;  // less compaction while loading in random order
    leveldb::DB* db = nullptr;
    Check(leveldb::DB::Open(options, directory_.path(), &db));
    db_.reset(db);
  }

  void Commit() {
    Check(db_->Write(leveldb::WriteOptions(), &batch_));
    batch_.Clear();
    batch_rows_ = 0;
  }

  const TemporaryDirectory directory_;
  CountingEnv env_;
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
  const std::unique_ptr<leveldb::Cache> no_cache_;
  leveldb::WriteBatch batch_;
  int batch_rows_ = 0;
  uint64_t reads_before_ = 0;
  uint64_t gets_ = 0;                // since StartCounting
  std::unique_ptr<leveldb::DB> db_;  // last, so that it is closed before what it uses
};

}  // namespace

std::unique_ptr<Database> NewLevelDBDatabase(const Policy& policy, const std::string& parent) {
  return std::make_unique<LevelDBDatabase>(policy, parent);
}

}  // namespace bloomline::bench

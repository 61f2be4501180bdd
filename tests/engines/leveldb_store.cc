#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/write_batch.h>

#include <atomic>
#include <cstdarg>

#include "bloomline/leveldb.h"
#include "tests/engines/store.h"

namespace bloomline::tests {
namespace {

// Counts how often the wrapped policy says "no".
class CountingPolicy : public leveldb::FilterPolicy {
 public:
  explicit CountingPolicy(const leveldb::FilterPolicy* policy) : policy_(policy) {}
  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    policy_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool answer = policy_->KeyMayMatch(key, filter);
    num_excluded_ += answer ? 0 : 1;
    return answer;
  }
  uint64_t num_excluded() const { return num_excluded_; }

 private:
  const leveldb::FilterPolicy* const policy_;
  mutable std::atomic<uint64_t> num_excluded_{0};
};

class SilentLogger : public leveldb::Logger {
 public:
  void Logv(const char*, std::va_list) override {}
};

// Created once per process: a compact policy takes milliseconds.
const leveldb::FilterPolicy* PolicyOf(FilterKind filter) {
  static const leveldb::FilterPolicy* policies[kNumFilterKinds] = {};
  const leveldb::FilterPolicy*& policy = policies[static_cast<int>(filter)];
  if (policy == nullptr) {
    policy = filter == FilterKind::kStock ? leveldb::NewBloomFilterPolicy(10)
                                          : NewLevelDBFilterPolicy(OptionsOf(filter));
  }
  return policy;
}

class LevelDBStore : public Store {
 public:
  explicit LevelDBStore(const StoreOptions& options) : policy_(PolicyOf(options.filter)) {
    options_.create_if_missing = true;
    options_.filter_policy = &policy_;
    options_.info_log = &logger_;
    options_.compression = leveldb::kNoCompression;
    options_.block_size = options.large_blocks ? 1 << 20 : 1024;
    options_.paranoid_checks = true;  // otherwise a filter block's CRC is not checked
    options_.write_buffer_size = 64 << 20;
    read_.verify_checksums = true;
  }

  bool Open(const std::string& path, std::string* error) {
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options_, path, &db);
    db_.reset(db);
    return IsOk(status, error);
  }

  bool Write(const KeysAndValues& pairs, std::string* error) override {
    leveldb::WriteBatch batch;
    for (const auto& [key, value] : pairs) batch.Put(key, value);
    return IsOk(db_->Write({}, &batch), error);
  }

  bool Flush(std::string* error) override { return Compact(error); }

  bool Compact(std::string*) override {
    db_->CompactRange(nullptr, nullptr);  // returns no status
    return true;
  }

  Answer Get(const std::string& key, std::string* value) override {
    const leveldb::Status status = db_->Get(read_, key, value);
    return status.ok() ? Answer::kFound : status.IsNotFound() ? Answer::kNotFound : Answer::kError;
  }

  std::vector<Answer> GetMany(const std::vector<std::string>& keys) override {
    std::vector<Answer> answers;
    std::string value;
    for (const std::string& key : keys) answers.push_back(Get(key, &value));
    return answers;
  }

  uint64_t num_excluded() const override { return policy_.num_excluded(); }

 private:
  static bool IsOk(const leveldb::Status& status, std::string* error) {
    if (!status.ok()) *error = status.ToString();
    return status.ok();
  }

  const CountingPolicy policy_;
  SilentLogger logger_;
  leveldb::Options options_;
  leveldb::ReadOptions read_;
  std::unique_ptr<leveldb::DB> db_;  // destroyed first: it uses the others until it is closed
};

}  // namespace

std::unique_ptr<Store> OpenLevelDB(const StoreOptions& options, const std::string& path,
                                   std::string* error) {
  auto store = std::make_unique<LevelDBStore>(options);
  if (!store->Open(path, error)) return nullptr;
  return store;
}

}  // namespace bloomline::tests

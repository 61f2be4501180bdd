// A cache in front of a RocksDB database that prevents lookups of missing keys (cache penetration)
// and cache stampedes from reaching the database.
// Usage: cache_guard WORDS SCRATCH_DIR
#include <bloomline/atomic_bloom_filter.h>
#include <bloomline/rocksdb.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "example.h"

namespace {

using example::Require;
using Value = std::optional<std::string>;  // empty: the database does not have the key

constexpr int kThreads = 8;
constexpr double kRate = 0.01;

// The database, which counts its reads. A read takes a millisecond, as over a network.
class Database {
 public:
  explicit Database(const std::string& path) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = bloomline::NewRocksDBFilterPolicy(bloomline::FilterOptions());
    rocksdb::Options options;
    options.create_if_missing = true;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
#if ROCKSDB_MAJOR >= 11
    const rocksdb::Status status = rocksdb::DB::Open(options, path, &db_);
#else
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(options, path, &db);
    db_.reset(db);
#endif
    Require(status.ok(), "the database opens: " + status.ToString());
  }

  Value Read(const std::string& key) {
    ++num_reads;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::string value;
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), key, &value);
    Require(status.ok() || status.IsNotFound(), "the database reads: " + status.ToString());
    return status.ok() ? Value(value) : std::nullopt;
  }

  void Write(const std::vector<std::string>& keys) {
    rocksdb::WriteBatch batch;
    for (const std::string& key : keys) batch.Put(key, "value of " + key);
    Require(db_->Write(rocksdb::WriteOptions(), &batch).ok(), "the database writes");
  }

  std::atomic<size_t> num_reads{0};

 private:
  std::unique_ptr<rocksdb::DB> db_;
};

class GuardedCache {
 public:
  // `filter` contains every key of the database.
  GuardedCache(Database* database, std::unique_ptr<bloomline::AtomicBloomFilter> filter)
      : database_(database), filter_(std::move(filter)) {}

  Value Get(const std::string& key) {
    if (!filter_->MayMatch(key)) return std::nullopt;  // certainly missing: no lock, no read
    std::unique_lock<std::mutex> lock(mutex_);
    const auto cached = cache_.find(key);
    if (cached != cache_.end()) return cached->second;
    const auto running = flights_.find(key);
    if (running != flights_.end()) {  // another thread is reading it
      const std::shared_future<Value> result = running->second->result;
      lock.unlock();
      return result.get();
    }
    const auto flight = std::make_shared<Flight>();
    flights_[key] = flight;
    lock.unlock();
    const Value value = database_->Read(key);
    lock.lock();
    const auto mine = flights_.find(key);
    if (mine != flights_.end() && mine->second == flight) {  // no Put in the meantime
      cache_[key] = value;                                   // also "missing": a false positive
      flights_.erase(mine);
    }
    lock.unlock();
    flight->promise.set_value(value);
    return value;
  }

  void Put(const std::string& key) {
    filter_->AddKey(key);  // first: a key that only the database has cannot be found
    database_->Write({key});
    Expire(key);
  }

  void Expire(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cache_.erase(key);
    flights_.erase(key);
  }

 private:
  struct Flight {
    std::promise<Value> promise;
    std::shared_future<Value> result = promise.get_future().share();
  };

  Database* database_;
  std::unique_ptr<bloomline::AtomicBloomFilter> filter_;
  std::mutex mutex_;
  std::unordered_map<std::string, Value> cache_;
  std::unordered_map<std::string, std::shared_ptr<Flight>> flights_;
};

// Runs task() in kThreads threads that start together.
template <typename Task>
void TogetherInThreads(const Task& task) {
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      task();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::unique_ptr<bloomline::AtomicBloomFilter> FilterOf(const std::vector<std::string>& keys) {
  bloomline::BloomFilterOptions options;
  options.capacity = keys.size() + keys.size() / 10;  // for keys that are written later
  options.false_positive_rate = kRate;
  std::string error;
  auto filter = bloomline::AtomicBloomFilter::Create(options, &error);
  Require(filter != nullptr, "there is a filter: " + error);
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  filter->AddKeys(views.size(), views.data());
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  example::RequireUsage(argc == 3, "cache_guard WORDS SCRATCH_DIR");
  std::vector<std::string> present;
  std::vector<std::string> absent;
  for (const std::string& word : example::ReadLines(argv[1])) {
    (present.size() <= absent.size() ? present : absent).push_back(word);
  }
  Database database(std::string(argv[2]) + "/words");
  database.Write(present);
  GuardedCache cache(&database, FilterOf(present));

  // Cache penetration: each thread requests every missing key.
  TogetherInThreads([&] {
    for (const std::string& key : absent) Require(!cache.Get(key), "missing: " + key);
  });
  const size_t num_absent_reads = database.num_reads.exchange(0);
  std::printf("%zu requests for missing keys: %zu database reads\n", kThreads * absent.size(),
              num_absent_reads);
  Require(example::RateHolds(num_absent_reads, absent.size(), kRate), "few missing keys are read");

  // Cache stampede: all threads request, at the same time, a key that is not in the cache.
  const std::vector<std::string> hot(present.begin(), present.begin() + 50);
  for (const std::string& key : hot) {
    TogetherInThreads([&] { Require(cache.Get(key) == "value of " + key, "present: " + key); });
  }
  std::printf("%zu requests for %zu hot keys: %zu database reads", kThreads * hot.size(),
              hot.size(), database.num_reads.load());
  Require(database.num_reads.exchange(0) == hot.size(), "a hot key is read once");
  for (const std::string& key : hot) TogetherInThreads([&] { database.Read(key); });
  std::printf(" (%zu without the guard)\n", database.num_reads.load());

  // A missing key, perhaps cached as missing, is found as soon as it is written.
  for (size_t i = 0; i < absent.size(); i += 200) {
    cache.Put(absent[i]);
    Require(cache.Get(absent[i]) == "value of " + absent[i], "written: " + absent[i]);
  }
  return 0;
}

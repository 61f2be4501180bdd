// Runs queries in a database: checks every answer, takes the time of each, counts block reads.
#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "db_bench_ext/disk/disk.h"
#include "rocksdb/perf_context.h"

namespace bloomline::bench::disk {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool IsWrong(const Query& query, bool found, const rocksdb::PinnableSlice& value) {
  if (found != query.stored) return true;
  return found && value.ToStringView() != AsText(ValueOf(query.number));
}

// The part of the queries of one thread. The counters of RocksDB's perf context are the thread's.
class Runner {
 public:
  Runner(const DiskDatabase& database, const Query* begin, const Query* end,
         const RunLimits& limits)
      : database_(database), next_(begin), end_(end), limits_(limits) {}

  // An exception must not leave the thread.
  void Run(bool multi_get) {
    try {
      Loop(multi_get ? &Runner::MultiGet : &Runner::Get);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  RunResult Result() {
    if (error_) std::rethrow_exception(error_);
    return std::move(result_);
  }

 private:
  void Loop(void (Runner::*once)()) {
    StartCounting();
    const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
    const Clock::time_point start = Clock::now();
    Clock::time_point last = start;
    while (next_ != end_ && SecondsBetween(start, last) < limits_.seconds &&
           perf.block_read_byte < limits_.bytes_read) {
      (this->*once)();
      const Clock::time_point now = Clock::now();
      result_.us.push_back(static_cast<float>(1e6 * SecondsBetween(last, now)));
      last = now;
    }
    result_.seconds = SecondsBetween(start, last);
    result_.counts.blocks = StopCounting();
  }

  void Get() {
    const bool found = database_.Get(next_->key, &values_[0]);
    result_.counts.wrong_answers += IsWrong(*next_, found, values_[0]) ? 1 : 0;
    ++result_.counts.gets;
    ++next_;
  }

  void MultiGet() {
    const auto count = std::min(kMultiGetKeys, static_cast<size_t>(end_ - next_));
    for (size_t i = 0; i < count; ++i)
      keys_[i] = rocksdb::Slice(next_[i].key.data(), next_[i].key.size());
    database_.MultiGet(count, keys_, values_, statuses_);
    for (size_t i = 0; i < count; ++i) {
      if (IsWrong(next_[i], statuses_[i].ok(), values_[i])) ++result_.counts.wrong_answers;
    }
    result_.counts.gets += count;
    next_ += count;
  }

  const DiskDatabase& database_;
  const Query* next_;
  const Query* const end_;
  const RunLimits limits_;
  rocksdb::Slice keys_[kMultiGetKeys];
  rocksdb::PinnableSlice values_[kMultiGetKeys];
  rocksdb::Status statuses_[kMultiGetKeys];
  RunResult result_;
  std::exception_ptr error_;
};

}  // namespace

RunResult RunQueries(const DiskDatabase& database, const Workload& workload,
                     const std::vector<Query>& queries, int num_threads, const RunLimits& limits) {
  const bool multi_get = workload.is_multi_get;
  const size_t count = static_cast<size_t>(num_threads);
  std::vector<std::unique_ptr<Runner>> runners;
  for (size_t i = 0; i < count; ++i) {
    runners.push_back(
        std::make_unique<Runner>(database, queries.data() + i * queries.size() / count,
                                 queries.data() + (i + 1) * queries.size() / count, limits));
  }
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; ++i) threads.emplace_back([&, i] { runners[i]->Run(multi_get); });
  runners[0]->Run(multi_get);
  for (std::thread& thread : threads) thread.join();
  RunResult all;
  for (const auto& runner : runners) {
    RunResult one = runner->Result();
    all.counts.Add(one.counts);
    all.seconds = std::max(all.seconds, one.seconds);
    all.us.insert(all.us.end(), one.us.begin(), one.us.end());
  }
  return all;
}

}  // namespace bloomline::bench::disk

// Reader threads and a growing set of keys, for tests of databases that change meanwhile.
#ifndef BLOOMLINE_TESTS_SUPPORT_READER_THREADS_H_
#define BLOOMLINE_TESTS_SUPPORT_READER_THREADS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace bloomline::tests {

// Seconds for which a test keeps its threads busy: BLOOMLINE_THREADS_SECONDS, else 1.
inline std::chrono::seconds BusyTime() {
  const char* seconds = std::getenv("BLOOMLINE_THREADS_SECONDS");
  return std::chrono::seconds(seconds == nullptr ? 1 : std::atoi(seconds));
}

// Sleeps for that time, and on until what the threads were to do has been done: on a busy machine
// they may need up to a minute.
template <typename F>  // bool()
void LetThemWork(F is_done) {
  std::this_thread::sleep_for(BusyTime());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!is_done() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// Keys 0 to acknowledged() - 1 are in the database.
class GrowingKeys {
 public:
  static std::string Present(uint64_t i) { return Text('p', i); }
  static std::string Absent(uint64_t i) { return Text('a', i); }

  uint64_t acknowledged() const { return acknowledged_.load(std::memory_order_acquire); }
  // Called by the one thread that writes.
  void Acknowledge() { acknowledged_.fetch_add(1, std::memory_order_release); }

 private:
  // Both kinds are in the range of every table, so that only the filter can tell them apart.
  static std::string Text(char kind, uint64_t i) {
    char text[24];
    const int length = std::snprintf(text, sizeof(text), "key%016llx%c",
                                     static_cast<unsigned long long>(i * 0x9E3779B97F4A7C15), kind);
    return std::string(text, static_cast<size_t>(length));
  }

  std::atomic<uint64_t> acknowledged_{0};
};

struct ReadCounts {
  std::atomic<uint64_t> lost{0};      // acknowledged keys that were not found
  std::atomic<uint64_t> invented{0};  // missing keys that were found
  std::atomic<uint64_t> errors{0};

  // What a database said when key i was read, which is there or missing.
  template <typename Status>
  void Add(uint64_t i, bool is_present, const Status& status, const std::string& value) {
    if (status.IsNotFound()) {
      lost += is_present ? 1 : 0;
    } else if (!status.ok() || (is_present && value != std::to_string(i))) {
      ++errors;
    } else {
      invented += is_present ? 0 : 1;
    }
  }
};

template <typename DB>
void GetKey(DB* db, uint64_t i, bool is_present, ReadCounts* counts) {
  std::string value;
  const auto status =
      db->Get({}, is_present ? GrowingKeys::Present(i) : GrowingKeys::Absent(i), &value);
  counts->Add(i, is_present, status, value);
}

// Slows down as the database grows, so that a long run does not fill the disk.
template <typename DB>
void PutNextKey(DB* db, GrowingKeys* keys, ReadCounts* counts) {
  const uint64_t i = keys->acknowledged();
  if (i > 200000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (!db->Put({}, GrowingKeys::Present(i), std::to_string(i)).ok()) ++counts->errors;
  keys->Acknowledge();
}

constexpr int kReaders = 8;

// Threads that repeat `work` until the object is destroyed.
class Busy {
 public:
  Busy() = default;
  ~Busy() { Stop(); }

  template <typename Work>  // void(std::mt19937_64& random)
  void Start(int threads, Work work) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, work, seed = threads_.size()] {
        std::mt19937_64 random(seed);
        while (!stop_.load(std::memory_order_relaxed)) work(random);
      });
    }
  }

  void Stop() {
    stop_.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_READER_THREADS_H_

#include "tests/soak/workers.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

namespace bloomline::soak {
namespace {

constexpr int kBatch = 64;

}  // namespace

void WrongAnswers::Add(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (texts_.size() == 20) return;
  std::printf("WRONG: %s\n", text.c_str());
  std::fflush(stdout);
  texts_.push_back(text);
}

std::vector<std::string> WrongAnswers::texts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return texts_;
}

std::string Workers::Fill() {
  std::string error;
  database_->Use([&](rocksdb::DB* db) {
    for (uint64_t i = 0; i < kKeys && error.empty(); ++i) {
      if (!HasPosts(i / kPosts) || i % 2 == 0) continue;
      const State state{truth_->NextVersion(), false};
      const rocksdb::Status status = db->Put({}, Key(i), Value(i, state.version));
      if (!status.ok()) error = status.ToString();  // no fault is injected yet
      truth_->End(i, state);
      ++counts_->writes;
    }
  });
  return error;
}

void Workers::WriteOne(rocksdb::DB* db, int writer, std::mt19937_64* random) {
  uint64_t user = (*random)() % (kUsers / kWriters) * kWriters + static_cast<uint64_t>(writer);
  while (!HasPosts(user)) user = (user + kWriters) % kUsers;
  const uint64_t what = (*random)() % 40;
  const uint64_t first = user * kPosts + (what == 0 ? 0 : (*random)() % kPosts);
  const uint64_t end = what == 0 ? first + kPosts : first + 1;
  for (uint64_t i = first; i < end; ++i) truth_->Begin(i);
  State state{truth_->NextVersion(), what < 10};
  rocksdb::Status status;
  if (what == 0) {
    status = db->DeleteRange({}, db->DefaultColumnFamily(), User(user, ':'), User(user, ';'));
  } else if (state.is_missing) {
    status = db->Delete({}, Key(first));
  } else {
    status = db->Put({}, Key(first), Value(first, state.version));
  }
  ++(status.ok() ? counts_->writes : counts_->failed_writes);
  if (!status.ok()) return;
  for (uint64_t i = first; i < end; ++i) truth_->End(i, state);
}

void Workers::Write(int writer, std::mt19937_64* random) {
  database_->Use([&](rocksdb::DB* db) {
    for (int i = 0; i < kBatch; ++i) WriteOne(db, writer, random);
  });
  // Otherwise compactions take all of the machine.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void Workers::Wrong(const std::string& text) {
  ++counts_->wrong;
  wrong_->Add(text);
}

// The faults are I/O errors that say so. Whatever else a read returns, such as Corruption, no fault
// has caused.
void Workers::CountFailure(const std::string& what, const rocksdb::Status& status) {
  ++counts_->failed_reads;
  const std::string text = status.ToString();
  if (status.IsIOError() && text.find("injected") != std::string::npos) return;
  Wrong(what + ": " + text);
}

bool Workers::Compare(const char* how, uint64_t i, const State& before, bool is_found,
                      const rocksdb::Slice& value) {
  State after;
  if (!truth_->IsKnown(i, &after) || !(after == before)) return false;
  if (after.is_missing ? !is_found : is_found && value == Value(i, after.version)) return true;
  Wrong(std::string(how) + " of " + Key(i) + ": " + (is_found ? value.ToString() : "not found") +
        "; it is " + (after.is_missing ? "missing" : Value(i, after.version)));
  return true;
}

void Workers::ReadMany(rocksdb::DB* db, std::mt19937_64* random) {
  std::array<uint64_t, kBatch> numbers;
  std::array<State, kBatch> before;
  std::array<bool, kBatch> is_known;
  std::array<std::string, kBatch> texts;
  std::array<rocksdb::Slice, kBatch> keys;
  std::array<rocksdb::PinnableSlice, kBatch> values;
  std::array<rocksdb::Status, kBatch> statuses;
  for (size_t i = 0; i < kBatch; ++i) {
    numbers[i] = (*random)() % kKeys;
    is_known[i] = truth_->IsKnown(numbers[i], &before[i]);
    texts[i] = Key(numbers[i]);
    keys[i] = texts[i];
  }
  const bool is_batch = (*random)() % 2 == 0;
  if (is_batch) {
    db->MultiGet({}, db->DefaultColumnFamily(), kBatch, keys.data(), values.data(),
                 statuses.data());
  }
  for (size_t i = 0; i < kBatch; ++i) {
    if (!is_batch) {
      statuses[i] = db->Get({}, db->DefaultColumnFamily(), keys[i], &values[i]);
    }
    const char* const how = is_batch ? "MultiGet" : "Get";
    if (!statuses[i].ok() && !statuses[i].IsNotFound()) {
      CountFailure(std::string(how) + " of " + texts[i], statuses[i]);
    } else if (is_known[i]) {
      const bool is_compared = Compare(how, numbers[i], before[i], statuses[i].ok(), values[i]);
      counts_->reads += is_compared ? 1 : 0;
    }
  }
}

void Workers::Read(std::mt19937_64* random) {
  database_->Use([&](rocksdb::DB* db) { ReadMany(db, random); });
}

void Workers::ScanRange(rocksdb::DB* db, uint64_t first, uint64_t last, bool is_backward,
                        bool uses_filters) {
  std::vector<State> before(last - first);
  std::vector<bool> is_known(before.size());
  for (uint64_t i = first; i < last; ++i) {
    is_known[i - first] = truth_->IsKnown(i, &before[i - first]);
  }
  const std::string begin = Key(first);
  // The least key behind the posts of a user, where the range ends with them.
  const std::string end = last % kPosts == 0 ? User((last - 1) / kPosts, ';') : Key(last);
  const std::string name =
      (is_backward ? "backward scan from " : "scan from ") + begin + " to " + end;
  const rocksdb::Slice lower = begin;
  const rocksdb::Slice upper = end;
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &upper;
  read.iterate_lower_bound = &lower;
  read.total_order_seek = !uses_filters;
  std::vector<std::string> found(before.size());
  const std::unique_ptr<rocksdb::Iterator> scan(db->NewIterator(read));
  if (is_backward) {
    scan->SeekToLast();
  } else {
    scan->Seek(lower);
  }
  std::string previous;
  bool repeats = repeats_keys_;
  while (scan->Valid()) {
    const std::string key = scan->key().ToString();
    const uint64_t user = std::strtoull(key.c_str() + 5, nullptr, 10);
    const uint64_t i = user * kPosts + std::strtoull(key.c_str() + 17, nullptr, 10);
    if (i < first || i >= last || key != Key(i)) return Wrong(name + " found " + key);
    if (!previous.empty() && (is_backward ? key >= previous : key <= previous)) {
      return Wrong(name + " found " + key + " after " + previous);
    }
    previous = key;
    found[i - first] = scan->value().ToString();
    if (std::exchange(repeats, false)) continue;
    is_backward ? scan->Prev() : scan->Next();
  }
  if (!scan->status().ok()) return CountFailure(name, scan->status());
  ++counts_->scans;
  bool is_empty = true;
  for (uint64_t i = first; i < last; ++i) {
    const std::string& value = found[i - first];
    is_empty = is_empty && value.empty();
    if (!is_known[i - first]) continue;
    const bool is_compared = Compare(is_backward ? "backward scan" : "scan", i, before[i - first],
                                     !value.empty(), value);
    counts_->scanned_keys += is_compared ? 1 : 0;
  }
  counts_->empty_scans += is_empty ? 1 : 0;
}

void Workers::Scan(std::mt19937_64* random) {
  database_->Use([&](rocksdb::DB* db) {
    for (int n = 0; n < kBatch / 4; ++n) {
      // The posts of a user, some of them, or those of a few users.
      const uint64_t user = (*random)() % (kUsers - 4);
      uint64_t first = user * kPosts;
      uint64_t last = first + kPosts;
      const uint64_t what = (*random)() % 8;
      if (what == 0) {
        last = first + kPosts * (2 + (*random)() % 3);
      } else if (what < 4) {
        first += (*random)() % kPosts;
        last = first + 1 + (*random)() % (last - first);
      }
      ScanRange(db, first, last, (*random)() % 8 == 0, (*random)() % 16 != 0);
    }
  });
}

void Workers::CompareAll() {
  constexpr uint64_t kStep = 1000 * kPosts;
  for (uint64_t first = 0; first < kKeys; first += kStep) {
    database_->Use([&](rocksdb::DB* db) { ScanRange(db, first, first + kStep, false, false); });
  }
}

void Workers::PlantLoss() {
  database_->Use([&](rocksdb::DB* db) {
    db->DeleteRange({}, db->DefaultColumnFamily(), User(kUsers / 2, ':'),
                    User(kUsers / 2 + 50, ';'))
        .PermitUncheckedError();
  });
}

}  // namespace bloomline::soak

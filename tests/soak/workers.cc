#include "tests/soak/workers.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

namespace bloomline::soak {
namespace {

constexpr int kBatch = 64;

}  // namespace

void Workers::Fill() {
  database_->Use([&](rocksdb::DB* db) {
    for (uint64_t i = 0; i < kKeys; ++i) {
      if (!HasPosts(i / kPosts) || i % 2 == 0) continue;
      const State state{truth_->NextVersion(), false};
      if (!db->Put({}, Key(i), Value(i, state.version)).ok()) continue;
      truth_->End(i, state);
      ++counts_->writes;
    }
  });
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

void Workers::Compare(const char* how, uint64_t i, const State& before, bool is_found,
                      const rocksdb::Slice& value) {
  State after;
  if (!truth_->IsKnown(i, &after) || !(after == before)) return;
  if (after.is_missing ? !is_found : is_found && value == Value(i, after.version)) return;
  // The first ones are enough to look at the database.
  if (++counts_->wrong > 20) return;
  std::printf("WRONG: %s of %s: %s; it is %s\n", how, Key(i).c_str(),
              is_found ? value.ToString().c_str() : "not found",
              after.is_missing ? "missing" : Value(i, after.version).c_str());
  std::fflush(stdout);
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
    ++counts_->reads;
    if (!statuses[i].ok() && !statuses[i].IsNotFound()) {
      ++counts_->failed_reads;
    } else if (is_known[i]) {
      Compare(is_batch ? "MultiGet" : "Get", numbers[i], before[i], statuses[i].ok(), values[i]);
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
  while (scan->Valid()) {
    const std::string key = scan->key().ToString();
    const uint64_t user = std::strtoull(key.c_str() + 5, nullptr, 10);
    const uint64_t i = user * kPosts + std::strtoull(key.c_str() + 17, nullptr, 10);
    if (i < first || i >= last || key != Key(i)) {
      ++counts_->wrong;
      std::printf("WRONG: a scan from %s to %s found %s\n", begin.c_str(), end.c_str(),
                  key.c_str());
      break;
    }
    found[i - first] = scan->value().ToString();
    is_backward ? scan->Prev() : scan->Next();
  }
  ++counts_->scans;
  if (!scan->status().ok()) {
    ++counts_->failed_reads;
    return;
  }
  bool is_empty = true;
  for (uint64_t i = first; i < last; ++i) {
    const std::string& value = found[i - first];
    is_empty = is_empty && value.empty();
    ++counts_->scanned_keys;
    if (is_known[i - first]) {
      Compare(is_backward ? "backward scan" : "scan", i, before[i - first], !value.empty(), value);
    }
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

// The blocks of docs/rocksdb.md: a database with bloomline's policy, one with bits by level, and a
// policy with two numbers.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "tests/engines/rocksdb_open.h"
// INCLUDES

// BLOCK 3

int First() {
  // BLOCK 1
  return 0;
}

int ByLevel() {
  rocksdb::Options options;
  std::string error;
  // BLOCK 2
  options.create_if_missing = true;
  const auto db = bloomline::tests::MustOpenRocksDB(options, "levels");
  if (!db->Put({}, "key", "value").ok() || !db->Flush({}).ok()) return 6;
  return db->GetOptions().listeners.size() == 1 && error.empty() ? 0 : 7;
}

// Of the filter in the only file.
double BitsPerKey(rocksdb::DB* db) {
  rocksdb::TablePropertiesCollection tables;
  if (!db->GetPropertiesOfAllTables(&tables).ok() || tables.size() != 1) return 0;
  const rocksdb::TableProperties& table = *tables.begin()->second;
  return 8.0 * static_cast<double>(table.filter_size) / static_cast<double>(table.num_entries);
}

int TwoBits() {
  const auto db = bloomline::tests::MustOpenRocksDB(
      bloomline::tests::WithPolicy(std::make_shared<TwoNumbers>(13.5)), "two");
  for (int i = 0; i < 10000; ++i) {
    if (!db->Put({}, std::to_string(i), "value").ok()) return 2;
  }
  if (!db->Flush({}).ok()) return 3;
  const double flushed = BitsPerKey(db.get());
  rocksdb::CompactRangeOptions compact;
  compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  if (!db->CompactRange(compact, nullptr, nullptr).ok()) return 4;
  const double at_bottom = BitsPerKey(db.get());
  std::printf("%.1f bits flushed, %.1f at the bottom\n", flushed, at_bottom);
  return flushed > at_bottom + 4 && at_bottom > 9 && at_bottom < 9.6 ? 0 : 5;
}

int main() {
  for (const auto part : {First, ByLevel, TwoBits}) {
    const int status = part();
    if (status != 0) return status;
  }
  return 0;
}

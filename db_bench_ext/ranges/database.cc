#include "db_bench_ext/ranges/database.h"

#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bloomline/rocksdb.h"
#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench::ranges {

Database::Database(const Shape& shape, const Subject& subject,
                   std::shared_ptr<const rocksdb::FilterPolicy> policy, uint64_t num_keys,
                   const std::string& directory)
    : shape_(shape), num_keys_(num_keys), policy_(std::move(policy)), folder_(directory) {
  const uint64_t data_bytes = num_keys * (kValueBytes + 20);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  // Four levels, each ten times as large as the one above it. Small files keep a compaction from
  // emptying levels 2 and 3; level 1 may be empty at the end.
  options.max_bytes_for_level_base = data_bytes / 1000;
  options.max_bytes_for_level_multiplier = 10;
  options.target_file_size_base = options.max_bytes_for_level_base / 2;
  options.target_file_size_multiplier = 5;
  options.level0_file_num_compaction_trigger = 2;
  options.max_background_jobs = 1;
  options.disable_auto_compactions = true;  // until Build has written the last level
  options.level_compaction_dynamic_level_bytes = false;
  options.max_open_files = -1;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(2 * data_bytes + (64 << 20));
  table.filter_policy = policy_;
  if (subject.has_ranges) {
    options.prefix_extractor = NewRangeExtractor();
  } else if (subject.has_prefixes) {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(shape.prefix_bytes));
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  db_ = OpenRocksDB(options, folder_.path());
}

double Database::Build() {
  return SecondsOf([&] {
    std::vector<uint32_t> order(num_keys_);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    if (shape_.order != 0) {
      const auto time = [&](uint32_t index) { return index % shape_.order; };
      std::sort(order.begin(), order.end(),
                [&](uint32_t a, uint32_t b) { return time(a) < time(b); });
    }
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    const std::string value(kValueBytes, 'v');
    const auto write = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) Check(db_->Put(options, shape_.key(order[i]), value));
      Check(db_->Flush({}));
    };
    // No key is written while a compaction runs, so a subject gets the same files in each run.
    // Those of subjects differ a little, because the sizes of files include their filters.
    const size_t in_last_level = order.size() / 10 * 9;
    write(0, in_last_level);
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::vector<std::string> names;
    for (const rocksdb::LiveFileMetaData& file : files) names.push_back(file.name);
    Check(db_->CompactFiles({}, names, 4));
    Check(db_->SetOptions({{"disable_auto_compactions", "false"}}));
    const size_t step = std::max<size_t>(order.size() / 1000, 1);
    for (size_t i = in_last_level; i < order.size(); i += step) {
      write(i, std::min(i + step, order.size()));
      WaitForCompactions();
    }
    // Else level 0 has some files by chance, each of which is one more to search.
    Check(db_->SetOptions({{"level0_file_num_compaction_trigger", "1"}}));
    WaitForCompactions();
  });
}

void Database::WaitForCompactions() {
  uint64_t busy = 1;
  while (busy != 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    busy = 0;
    for (const char* name : {"rocksdb.compaction-pending", "rocksdb.num-running-compactions"}) {
      uint64_t number = 0;
      db_->GetIntProperty(name, &number);
      busy += number;
    }
  }
}

double Database::FilterBitsPerKey() { return SumsOfFiles(db_.get()).FilterBitsPerKey(); }

Scans Database::Scan(const std::vector<Range>& ranges, bool has_prefixes) {
  Scans scans;
  StartCounting();
  const double seconds = SecondsOf([&] {
    for (const Range& range : ranges) {
      rocksdb::ReadOptions options;
      const rocksdb::Slice end(range.end);
      options.iterate_upper_bound = &end;
      options.auto_prefix_mode = has_prefixes;
      options.total_order_seek = !has_prefixes;
      const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options));
      for (iterator->Seek(range.begin); iterator->Valid(); iterator->Next()) {
        ++scans.num_found;
        scans.checksum += Mix(scans.num_found + static_cast<unsigned char>(
                                                    iterator->key()[iterator->key().size() - 1]));
      }
      Check(iterator->status());
    }
  });
  const BlockCounts counts = StopCounting();
  const auto num_scans = static_cast<double>(ranges.size());
  scans.us = seconds / num_scans * 1e6;
  scans.blocks = static_cast<double>(counts.cache_hits + counts.Reads()) / num_scans;
  return scans;
}

double Database::GetMicroseconds(uint64_t num_gets, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys;
  uint64_t num_stored = 0;
  for (uint64_t i = 0; i < num_gets; ++i) {
    keys.push_back(shape_.key(random() % num_keys_));
    if (random() % 2 == 0) {
      keys.back() += "absent";
    } else {
      ++num_stored;
    }
  }
  uint64_t num_found = 0;
  const double seconds = SecondsOf([&] {
    std::string value;
    for (const std::string& key : keys) num_found += db_->Get({}, key, &value).ok() ? 1 : 0;
  });
  if (num_found != num_stored) throw std::runtime_error("a Get lost a key");
  return seconds / static_cast<double>(keys.size()) * 1e6;
}

}  // namespace bloomline::bench::ranges

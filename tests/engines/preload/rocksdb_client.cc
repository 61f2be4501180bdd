// A program that knows RocksDB alone: it asks for RocksDB's own filters, or for what an option
// string names, and checks all answers.
// Usage: rocksdb_client write|check|exit|files|metrics|root|load|domain|ways FOLDER POLICY,
// rocksdb_client change FOLDER POLICY [NEW_POLICY], or rocksdb_client threads
//   exit    checks, and calls exit() while the database is open
//   files   writes files of flushes, of a compaction and of recovery, and prints for each a hash of
//           its data and filter
//   metrics reads until it is killed
//   root    goes to the folder "/" before it checks
//   load    checks, with the options that the database's OPTIONS file names, and ignores POLICY
//   change  opens the database, sets NEW_POLICY with SetOptions while a thread writes and others
//           read, and prints the level, the entries and the filter's bits per key of each file that
//           is written afterwards
//   domain  writes partitions whose keys are all outside the prefix extractor's domain, and prints
//           how many of them MultiGet does not find
//   ways    opens databases in all ways at the same time, and prints the listeners of each. Closes
//           one, and prints the bits per key of a file that is flushed when it is open again
//   POLICY  bloom:BITS_PER_KEY, ribbon:BITS_PER_KEY, ribbon:BITS_PER_KEY:BLOOM_BEFORE_LEVEL, an
//           option string, or one of a column family, with block_based_table_factory

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/utilities/options_util.h"
#include "tests/engines/preload/client.h"
#include "tests/engines/rocksdb_open.h"

namespace {

std::string Key(int number) { return "key" + std::to_string(10000000 + number); }
std::string Value(int number) { return "value" + std::to_string(number); }

rocksdb::BlockBasedTableOptions TableOptions(const std::string& policy) {
  rocksdb::BlockBasedTableOptions table;
  const size_t colon = policy.find(':');
  if (policy.rfind("bloom:", 0) == 0) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(atof(policy.c_str() + colon + 1)));
  } else if (policy.rfind("ribbon:", 0) == 0) {
    const size_t level = policy.find(':', colon + 1);
    const double bits = atof(policy.c_str() + colon + 1);
    table.filter_policy.reset(level == std::string::npos
                                  ? rocksdb::NewRibbonFilterPolicy(bits)
                                  : rocksdb::NewRibbonFilterPolicy(bits, atoi(&policy[level + 1])));
  } else {
    Require(rocksdb::GetBlockBasedTableOptionsFromString(rocksdb::ConfigOptions(),
                                                         rocksdb::BlockBasedTableOptions(),
                                                         "filter_policy=" + policy, &table));
  }
  return table;
}

rocksdb::Options OptionsOf(const std::string& mode, const char* folder, const std::string& policy) {
  rocksdb::DBOptions options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families(1);
  if (mode == "load") {
    Require(rocksdb::LoadLatestOptions({}, folder, &options, &families));
  } else if (policy.find("block_based_table_factory=") != std::string::npos) {
    Require(rocksdb::GetColumnFamilyOptionsFromString({}, {}, policy, &families[0].options));
  } else {
    return bloomline::tests::WithTable(TableOptions(policy));
  }
  return rocksdb::Options(options, families[0].options);
}

// How many keys scans do not find: each alone, and all in backward order.
int LostToScans(rocksdb::DB* db) {
  int num_found = 0;
  for (int i = 0; i < kNumKeys; ++i) {
    const std::string end = Key(2 * i) + '\0';
    const rocksdb::Slice upper_bound = end;
    rocksdb::ReadOptions read;
    read.iterate_upper_bound = &upper_bound;
    read.auto_prefix_mode = true;
    const std::unique_ptr<rocksdb::Iterator> scan(db->NewIterator(read));
    scan->Seek(Key(2 * i));
    num_found += scan->Valid();
  }
  const std::unique_ptr<rocksdb::Iterator> scan(db->NewIterator(rocksdb::ReadOptions()));
  for (scan->SeekToLast(); scan->Valid(); scan->Prev()) ++num_found;
  return 2 * kNumKeys - num_found;
}

// Until it is killed.
[[noreturn]] void ReadForEver(rocksdb::DB* db) {
  std::string value;
  for (int i = 0;; i = (i + 1) % kNumKeys) {
    db->Get(rocksdb::ReadOptions(), Key(2 * i + 1), &value).PermitUncheckedError();
  }
}

int UseDatabase(const std::string& mode, const char* folder, const std::string& policy) {
  const bool write = mode == "write";
  rocksdb::Options options = OptionsOf(mode, folder, policy);
  options.create_if_missing = write;
  options.statistics = rocksdb::CreateDBStatistics();
  std::unique_ptr<rocksdb::DB> db;
  Require(bloomline::tests::OpenRocksDB(options, folder, &db));
  if (write) {
    for (int i = 0; i < kNumKeys; ++i) {
      Require(db->Put(rocksdb::WriteOptions(), Key(2 * i), Value(i)));
    }
    Require(db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  }
  if (mode == "metrics") ReadForEver(db.get());
  int wrong = 0;
  std::string value;
  for (int i = 0; i < kNumKeys; ++i) {
    const rocksdb::Status status = db->Get(rocksdb::ReadOptions(), Key(2 * i), &value);
    wrong += !status.ok() || value != Value(i);
  }
  wrong += LostToScans(db.get());
  Require(options.statistics->Reset());
  for (int i = 0; i < kNumKeys; ++i) {
    wrong += !db->Get(rocksdb::ReadOptions(), Key(2 * i + 1), &value).IsNotFound();
  }
  rocksdb::TablePropertiesCollection tables;
  Require(db->GetPropertiesOfAllTables(&tables));
  std::string name = "none";
  uint64_t filter_bytes = 0;
  for (const auto& table : tables) {
    if (!table.second->filter_policy_name.empty()) name = table.second->filter_policy_name;
    filter_bytes += table.second->filter_size;
  }
  // One missing key lies behind the last table.
  const uint64_t stopped = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  std::printf("wrong %d, policy %s, bits per key %.1f, false positives per 1000 %.1f\n", wrong,
              name.c_str(), 8 * static_cast<double>(filter_bytes) / kNumKeys,
              1000 * (1 - static_cast<double>(stopped) / (kNumKeys - 1)));
  if (mode == "exit") std::exit(wrong != 0);
  return wrong != 0;
}

// A hash of the data blocks and the filter, with which a table file begins.
size_t HashOfDataAndFilter(const std::string& path, const rocksdb::TableProperties& table) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(table.data_size + table.filter_size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) std::exit(2);
  return std::hash<std::string>()(bytes);
}

int WriteFiles(const char* folder, const std::string& policy) {
  rocksdb::BlockBasedTableOptions table_options = TableOptions(policy);
  // From 6 on, the default of late versions, the checksums of blocks differ from file to file.
  table_options.format_version = 5;
  // Otherwise sizes follow malloc_usable_size, and so what else the process has allocated.
  table_options.optimize_filters_for_memory = false;
  rocksdb::Options options = bloomline::tests::WithTable(table_options);
  options.disable_auto_compactions = true;
  std::unique_ptr<rocksdb::DB> db;
  for (int part = 0; part < 4; ++part) {
    if (db == nullptr) Require(bloomline::tests::OpenRocksDB(options, folder, &db));
    for (int i = part; i < kNumKeys; i += 4) {
      Require(db->Put(rocksdb::WriteOptions(), Key(2 * i), Value(i)));
    }
    if (part == 2) {
      db.reset();  // the log has these keys
    } else {
      Require(db->Flush(rocksdb::FlushOptions()));
    }
    if (part == 1) Require(db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  }
  rocksdb::TablePropertiesCollection tables;
  Require(db->GetPropertiesOfAllTables(&tables));
  const std::map<std::string, std::shared_ptr<const rocksdb::TableProperties>> sorted(
      tables.begin(), tables.end());
  for (const auto& [path, table] : sorted) {
    std::printf("%s %s %zx\n", path.substr(path.rfind('/') + 1).c_str(),
                table->filter_policy_name.c_str(), HashOfDataAndFilter(path, *table));
  }
  return 0;
}

int MultiGetOutsideTheDomain(const char* folder, const std::string& policy) {
  rocksdb::BlockBasedTableOptions table = TableOptions(policy);
  bloomline::tests::PartitionFilters(256, &table);
  table.whole_key_filtering = false;
  table.block_size = 256;
  rocksdb::Options options = bloomline::tests::WithTable(table);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(Key(0).size() + 1));
  std::unique_ptr<rocksdb::DB> db;
  Require(bloomline::tests::OpenRocksDB(options, folder, &db));
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) {
    Require(db->Put(rocksdb::WriteOptions(), "a long " + Key(i), Value(i)));  // has a prefix
    keys.push_back(Key(i));
    Require(db->Put(rocksdb::WriteOptions(), keys.back(), Value(i)));
  }
  Require(db->Flush(rocksdb::FlushOptions()));
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  db->MultiGet(rocksdb::ReadOptions(), db->DefaultColumnFamily(), keys.size(), slices.data(),
               values.data(), statuses.data());
  int lost = 0;
  for (const rocksdb::Status& status : statuses) lost += !status.ok();
  std::printf("lost %d\n", lost);
  return lost != 0;
}

// Reads keys that were written before, and missing ones, until `done`. Returns how many were wrong.
int ReadUntil(rocksdb::DB* db, const std::atomic<bool>& done) {
  int wrong = 0;
  std::string value;
  for (int i = 0; !done; i = (i + 1) % kNumKeys) {
    wrong += !db->Get(rocksdb::ReadOptions(), Key(2 * i), &value).ok() || value != Value(i);
    wrong += !db->Get(rocksdb::ReadOptions(), Key(2 * i + 1) + "x", &value).IsNotFound();
  }
  return wrong;
}

int Change(const char* folder, const std::string& policy, const char* new_policy) {
  rocksdb::BlockBasedTableOptions table = TableOptions(policy);
  table.optimize_filters_for_memory = false;  // the sizes of both runs are compared
  rocksdb::Options options = bloomline::tests::WithTable(table);
  options.disable_auto_compactions = true;
  std::unique_ptr<rocksdb::DB> db;
  Require(bloomline::tests::OpenRocksDB(options, folder, &db));
  std::atomic<bool> done{false}, has_written{false}, is_changed{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { wrong += ReadUntil(db.get(), done); });
  const auto write = [&](int part) {
    for (int i = part; i < kNumKeys; i += 4) {
      Require(db->Put(rocksdb::WriteOptions(), Key(2 * i) + "y", Value(i)));
    }
  };
  threads.emplace_back([&] {
    write(0);
    has_written = true;
    while (!is_changed) write(0);
    Require(db->Flush(rocksdb::FlushOptions()));
    write(1);
    Require(db->Flush(rocksdb::FlushOptions()));
    Require(bloomline::tests::CompactAll(db.get()));
    write(2);
    Require(db->Flush(rocksdb::FlushOptions()));
    done = true;
  });
  while (!has_written) std::this_thread::yield();
  if (new_policy != nullptr) {
    const rocksdb::Status status = db->SetOptions(
        {{"block_based_table_factory", std::string("{filter_policy=") + new_policy + ";}"}});
    std::printf("SetOptions: %s\n", status.ok() ? "OK" : "refused");
  }
  is_changed = true;
  for (std::thread& thread : threads) thread.join();
  for (const auto& [level, properties] : bloomline::tests::TablesByLevel(db.get())) {
    const auto entries = static_cast<double>(properties->num_entries);
    std::printf("level %d, %.0f entries, %.2f bits per key\n", level, entries,
                8 * static_cast<double>(properties->filter_size) / entries);
  }
  std::printf("RocksDB %d, wrong %d\n", ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR, wrong.load());
  return wrong != 0;
}

// "LISTENER, LISTENER"; empty: none.
std::string ListenersOf(const rocksdb::DBOptions& options) {
  std::string names;
  for (const auto& listener : options.listeners) {
    names += std::string(names.empty() ? "" : ", ") + listener->Name();
  }
  return names;
}

class NamedListener final : public rocksdb::EventListener {
 public:
  const char* Name() const override { return "own"; }
};

// The second of two small files above a full level. An account knows the level, and leaves it more
// bits.
double BitsOfFlushedFile(const rocksdb::Options& options, const std::string& path,
                         std::unique_ptr<rocksdb::DB> db) {
  for (int i = 0; i < kNumKeys; ++i) Require(db->Put({}, Key(2 * i), Value(i)));
  Require(bloomline::tests::CompactAll(db.get()));
  db.reset();
  Require(bloomline::tests::OpenRocksDB(options, path, &db));
  uint64_t filter_bytes = 0;  // of the last file
  constexpr int kFewKeys = kNumKeys / 50;
  for (int part = 0; part < 2; ++part) {
    for (int i = 0; i < kFewKeys; ++i) Require(db->Put({}, Key(2 * i + 1), Value(i)));
    Require(db->Flush(rocksdb::FlushOptions()));
    uint64_t all_bytes = 0;
    for (const auto& [level, table] : bloomline::tests::TablesByLevel(db.get())) {
      if (level == 0) all_bytes += table->filter_size;
    }
    filter_bytes = all_bytes - filter_bytes;
  }
  return 8 * static_cast<double>(filter_bytes) / kFewKeys;
}

int OpenInAllWays(const std::string& folder, const std::string& policy) {
  rocksdb::Options options = OptionsOf("ways", folder.c_str(), policy);
  const auto print = [](const char* way, rocksdb::DB* db) {
    std::printf("%s: %s\n", way, ListenersOf(db->GetDBOptions()).c_str());
  };
  std::unique_ptr<rocksdb::DB> first, second, of_families, read_only, with_own, with_account;
  Require(bloomline::tests::OpenRocksDB(options, folder + "/first", &first));
  print("options", first.get());
  Require(bloomline::tests::OpenRocksDB(options, folder + "/second", &second));
  const auto first_listeners = first->GetDBOptions().listeners;
  const bool are_same =
      !first_listeners.empty() && first_listeners[0] == second->GetDBOptions().listeners[0];
  std::printf("both databases have one account: %d\n", are_same);

  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  Require(bloomline::tests::OpenRocksDB(rocksdb::DBOptions(options), folder + "/families",
                                        {{rocksdb::kDefaultColumnFamilyName, options}}, &handles,
                                        &of_families));
  print("families", of_families.get());
  Require(of_families->DestroyColumnFamilyHandle(handles[0]));
  Require(bloomline::tests::OpenRocksDBReadOnly(options, folder + "/families", &read_only));
  print("read only", read_only.get());
  std::printf("the program's options: %s\n", ListenersOf(options).c_str());

  rocksdb::Options others = options;
  others.listeners.push_back(std::make_shared<NamedListener>());
  Require(bloomline::tests::OpenRocksDB(others, folder + "/own", &with_own));
  print("a listener", with_own.get());
  // Whether this RocksDB knows the account depends on the library.
  rocksdb::DBOptions named;
  Require(rocksdb::GetDBOptionsFromString({}, options, "listeners=bloomline.account", &named));
  Require(bloomline::tests::OpenRocksDB(rocksdb::Options(named, options), folder + "/account",
                                        &with_account));
  print("an account", with_account.get());

  options.create_if_missing = false;
  std::unique_ptr<rocksdb::DB> none;
  const rocksdb::Status status = bloomline::tests::OpenRocksDB(options, folder + "/none", &none);
  std::printf("no database: %s\n", status.ToString().substr(0, 17).c_str());
  const double bits = BitsOfFlushedFile(OptionsOf("ways", folder.c_str(), policy),
                                        folder + "/first", std::move(first));
  std::printf("a flushed file: %.0f bits per key\n", bits);
  return 0;
}

int MakePolicies() {
  int missing = 0;
  for (int i = 0; i < 100; ++i) {
    const std::unique_ptr<const rocksdb::FilterPolicy> bloom(rocksdb::NewBloomFilterPolicy(10));
    const std::unique_ptr<const rocksdb::FilterPolicy> ribbon(rocksdb::NewRibbonFilterPolicy(10));
    missing += (bloom == nullptr) + (ribbon == nullptr);
  }
  return missing;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "threads") == 0) return UseThreadsAndFork(MakePolicies);
  if (argc >= 4 && argc <= 5 && std::strcmp(argv[1], "change") == 0) {
    return Change(argv[2], argv[3], argc == 5 ? argv[4] : nullptr);
  }
  if (argc != 4) return 2;
  if (std::strcmp(argv[1], "root") == 0 && chdir("/") != 0) return 2;
  if (std::strcmp(argv[1], "files") == 0) return WriteFiles(argv[2], argv[3]);
  if (std::strcmp(argv[1], "domain") == 0) return MultiGetOutsideTheDomain(argv[2], argv[3]);
  if (std::strcmp(argv[1], "ways") == 0) return OpenInAllWays(argv[2], argv[3]);
  return UseDatabase(argv[1], argv[2], argv[3]);
}

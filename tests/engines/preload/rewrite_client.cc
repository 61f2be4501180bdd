// A program that knows RocksDB alone, and keeps databases open until its standard input ends.
// Usage: rewrite_client write FOLDER
//        rewrite_client delete|exit|transactions|uncompacted FOLDER...
//   write         writes a database of two column families
//   delete        opens the databases, prints "open", compares their keys until the input ends,
//                 destroys them and prints how many answers were wrong
//   exit          the same, but a child of fork() closes its copies of the databases, and then the
//                 program calls exit() while they are open
//   transactions  opens them as TransactionDB, and closes them with DB::Close
//   uncompacted   opens them without automatic compactions
#include <poll.h>

#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/transaction_db.h"
#include "tests/engines/preload/client.h"
#include "tests/engines/rocksdb_open.h"

namespace {

constexpr char kOther[] = "other";

std::string Key(int number) { return "key" + std::to_string(10000000 + number); }
std::string Value(int number) { return std::string(100, 'v') + std::to_string(number); }

struct Database {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
};

rocksdb::Options SmallFiles() {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 64 << 10;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

Database Open(const char* folder, const std::string& mode) {
  rocksdb::Options options = SmallFiles();
  options.disable_auto_compactions = mode == "uncompacted";
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, options}, {kOther, options}};
  Database database;
  if (mode == "transactions") {
    rocksdb::TransactionDB* db = nullptr;
    const rocksdb::Status status = rocksdb::TransactionDB::Open(
        options, rocksdb::TransactionDBOptions(), folder, families, &database.families, &db);
    database.db.reset(db);
    Require(status);
  } else {
    Require(
        bloomline::tests::OpenRocksDB(options, folder, families, &database.families, &database.db));
  }
  return database;
}

int Write(const char* folder) {
  const Database database = Open(folder, "write");
  for (rocksdb::ColumnFamilyHandle* const family : database.families) {
    for (int i = 0; i < kNumKeys; ++i) {
      const int number = i * 7919 % kNumKeys;
      Require(database.db->Put({}, family, Key(2 * number), Value(number)));
    }
    Require(database.db->Flush({}, family));
    Require(database.db->CompactRange({}, family, nullptr, nullptr));
    Require(database.db->DestroyColumnFamilyHandle(family));
  }
  return 0;
}

int WrongAnswers(const Database& database) {
  int wrong = 0;
  std::string value;
  for (rocksdb::ColumnFamilyHandle* const family : database.families) {
    for (int i = 0; i < kNumKeys; ++i) {
      const rocksdb::Status status = database.db->Get({}, family, Key(2 * i), &value);
      wrong += !status.ok() || value != Value(i);
      wrong += !database.db->Get({}, family, Key(2 * i + 1), &value).IsNotFound();
    }
  }
  return wrong;
}

bool InputHasEnded() {
  pollfd input = {0, POLLIN, 0};
  char byte = 0;
  return poll(&input, 1, 0) > 0 && read(0, &byte, 1) <= 0;
}

void Close(Database* database, bool by_close) {
  for (rocksdb::ColumnFamilyHandle* const family : database->families) {
    Require(database->db->DestroyColumnFamilyHandle(family));
  }
  if (by_close) Require(database->db->Close());
  database->db.reset();
}

// Whether a child's DB::Close comes to RocksDB, which refuses it because of a snapshot. Where a
// thread of RocksDB held a lock in the fork, the child waits for ever, and another tries.
bool ChildPassesClose(const std::vector<Database>& databases) {
  constexpr int kMaxTries = 3;
  constexpr unsigned kMaxSeconds = 4;
  for (const Database& database : databases) {
    const rocksdb::Snapshot* const snapshot = database.db->GetSnapshot();
    bool is_passed = false;
    for (int i = 0; i < kMaxTries && !is_passed; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(kMaxSeconds);
        _exit(database.db->Close().IsAborted() ? 0 : 1);
      }
      int status = 1;
      waitpid(child, &status, 0);
      is_passed = status == 0;
    }
    database.db->ReleaseSnapshot(snapshot);
    if (!is_passed) return false;
  }
  return true;
}

int Serve(const std::string& mode, int num_folders, char** folders) {
  std::vector<Database> databases;
  for (int i = 0; i < num_folders; ++i) {
    databases.push_back(Open(folders[i], mode));
  }
  std::puts("open");
  std::fflush(stdout);
  int wrong = 0;
  do {
    for (const Database& database : databases) wrong += WrongAnswers(database);
  } while (!InputHasEnded());
  if (mode == "exit") {
    wrong += !ChildPassesClose(databases);
  }
  std::printf("wrong %d\n", wrong);
  std::fflush(stdout);
  if (mode == "exit") std::exit(wrong != 0);
  for (Database& database : databases) Close(&database, mode == "transactions");
  std::puts("closed");
  return wrong != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "write") == 0) return Write(argv[2]);
  if (argc < 3) return 2;
  return Serve(argv[1], argc - 2, argv + 2);
}

// The blocks of docs/ranges.md on a database of which the scan must skip the table.
#include <memory>
#include <string>
// INCLUDES

int main() {
  // BLOCK 1
  options.create_if_missing = true;
  rocksdb::DB* db;
  if (!rocksdb::DB::Open(options, "db", &db).ok()) return 2;
  for (int user = 0; user < 4000; user += 2) {
    for (int post = 0; post < 20; ++post) {
      const std::string number = std::to_string(1000000 + user).substr(1);
      const std::string key = "user:" + number + ":" + std::to_string(post);
      if (!db->Put({}, key, "").ok()) return 3;
    }
  }
  if (!db->Flush({}).ok()) return 4;
  // BLOCK 2
  if (iterator->Valid()) return 5;  // users have even numbers
  iterator.reset();
  delete db;
  return ranges->counts().tables_skipped == 1 ? 0 : 6;
}

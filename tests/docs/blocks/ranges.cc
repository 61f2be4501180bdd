// The blocks of docs/ranges.md: each question on a database of one table, which the scan must skip.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
// INCLUDES

std::string BigEndian(uint64_t number, int bytes = 8) {
  std::string text(bytes, '\0');
  for (int i = bytes; i-- > 0; number >>= 8) text[i] = static_cast<char>(number);
  return text;
}

std::string Address(int number) { return BigEndian(number * 0x9e3779b97f4a7c15) + "in 20 bytes."; }

using Keys = std::vector<std::string>;

Keys Versions() {
  Keys keys;
  for (int account = 0; account < 1000; ++account)
    for (int i = 0; i < 20; ++i) keys.push_back(Address(account) + BigEndian(500 + 100 * i));
  return keys;
}

Keys Items() {
  Keys keys;
  for (int account = 0; account < 100; account += 2)
    for (int user = 0; user < 20; user += 2)
      for (int i = 0; i < 20; ++i)
        keys.push_back(BigEndian(account, 4) + BigEndian(user, 4) + BigEndian(1000 * i));
  return keys;
}

Keys Days() {
  Keys keys;
  for (int day = 1; day <= 30; day += 2) {
    for (int minute = 0; minute < 1440; ++minute) {
      char text[64];
      std::snprintf(text, sizeof(text), "2026-11-%02dT%02d:%02d", day % 100, minute / 60 % 100,
                    minute % 60);
      if (day != 29) keys.push_back(text);
    }
  }
  return keys;
}

Keys Posts() {
  Keys keys;
  for (int user = 0; user < 4000; user += 2)
    for (int post = 0; post < 20; ++post)
      keys.push_back("user:" + std::to_string(user) + ":post:" + std::to_string(post));
  return keys;
}

std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options, const char* name,
                                  const Keys& keys) {
  rocksdb::DB* db = nullptr;
  bool ok = rocksdb::DB::Open(options, name, &db).ok();
  for (const std::string& key : keys) ok = ok && db->Put({}, key, "").ok();
  ok = ok && db->Flush({}).ok();
  std::unique_ptr<rocksdb::DB> owned(db);
  return ok ? std::move(owned) : nullptr;
}

int main() {
  // BLOCK 5
  options.create_if_missing = true;
  uint64_t seen = 0;
  const auto skipped = [&] {  // tables, since the last call
    const uint64_t before = seen;
    seen = ranges->counts().tables_skipped;
    return seen - before;
  };
  {
    const auto db = Open(options, "accounts", Versions());
    const auto newest = [&](const std::string& address, uint64_t time) {
      // BLOCK 1
      return has_version ? static_cast<int>(version->key()[26]) : 0;  // of the block, / 256
    };
    if (newest(Address(5000), 700) != 0 || skipped() != 1) return 2;
    if (newest(Address(500), 1700) != 1600 / 256 || skipped() != 0) return 3;
  }
  {
    const auto db = Open(options, "items", Items());
    int num_items = 0;
    // BLOCK 2
    if (num_items != 0 || skipped() != 2) return 4;
  }
  {
    const auto db = Open(options, "days", Days());
    // BLOCK 3
    if (has_entry || skipped() != 1) return 5;
  }
  {
    const auto db = Open(options, "posts", Posts());
    Keys posts;
    // BLOCK 4
    if (!posts.empty() || skipped() != 1) return 6;
  }
  return 0;
}

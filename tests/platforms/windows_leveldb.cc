// A program that uses LevelDB with each filter of bloomline. tests/platforms/windows has it write
// databases on Windows and on Linux, and has each read those of both.
// Usage: windows_leveldb write|read FOLDER
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "src/support/process.h"

namespace {

constexpr int kNumKeys = 20000;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "windows_leveldb: %s\n", why.c_str());
  std::exit(1);
}

std::string Key(int i) { return "key " + std::to_string(i); }
std::string Value(int i) { return "value of " + std::to_string(i) + std::string(50, '.'); }

struct Database {
  const char* name;
  bloomline::Format format;
};
constexpr Database kDatabases[] = {{"blocked", bloomline::Format::kBlocked},
                                   {"compact", bloomline::Format::kCompact},
                                   {"classic", bloomline::Format::kClassic}};

void Run(bool writes, const std::string& folder, const Database& database) {
  bloomline::FilterOptions filter;
  filter.format = database.format;
  std::string error;
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      bloomline::NewLevelDBFilterPolicy(filter, bloomline::kLevelDBBuiltinName, &error));
  if (policy == nullptr) Fail(error);
  leveldb::Options options;
  options.filter_policy = policy.get();
  options.create_if_missing = options.error_if_exists = writes;
  options.compression = leveldb::kNoCompression;
  leveldb::DB* opened = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, folder + "/" + database.name, &opened);
  const std::unique_ptr<leveldb::DB> db(opened);
  if (!status.ok()) Fail(status.ToString());
  for (int i = 0; writes && i < kNumKeys; ++i) {
    status = db->Put({}, Key(2 * i), Value(2 * i));
    if (!status.ok()) Fail(status.ToString());
  }
  if (writes) db->CompactRange(nullptr, nullptr);
  for (int i = 0; i < 2 * kNumKeys; ++i) {
    std::string value;
    status = db->Get({}, Key(i), &value);
    if (i % 2 == 0 ? !status.ok() || value != Value(i) : !status.IsNotFound()) {
      Fail(std::string(database.name) + ": " + Key(i) + ": " + status.ToString());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words = bloomline::support::CommandLineWords(argc, argv);
  if (words.size() != 2 || (words[0] != "write" && words[0] != "read")) {
    Fail("usage: windows_leveldb write|read FOLDER");
  }
  for (const Database& database : kDatabases) Run(words[0] == "write", words[1], database);
  std::printf("%s: %d keys in each of %zu databases\n", words[0].c_str(), kNumKeys,
              std::size(kDatabases));
}

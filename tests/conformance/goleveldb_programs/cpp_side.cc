// Writes and reads a LevelDB database with bloomline's policy.
//   cpp_side write FORMAT FOLDER    the keys key0, key2, ... key39998
//   cpp_side read FORMAT FOLDER     prints how many of key0, key1, ... key39999 are found;
//   goleveldb
//                                   has written those with odd numbers
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/leveldb.h"

namespace {

constexpr int kKeys = 40000;

std::string Key(int number) { return "key" + std::to_string(number); }

int Fail(const std::string& reason) {
  std::fprintf(stderr, "cpp_side: %s\n", reason.c_str());
  return 1;
}

}  // namespace

int main(int num_arguments, char** arguments) {
  if (num_arguments != 4) return Fail("needs write or read, FORMAT, FOLDER");
  const bool writes = std::string_view(arguments[1]) == "write";
  const std::string_view format(arguments[2]);
  bloomline::FilterOptions filter;
  filter.format = format == "classic"   ? bloomline::Format::kClassic
                  : format == "blocked" ? bloomline::Format::kBlocked
                                        : bloomline::Format::kCompact;
  const std::unique_ptr<const leveldb::FilterPolicy> policy(
      bloomline::NewLevelDBFilterPolicy(filter, bloomline::kLevelDBBuiltinName));
  if (policy == nullptr) return 1;
  leveldb::Options options;
  options.filter_policy = policy.get();
  options.create_if_missing = writes;
  options.write_buffer_size = 1 << 17;
  leveldb::DB* opened = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, arguments[3], &opened);
  const std::unique_ptr<leveldb::DB> db(opened);
  if (!status.ok()) return Fail(status.ToString());
  if (writes) {
    for (int i = 0; i < kKeys; i += 2) {
      status = db->Put({}, Key(i), Key(i));
      if (!status.ok()) return Fail(status.ToString());
    }
    db->CompactRange(nullptr, nullptr);
    return 0;
  }
  int num_found = 0;
  std::string value;
  for (int i = 0; i < kKeys; ++i) num_found += db->Get({}, Key(i), &value).ok() && value == Key(i);
  std::printf("%d\n", num_found);
  return 0;
}

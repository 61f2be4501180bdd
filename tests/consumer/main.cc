// A program outside the project: all three targets, installed headers only.
#include <bloomline/cpu.h>
#include <bloomline/filter.h>
#include <bloomline/leveldb.h>
#include <bloomline/rocksdb.h>
#include <bloomline/sizing.h>
#include <bloomline/version.h>

#include <cstdio>
#include <memory>

int main() {
  bloomline::FilterBuilder builder((bloomline::FilterOptions()));
  builder.AddKey("key");
  const std::string bytes = builder.Finish();
  const bool found = bloomline::FilterView::Open(bytes).MayMatch("key");
  const std::unique_ptr<const leveldb::FilterPolicy> leveldb_policy(
      bloomline::NewLevelDBFilterPolicy(bloomline::FilterOptions()));
  const auto rocksdb_policy = bloomline::NewRocksDBFilterPolicy(bloomline::FilterOptions());
  std::printf("bloomline %s, kernel %s, %s, %s\n", BLOOMLINE_VERSION_STRING,
              bloomline::ActiveKernelName(), leveldb_policy->Name(), rocksdb_policy->Name());
  return found && rocksdb_policy != nullptr ? 0 : 1;
}

// Asks the LevelDB of old_leveldb.cc for a policy, and makes and queries a filter. It prints the
// name, how many keys of 100 were lost, how many missing ones of 1000 matched, and whether what the
// string had before, the argument, is still in it and in a copy.
#include <cstdio>
#include <string>
#include <vector>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

int main(int, char** argv) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1100; ++i) texts.push_back("key " + std::to_string(i));
  const std::vector<leveldb::Slice> keys(texts.begin(), texts.begin() + 100);
  const leveldb::FilterPolicy* const policy = leveldb::NewBloomFilterPolicy(10);
  std::string block = argv[1];
  const std::string copy = block;  // they share their bytes
  policy->CreateFilter(keys.data(), 100, &block);
  const leveldb::Slice filter(block.data() + copy.size(), block.size() - copy.size());
  int lost = 0, matched = 0;
  for (const leveldb::Slice& key : keys) lost += !policy->KeyMayMatch(key, filter);
  for (size_t i = 100; i < texts.size(); ++i) matched += policy->KeyMayMatch(texts[i], filter);
  std::printf("%s, lost %d, matched %d, %s%zu bytes\n", policy->Name(), lost, matched,
              copy == argv[1] && block.compare(0, copy.size(), copy) == 0 ? "" : "damaged, ",
              filter.size());
  delete policy;
}

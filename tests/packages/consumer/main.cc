// A program outside the project: all targets, installed headers only.
#include <bloomline/atomic_bloom_filter.h>
#include <bloomline/bloom_filter.h>
#include <bloomline/counting_bloom_filter.h>
#include <bloomline/cpu.h>
#include <bloomline/filter.h>
#include <bloomline/keys.h>
#include <bloomline/leveldb.h>
#include <bloomline/rocksdb.h>
#include <bloomline/scalable_bloom_filter.h>
#include <bloomline/sizing.h>
#include <bloomline/version.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

int main() {
  bloomline::FilterBuilder builder((bloomline::FilterOptions()));
  builder.AddKey("key");
  const std::string bytes = builder.Finish();
  const bool found = bloomline::FilterView::Open(bytes).MayMatch("key");
  const auto scalable =
      bloomline::ScalableBloomFilter::Create(bloomline::ScalableBloomFilterOptions(), nullptr);
  auto atomic = bloomline::AtomicBloomFilter::ToAtomic(
      bloomline::BloomFilter::Copy(scalable->stage(0), nullptr));
  bloomline::CountingBloomFilterOptions counting_options;
  counting_options.capacity = 100;
  const auto counting = bloomline::CountingBloomFilter::Create(counting_options, nullptr);
  const bool added = scalable->AddKey("key") && atomic->AddKey("key") && counting->AddKey("key") &&
                     counting->ToBloomFilter(nullptr)->MayMatch("key");
  const std::vector<int> ids = {1, 2, 3};
  std::string saved;
  std::string compound;
  bloomline::EncodeKey({7, "inbox"}, &compound);
  const bool others = scalable->AddKeys(ids) == 3 && scalable->MayMatch(bloomline::KeyOf(2)) &&
                      counting->AddKey(compound) &&
                      counting->ToBytes(&saved, nullptr) &&
                      *bloomline::CountingBloomFilter::FromBytes(saved, nullptr) == *counting;
  const std::unique_ptr<const leveldb::FilterPolicy> leveldb_policy(
      bloomline::NewLevelDBFilterPolicy(bloomline::FilterOptions()));
  const auto rocksdb_policy = bloomline::NewRocksDBFilterPolicy(bloomline::FilterOptions());
  std::printf("bloomline %s, kernel %s, %s, %s\n", BLOOMLINE_VERSION_STRING,
              bloomline::ActiveKernelName(), leveldb_policy->Name(), rocksdb_policy->Name());
  return found && added && others && rocksdb_policy != nullptr ? 0 : 1;
}

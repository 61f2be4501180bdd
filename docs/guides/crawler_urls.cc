// Fetches every URL of a crawl once: a filter in memory, the exact set in LevelDB.
// Usage: crawler_urls URLS SCRATCH_DIR
#include <bloomline/leveldb.h>
#include <bloomline/scalable_bloom_filter.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cstdio>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "example.h"

namespace {

using example::Require;

class SeenUrls {
 public:
  explicit SeenUrls(const std::string& path) {
    policy_.reset(bloomline::NewLevelDBFilterPolicy(bloomline::FilterOptions()));
    leveldb::Options options;
    options.create_if_missing = true;
    options.filter_policy = policy_.get();
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, path, &db);
    Require(status.ok(), "the database opens: " + status.ToString());
    db_.reset(db);
    FillFilter();
  }

  // True if the URL is new. From now on it counts as seen.
  bool Insert(const std::string& url) {
    if (!filter_->AddKey(url)) {  // maybe seen: the database decides
      ++num_reads;
      std::string value;
      const leveldb::Status status = db_->Get(leveldb::ReadOptions(), url, &value);
      if (status.ok()) return false;
      Require(status.IsNotFound(), "the database can be read: " + status.ToString());
      ++num_false_positives;
    }
    Require(db_->Put(leveldb::WriteOptions(), url, "").ok(), "the database takes a URL");
    return true;
  }

  size_t num_reads = 0;
  size_t num_false_positives = 0;
  const bloomline::ScalableBloomFilter& filter() const { return *filter_; }

 private:
  // The filter starts with all URLs of the database, so it has no false negative.
  void FillFilter() {
    bloomline::ScalableBloomFilterOptions options;
    options.initial_capacity = 10000;
    options.false_positive_rate = 0.01;
    std::string error;
    filter_ = bloomline::ScalableBloomFilter::Create(options, &error);
    Require(filter_ != nullptr, "there is a filter: " + error);
    const std::unique_ptr<leveldb::Iterator> urls(db_->NewIterator(leveldb::ReadOptions()));
    for (urls->SeekToFirst(); urls->Valid(); urls->Next()) filter_->AddKey(urls->key().ToString());
    Require(urls->status().ok(), "the database can be read: " + urls->status().ToString());
  }

  std::unique_ptr<const leveldb::FilterPolicy> policy_;  // must outlive the database
  std::unique_ptr<leveldb::DB> db_;
  std::unique_ptr<bloomline::ScalableBloomFilter> filter_;
};

}  // namespace

int main(int argc, char** argv) {
  example::RequireUsage(argc == 3, "crawler_urls URLS SCRATCH_DIR");
  const std::vector<std::string> links = example::ReadLines(argv[1]);
  const std::string path = std::string(argv[2]) + "/seen";

  std::unordered_set<std::string> exact;  // reference for the checks
  size_t num_reads = 0;
  size_t num_false_positives = 0;
  // Two runs over half of the links each, as after a restart of the crawler.
  for (const size_t run : {0u, 1u}) {
    SeenUrls seen(path);
    for (size_t i = run * (links.size() / 2); i < (run == 0 ? links.size() / 2 : links.size());
         ++i) {
      const bool is_new = seen.Insert(links[i]);
      Require(is_new == exact.insert(links[i]).second, "each URL is fetched once: " + links[i]);
    }
    num_reads += seen.num_reads;
    num_false_positives += seen.num_false_positives;
    std::printf("run %zu: filter of %zu stages, %.1f bits per URL\n", run + 1,
                seen.filter().num_stages(),
                static_cast<double>(seen.filter().num_bits()) / static_cast<double>(exact.size()));
  }
  std::printf("%zu links, %zu URLs fetched once each, %zu database reads for %zu repeats\n",
              links.size(), exact.size(), num_reads, links.size() - exact.size());
  std::printf("%zu false positives (%.2f %% of the new URLs)\n", num_false_positives,
              example::Percent(num_false_positives, exact.size()));
  Require(num_reads == links.size() - exact.size() + num_false_positives,
          "the database is read for repeats and false positives only");
  Require(example::RateHolds(num_false_positives, exact.size(), 0.01),
          "the false-positive rate is at most 1 %");
  return 0;
}

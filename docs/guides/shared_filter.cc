// Several crawlers share a filter on Redis. Each URL is fetched by one of them.
// Usage: shared_filter URLS [HOST:PORT]   without HOST:PORT: the server in BLOOMLINE_REDIS_SERVER
// Creates the filter bloomline-guide-seen-urls there. Deletes it before and after.
#include <bloomline/redis_bloom_filter.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "example.h"

namespace {

using bloomline::AddResult;
using bloomline::Answer;
using bloomline::SharedBloomFilter;
using example::Require;
using Urls = std::vector<std::string_view>;

constexpr size_t kWorkers = 4;
constexpr size_t kLinksPerPage = 500;
constexpr double kRates[] = {0.01, 0.0001};
constexpr char kName[] = "bloomline-guide-seen-urls";
constexpr char kStart[] = "http://start.example/";

// Every worker does this. The first one creates the filter, the others open it.
std::unique_ptr<SharedBloomFilter> Connect(const std::string& server, size_t num_urls,
                                           double rate) {
  bloomline::RedisServers redis;
  redis.servers = {server};
  redis.command_timeout_ms = 10000;                             // a crawler can wait
  redis.when_unavailable = bloomline::WhenUnavailable::kError;  // not "maybe seen"
  bloomline::SharedBloomFilterOptions options;
  options.capacity = num_urls;
  options.false_positive_rate = rate;
  std::string error;
  auto filter = SharedBloomFilter::Create(redis, kName, options, &error);
  Require(filter != nullptr, error);
  return filter;
}

// A crawler with its own connection. It could be a process on another machine.
class Worker {
 public:
  explicit Worker(std::unique_ptr<SharedBloomFilter> filter) : filter_(std::move(filter)) {}

  void Crawl(size_t number, const Urls& links) {
    if (filter_->AddKey(kStart) == AddResult::kNew) fetched.push_back(kStart);
    for (size_t page = 0; page * kLinksPerPage < links.size(); ++page) {
      if (page % kWorkers != number && (page + 1) % kWorkers != number) continue;
      const size_t first = page * kLinksPerPage;
      OnLinks(std::min(kLinksPerPage, links.size() - first), &links[first]);
    }
  }

  // Fetches the links of a page that no worker has taken.
  void OnLinks(size_t n, const std::string_view* links) {
    std::vector<AddResult> results(n);
    filter_->AddKeys(n, links, results.data());
    for (size_t i = 0; i < n; ++i) {
      switch (results[i]) {
        case AddResult::kNew:  // only this worker gets this result
          fetched.push_back(links[i]);
          break;
        case AddResult::kPresent:  // taken by a worker, or a false positive
          break;
        case AddResult::kUnknown:  // maybe new: better fetched twice than never
          fetched.push_back(links[i]);
          ++num_unknown;
          break;
        case AddResult::kFailed:  // filter_->error() has the reason
          postponed.push_back(links[i]);
          break;
      }
    }
  }

  SharedBloomFilter& filter() const { return *filter_; }

  Urls fetched;    // what a real crawler would fetch
  Urls postponed;  // to be added again later
  size_t num_unknown = 0;

 private:
  std::unique_ptr<SharedBloomFilter> filter_;
};

// All workers start at the same page. Two workers meet each further page, at about the same time.
std::vector<Worker> CrawlTogether(const std::string& server, const Urls& links, size_t num_urls,
                                  double rate) {
  std::vector<Worker> workers;
  for (size_t i = 0; i < kWorkers; ++i) workers.emplace_back(Connect(server, num_urls, rate));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kWorkers; ++i) {
    threads.emplace_back([&, i] { workers[i].Crawl(i, links); });
  }
  for (std::thread& thread : threads) thread.join();
  return workers;
}

// Checks the crawl against the exact set, which includes the start. Returns the fetched URLs.
Urls CheckCrawl(const std::vector<Worker>& workers,
                const std::unordered_set<std::string_view>& exact, double rate) {
  Urls all;
  std::printf("FPR %g: workers fetched", rate);
  for (const Worker& worker : workers) {
    Require(worker.postponed.empty() && worker.num_unknown == 0, "the server was always available");
    std::printf(" %zu", worker.fetched.size());
    all.insert(all.end(), worker.fetched.begin(), worker.fetched.end());
  }
  const std::unordered_set<std::string_view> distinct(all.begin(), all.end());
  Require(distinct.size() == all.size(), "no URL is fetched twice");
  for (const std::string_view url : all) Require(exact.count(url) == 1, "only links are fetched");
  const size_t num_skipped = exact.size() - all.size();
  const SharedBloomFilter& filter = workers.front().filter();
  std::printf(" of %zu URLs\n  %zu skipped (%.4f %%), %.1f bits per URL\n", exact.size(),
              num_skipped, example::Percent(num_skipped, exact.size()),
              8.0 * static_cast<double>(filter.num_bytes()) / static_cast<double>(exact.size()));
  Require(example::RateHolds(num_skipped, exact.size(), rate),
          "the skipped URLs are within the false-positive rate");
  return all;
}

// The full filter: all added URLs match, and missing URLs match at the false-positive rate.
void CheckAnswers(SharedBloomFilter& filter, const Urls& offered, double rate) {
  std::vector<Answer> answers(offered.size());
  Require(filter.MayMatch(offered.size(), offered.data(), answers.data()), filter.error());
  for (const Answer answer : answers) Require(answer == Answer::kMaybe, "no URL is lost");

  std::vector<std::string> absent(offered.begin(), offered.end());
  for (std::string& url : absent) url += "#never offered";
  const Urls views(absent.begin(), absent.end());
  Require(filter.MayMatch(views.size(), views.data(), answers.data()), filter.error());
  const auto passed = std::count(answers.begin(), answers.end(), Answer::kMaybe);
  std::printf("  full: %zu of %zu missing URLs are false positives\n", static_cast<size_t>(passed),
              absent.size());
  Require(example::RateHolds(static_cast<size_t>(passed), absent.size(), rate),
          "the false-positive rate holds");
}

}  // namespace

int main(int argc, char** argv) {
  const char* server = argc == 3 ? argv[2] : std::getenv("BLOOMLINE_REDIS_SERVER");
  example::RequireUsage((argc == 2 || argc == 3) && server != nullptr,
                        "shared_filter URLS [HOST:PORT], or with BLOOMLINE_REDIS_SERVER=HOST:PORT");
  const std::vector<std::string> lines = example::ReadLines(argv[1]);
  const Urls links(lines.begin(), lines.end());
  std::unordered_set<std::string_view> exact(links.begin(), links.end());
  exact.insert(kStart);
  const Urls urls(exact.begin(), exact.end());
  bloomline::RedisServers redis;
  redis.servers = {server};
  std::string error;
  const auto delete_filter = [&] {
    const bool is_deleted = SharedBloomFilter::Delete(redis, kName, &error);
    Require(is_deleted, error);
  };

  std::printf("%zu links\n", links.size());
  std::vector<Worker> workers;
  Urls fetched;
  for (const double rate : kRates) {
    delete_filter();
    workers = CrawlTogether(server, links, exact.size(), rate);
    fetched = CheckCrawl(workers, exact, rate);
    CheckAnswers(workers.front().filter(), urls, rate);
  }

  // For clients that have it open, a deleted filter is the same as one that the server has lost.
  delete_filter();
  Worker& worker = workers.front();
  worker.fetched.clear();
  worker.OnLinks(kLinksPerPage, links.data());
  Require(worker.fetched.empty() && worker.postponed.size() == kLinksPerPage,
          "without its filter a worker fetches nothing and forgets nothing");
  std::printf("lost: %s\n", worker.filter().error().c_str());
  Require(worker.filter().MayMatch(urls[0]) == Answer::kError, "a query is an error, too");

  // A new filter first gets all fetched URLs; only then may workers use it.
  Worker again(Connect(server, exact.size(), kRates[1]));
  Require(again.filter().AddKeys(fetched.size(), fetched.data()), again.filter().error());
  again.OnLinks(worker.postponed.size(), worker.postponed.data());
  std::printf("created again: %zu of %zu postponed links are fetched again\n", again.fetched.size(),
              worker.postponed.size());
  const std::unordered_set<std::string_view> before(fetched.begin(), fetched.end());
  for (const std::string_view url : again.fetched) {
    Require(before.count(url) == 0, "still no URL is fetched twice");
  }
  delete_filter();
  return 0;
}

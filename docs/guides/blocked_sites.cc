// A blocklist: one process builds the filter, many processes query it.
// Usage: blocked_sites BLOCKED VISITED SCRATCH_DIR    one host per line
#include <bloomline/bloom_filter.h>
#include <bloomline/filter.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "example.h"

namespace {

using example::Require;

constexpr double kRate = 0.001;

// Runs once, on the machine that keeps the list.
void Publish(const std::vector<std::string>& sites, const std::string& path) {
  bloomline::BloomFilterOptions options;
  options.capacity = sites.size();
  options.false_positive_rate = kRate;
  std::string error;
  const auto filter = bloomline::BloomFilter::Create(options, &error);
  Require(filter != nullptr, "there is a filter: " + error);
  const std::vector<std::string_view> keys(sites.begin(), sites.end());
  filter->AddKeys(keys.size(), keys.data());
  Require(filter->Save(path, &error), "the filter is saved: " + error);
  std::printf("%zu sites, mapped filter of %.1f bits per site\n", sites.size(),
              static_cast<double>(filter->num_bits()) / static_cast<double>(sites.size()));
}

// The smallest filter for the same false-positive rate.
std::string PublishRibbon(const std::vector<std::string>& sites) {
  bloomline::FilterOptions options;
  options.format = bloomline::Format::kRibbon;
  options.bits_per_key = 11;  // ForFalsePositiveRate would give 10.4, enough from 5,000 sites on
  bloomline::FilterBuilder builder(options);
  for (const std::string& site : sites) builder.AddKey(site);
  const std::string bytes = builder.Finish();
  Require(builder.error().empty(), "the filter is built: " + builder.error());
  std::printf("Ribbon filter of %.1f bits per site\n",
              8.0 * static_cast<double>(bytes.size()) / static_cast<double>(sites.size()));
  return bytes;
}

struct Decision {
  bool blocked = false;
  size_t num_queries = 0;        // of the filter
  size_t num_confirmations = 0;  // in the exact list
};

// Queries the host and its parent domains: an entry blocks all names below it.
template <typename MayMatch>
Decision Decide(std::string_view host, const MayMatch& may_match,
                const std::vector<std::string>& exact_list) {
  Decision decision;
  while (host.find('.') != std::string_view::npos && !decision.blocked) {
    ++decision.num_queries;
    if (may_match(host)) {
      ++decision.num_confirmations;
      decision.blocked = std::binary_search(exact_list.begin(), exact_list.end(), host);
    }
    host.remove_prefix(host.find('.') + 1);
  }
  return decision;
}

// The work of each process: decides on the listed sites and on the sites that people visit.
template <typename MayMatch>
void Serve(const char* name, const std::vector<std::string>& sites,
           const std::vector<std::string>& visited, const MayMatch& may_match) {
  for (const std::string& site : sites) {
    Require(Decide(site, may_match, sites).blocked, "a listed site is blocked: " + site);
  }
  size_t num_blocked = 0;
  size_t num_queries = 0;
  size_t num_confirmations = 0;
  for (const std::string& site : visited) {
    const Decision decision = Decide("www." + site, may_match, sites);
    num_blocked += decision.blocked;
    num_queries += decision.num_queries;
    num_confirmations += decision.num_confirmations;
  }
  std::printf("%s: %zu visits, %zu queries, %zu confirmations, %zu blocked\n", name, visited.size(),
              num_queries, num_confirmations, num_blocked);
  Require(example::RateHolds(num_confirmations - num_blocked, num_queries, kRate),
          "the false-positive rate is at most 0.1 %");
}

int ServeMapped(const std::string& path, const std::vector<std::string>& sites,
                const std::vector<std::string>& visited) {
  std::string error;
  const auto filter = bloomline::MappedBloomFilter::Open(
      path, bloomline::MappedBloomFilter::Verify::kPayload, &error);
  if (filter == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  Serve("mapped", sites, visited, [&](std::string_view host) { return filter->MayMatch(host); });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  example::RequireUsage(argc == 4, "blocked_sites BLOCKED VISITED SCRATCH_DIR");
  std::vector<std::string> sites = example::ReadLines(argv[1]);
  std::sort(sites.begin(), sites.end());
  const std::vector<std::string> visited = example::ReadLines(argv[2]);
  const std::string path = std::string(argv[3]) + "/sites.bloom";

  Publish(sites, path);
  const std::string ribbon = PublishRibbon(sites);
  std::fflush(stdout);

  constexpr int kProcesses = 4;
  for (int i = 0; i < kProcesses; ++i) {
    if (fork() == 0) {
      const int result = ServeMapped(path, sites, visited);
      std::fflush(stdout);
      _exit(result);
    }
  }
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    Require(wait(&status) > 0 && status == 0, "every process blocks all listed sites");
  }

  const bloomline::FilterView view = bloomline::FilterView::Open(ribbon);
  Require(!view.AlwaysMatches(), "the Ribbon filter is valid");
  Serve("Ribbon", sites, visited, [&](std::string_view host) { return view.MayMatch(host); });

  // A damaged file is refused. The bytes of FilterBuilder have no checksum.
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(2000).put('\x55');
  std::string error;
  Require(bloomline::MappedBloomFilter::Open(path, bloomline::MappedBloomFilter::Verify::kPayload,
                                             &error) == nullptr,
          "a damaged file is refused");
  std::printf("damaged file: refused\n");
  return 0;
}

// The sample of queries, and the text in Prometheus' format.
#include "bloomline/metrics.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/c_metrics.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/metrics/sampling.h"
#include "tests/support/metric_value.h"
#include "tests/support/own_process.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::metrics_test {
namespace {

using filter::Answers;
using filter::Count;
using filter::CountsFor;
using filter::FilterCounts;

// Queries for num_queries keys, some at once, in a thread of its own. weights[i] gets what is
// counted for the queries of which the number modulo their size is i.
void Query(int num_queries, int at_once, std::vector<uint64_t>* weights) {
  std::thread([=] {
    for (int i = 0; i < num_queries; i += at_once) {
      if (!filter::IsSampled(at_once)) continue;
      const filter::Sample sample = filter::TakeSample(at_once);
      ASSERT_GE(sample.index, 0);
      ASSERT_LT(sample.index, at_once);
      (*weights)[static_cast<size_t>(i + sample.index) % weights->size()] += sample.weight;
    }
  }).join();
}

// Samples stand for all queries since the last, so only the first and the last step count wrong.
TEST(MetricsSamplingTest, CountsAllQueriesOfAThread) {
  for (const int at_once : {1, 2, 7, 32}) {
    constexpr int kQueries = 32 * 7 * 1000;
    std::vector<uint64_t> weights(1);
    Query(kQueries, at_once, &weights);
    EXPECT_NEAR(static_cast<double>(weights[0]), kQueries, 700) << at_once;
  }
}

// A step of 256 would meet only one of 8 filters that take turns.
TEST(MetricsSamplingTest, CountsFiltersThatTakeTurnsAlike) {
  for (const int at_once : {1, 8, 32}) {
    constexpr int kQueries = 1 << 21;  // 8192 samples
    std::vector<uint64_t> weights(8);
    Query(kQueries, at_once, &weights);
    for (const uint64_t weight : weights) {
      EXPECT_NEAR(static_cast<double>(weight), kQueries / 8, 0.25 * kQueries / 8) << at_once;
    }
  }
}

// 3000 threads of 64 queries: 750 samples of weight 256, with a standard deviation of 4 %.
TEST(MetricsSamplingTest, CountsThreadsThatLiveForFewQueries) {
  constexpr int kThreads = 3000;
  constexpr int kQueries = 64;
  std::vector<uint64_t> weights(1);
  for (int i = 0; i < kThreads; ++i) Query(kQueries, 1, &weights);
  EXPECT_NEAR(static_cast<double>(weights[0]), kThreads * kQueries, 0.25 * kThreads * kQueries);
}

TEST(MetricsSamplingTest, BatchesLongerThanAStepAreCountedOnce) {
  std::vector<uint64_t> weights(1);
  Query(100 * 1000000, 1000000, &weights);
  EXPECT_GT(weights[0], 0u);
  EXPECT_LE(weights[0], 100u * 384);
}

TEST(MetricsTest, LabelsHaveTheirOwnCounts) {
  FilterCounts* const counts = CountsFor({"test", "own", "books", 3});
  EXPECT_EQ(CountsFor({"test", "own", "books", 3}), counts);
  EXPECT_NE(CountsFor({"test", "own", "books", 4}), counts);
  EXPECT_NE(CountsFor({"test", "own", "book", 3}), counts);
  EXPECT_EQ(MetricValue("bloomline_filter_queries_total", "policy=\"own\""), 0);
  counts->AddAnswer(Answers::kKeys, false, 300);
  counts->AddAnswer(Answers::kKeys, true, 200);
  counts->AddAnswer(Answers::kRandomHashes, false, 1);
  const std::string labels =
      R"(engine="test",policy="own",column_family="books",level="3",answer=)";
  EXPECT_EQ(MetricValue("bloomline_filter_queries_total", labels + "\"no\""), 300);
  EXPECT_EQ(MetricValue("bloomline_filter_queries_total", labels + "\"may_match\""), 200);
  EXPECT_EQ(MetricValue("bloomline_filter_random_queries_total", labels + "\"no\""), 1);
  // An answer that never was is 0, not absent: a rate needs both.
  EXPECT_NE(
      MetricsText().find("bloomline_filter_random_queries_total{" + labels + "\"may_match\"} 0\n"),
      std::string::npos);
}

TEST(MetricsTest, ThreadsLoseNoCount) {
  FilterCounts* const counts = CountsFor({"test", "threads", "", -1});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([=] {
      for (int n = 0; n < 10000; ++n) counts->AddAnswer(Answers::kKeys, n % 4 == 0, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts->Get(Answers::kKeys, true), 20000u);
  EXPECT_EQ(counts->Get(Answers::kKeys, false), 60000u);
}

TEST(MetricsTest, OpenFiltersAreCountedWhileTheyExist) {
  FilterCounts* const counts = CountsFor({"test", "open", "", -1});
  const auto open = [] { return MetricValue("bloomline_filters_open", "policy=\"open\""); };
  {
    const filter::OpenFilterCount first(counts, filter::OpenedKind::kBloomline, 1000);
    const filter::OpenFilterCount second(counts, filter::OpenedKind::kRocksDB, 500);
    EXPECT_EQ(open(), 2);
    EXPECT_EQ(MetricValue("bloomline_filter_open_bytes", "policy=\"open\",kind=\"rocksdb\""), 500);
  }
  EXPECT_EQ(open(), 0);
  EXPECT_EQ(MetricValue("bloomline_filters_opened_total", "policy=\"open\""), 2);
}

// The databases of a process may be open until it ends, and its last text stays in a file.
TEST(MetricsTest, NothingIsOpenAtTheEnd) {
  FilterCounts* const counts = CountsFor({"test", "end", "", -1});
  const filter::OpenFilterCount open(counts, filter::OpenedKind::kBloomline, 1000);
  counts->Add(Count::kMemoryBytes, 900);
  counts->Lower(Count::kMemoryBytes, 100);
  EXPECT_EQ(MetricValue("bloomline_filter_memory_bytes", "policy=\"end\""), 800);
  counts->Add(Count::kMemoryLimitBytes, 1000);
  counts->Add(Count::kLimited, 1);
  const char* const of_now[] = {"bloomline_filters_open", "bloomline_filter_open_bytes",
                                "bloomline_filter_memory_bytes",
                                "bloomline_filter_memory_limit_bytes"};
  const std::string text = filter::MetricsTextAtEnd();
  for (const std::string name : of_now) {
    EXPECT_GT(MetricValue(name, "policy=\"end\""), 0) << name;
    EXPECT_EQ(text.find("\n" + name + "{"), std::string::npos) << name;
  }
  for (const std::string name :
       {"bloomline_filters_opened_total", "bloomline_filters_limited_total"}) {
    EXPECT_NE(text.find("\n" + name + "{engine=\"test\",policy=\"end\""), std::string::npos)
        << name;
  }
}

// A column family's name may have any bytes. Prometheus refuses a text with a label that is no
// UTF-8, and all of its metrics.
TEST(MetricsTest, AnyColumnFamilyHasALabel) {
  CountsFor({"test", "label", std::string("a\"b\\c\nd\xff%\0", 10), 0})->Add(Count::kBuilt, 5);
  EXPECT_EQ(
      MetricValue("bloomline_filters_built_total", R"(column_family="a\"b\\c%0ad%ff%25%00",)"), 5);
}

// It prints what is wrong, and promtool lints names, units and help, too.
TEST(MetricsTest, PromtoolTakesTheText) {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool is not here (Debian: prometheus)";
  }
  FilterCounts* const counts = CountsFor({"test", "promtool", "a\"b\\c\nd\xff", 6});
  for (size_t i = 0; i < static_cast<size_t>(Count::kEnd); ++i) counts->Add(Count::kOpened, 1, i);
  for (const Answers answers : {Answers::kKeys, Answers::kRandomHashes}) {
    counts->AddAnswer(answers, true, 1);
  }
  counts->SetExpected({Format::kBlocked, Format::kBlocked, 10});
  const TempDir dir;
  std::ofstream(dir.Path("metrics")) << MetricsText();
  EXPECT_EQ(std::system(("promtool check metrics <" + dir.Path("metrics")).c_str()), 0);
  // The check can fail.
  std::ofstream(dir.Path("wrong")) << MetricsText() << "bloomline_info{a=\"\xff\"} 1\n";
  EXPECT_NE(
      std::system(("promtool check metrics <" + dir.Path("wrong") + " >/dev/null 2>&1").c_str()),
      0);
}

TEST(MetricsTest, TheTextInC) {
  char* error = nullptr;
  char* const text = bloomline_metrics_text(&error);
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(error, nullptr);
  EXPECT_EQ(std::string(text).substr(0, 21), "# HELP bloomline_info");
  std::free(text);
}

// As another thread may, while the text is made.
TEST(MetricsTest, LabelsThatAreAddedRepeatNoCounts) {
  std::set<const FilterCounts*> all;
  const FilterCounts* counts;
  for (size_t i = 0; (counts = filter::CountsAt(i)) != nullptr; ++i) {
    EXPECT_TRUE(all.insert(counts).second) << i;
    if (i < 100) CountsFor({"test", "added", "", static_cast<int>(i)});
  }
}

// Prometheus refuses a text in which a sample is twice, with all that is in it.
void ExpectEachSampleOnce() {
  std::istringstream text(MetricsText());
  std::set<std::string> samples;
  for (std::string line; std::getline(text, line);) {
    const std::string sample = line.substr(0, line.find_last_of(' '));
    ASSERT_TRUE(samples.insert(sample).second) << sample;
  }
}

void AddTooManyLabels() {
  filter::UnlabelledCounts()->Add(Count::kKeysBuilt, 1);
  size_t n = 0;
  while (filter::CountsAt(n) != nullptr) ++n;
  for (int i = 0; n <= filter::kMaxCounts; ++n, ++i) {
    CountsFor({"test", "many", "", i})->Add(Count::kBuilt, 1);
    if (n + 2 >= filter::kMaxCounts) ExpectEachSampleOnce();
  }
  EXPECT_EQ(CountsFor({"test", "one more", "", 0}), filter::UnlabelledCounts());
  CountsFor({"test", "one more", "", 0})->Add(Count::kBuilt, 3);
  EXPECT_NE(MetricsText().find("bloomline_filters_built_total 3\n"), std::string::npos);
}

// The labels stay: after so many, counts have none.
TEST(MetricsTest, TooManyLabelsShareTheCountsWithoutLabels) { InOwnProcess(AddTooManyLabels); }

}  // namespace
}  // namespace bloomline::tests::metrics_test

#include "db_bench_ext/disk/flags.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "db_bench_ext/flags/parse.h"

namespace bloomline::bench {
namespace {

Plan CompletePlan() {
  Plan plan;
  plan.keys_of_top_level = 300;
  plan.subjects = AllSubjects();
  plan.layouts = {Layout::kPartitioned, Layout::kFull, Layout::kPinned};
  plan.cache_factors = {1, 2, 4};
  plan.threads = {1, 2};
  plan.workloads = {std::begin(kAllWorkloads), std::end(kAllWorkloads)};
  plan.rounds = 5;
  plan.run_seconds = 0.06;
  plan.warm_up_seconds = 0.3;
  plan.waste_seconds = 2;
  return plan;
}

void MakeShort(Plan* plan) {
  plan->keys_of_top_level = 50;
  plan->layouts = {Layout::kPartitioned, Layout::kPinned};
  plan->cache_factors = {2};
  plan->workloads = {Workload::kMissing, Workload::kZipf, Workload::kMixedZipf,
                     Workload::kMultiGet};
  plan->threads = {1};
  plan->rounds = 3;
  plan->run_seconds = 0.04;
  plan->warm_up_seconds = plan->waste_seconds = 0.1;
}

void MakeQuick(Plan* plan) {
  MakeShort(plan);
  plan->keys_of_top_level = 10;
  plan->layouts = {Layout::kPartitioned};
  plan->workloads = {Workload::kMissing, Workload::kMixedZipf, Workload::kMultiGet};
  plan->rounds = 1;
  plan->run_seconds = plan->warm_up_seconds = plan->waste_seconds = 0.02;
}

template <typename T>
std::vector<std::string> NamesOf(const std::vector<T>& all, std::string (*name_of)(const T&)) {
  std::vector<std::string> names;
  std::transform(all.begin(), all.end(), std::back_inserter(names), name_of);
  return names;
}

// Keeps what is named, in the order of `all`; keeps all if nothing is named.
template <typename T>
void Select(const std::vector<std::string>& named, std::string (*name_of)(const T&),
            std::vector<T>* all) {
  if (named.empty()) return;
  const auto unnamed = [&](const T& one) {
    return std::find(named.begin(), named.end(), name_of(one)) == named.end();
  };
  all->erase(std::remove_if(all->begin(), all->end(), unnamed), all->end());
}

std::string NameOfSubject(const Subject& subject) { return subject.name; }
std::string NameOfWorkload(const Workload& workload) { return WorkloadName(workload); }
std::string NameOfLayout(const Layout& layout) { return LayoutName(layout); }

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  flags.plan = CompletePlan();
  flags.out_directory = "results";
  flags.db_directory = ".";
  bool is_short = false, quick = false, print_out = false;
  uint64_t top_keys = 0;
  int rounds = 0;
  std::vector<double> cache_factors, sweep;
  std::vector<int> threads;
  std::vector<std::string> policies, workloads, layouts;
  const std::vector<std::string> all_policies = NamesOf(flags.plan.subjects, NameOfSubject);
  const std::vector<std::string> all_workloads = NamesOf(flags.plan.workloads, NameOfWorkload);
  const std::vector<std::string> all_layouts = NamesOf(flags.plan.layouts, NameOfLayout);

  CLI::App app(
      "Compares filters of RocksDB where memory is short: a database of five levels, read with\n"
      "direct I/O through a small block cache that also holds the filters and indexes. All\n"
      "policies get the same cache. Exit status 1 if any answer was wrong, 77 if the databases\n"
      "cannot lie on a disk. The complete form takes about eight minutes.",
      "db_bench_ext/run --disk");
  auto* short_flag =
      app.add_flag("--short", is_short,
                   "a database of 555,550 keys, two layouts, four workloads: about 25 seconds");
  app.add_flag("--quick", quick,
               "111,110 keys, three workloads, one round: takes seconds, its times mean nothing")
      ->excludes(short_flag);
  app.add_option("--top-keys", top_keys,
                 "keys in level 1; each of the four other levels has ten times as many as the one "
                 "above (default: 300, which makes 3,333,300 keys or 400 MB)")
      ->check(CLI::Range(10, 10000));
  app.add_option("--cache", cache_factors,
                 "sizes of the block cache, as multiples of the bytes of built-in Bloom's filters "
                 "(default: 1,2,4; four times the filters is 4.4 % of the data; pinned from 2 on)")
      ->delimiter(',')
      ->check(CLI::Range(0.1, 200.0));
  app.add_option(
         "--layout", layouts,
         "some of: partitioned (filters and indexes in blocks of 4 KiB), full (one filter and "
         "one index per file), pinned (full, and never evicted) (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(all_layouts));
  app.add_option("--policies", policies, "some of: " + Joined(all_policies) + " (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(all_policies));
  app.add_option("--workloads", workloads, "some of: " + Joined(all_workloads) + " (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(all_workloads));
  app.add_option("--sweep", sweep,
                 "instead of the policies above: built-in Bloom, and compact at each of these bits "
                 "per key, to find the best one for a cache: --sweep 4,6,8,10,12,14")
      ->delimiter(',')
      ->check(CLI::Range(2.0, 30.0));
  app.add_option("--threads", threads,
                 "numbers of threads (default: 1,2); more than one only with the largest cache")
      ->delimiter(',')
      ->check(CLI::Range(1, 64));
  app.add_option("--rounds", rounds, "timed rounds; the report has their median (default: 5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", flags.out_directory,
                 "folder for the tables as text and CSV and the plots (default: "
                 "db_bench_ext/results)")
      ->take_last();  // disk/run passes its default first
  app.add_option("--db-dir", flags.db_directory,
                 "existing folder on a disk for the temporary databases, 5 GB, which are removed "
                 "at the end (default: ${XDG_CACHE_HOME:-~/.cache}/bloomline)")
      ->check(CLI::ExistingDirectory)
      ->take_last();
  app.add_flag("--progress", flags.progress, "")->group("");  // for progress.py
  app.add_flag("--print-out", print_out, "")->group("");      // for disk/run
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (print_out) {
    std::cout << flags.out_directory << "\n";
    return std::nullopt;
  }

  Plan& plan = flags.plan;
  if (quick) MakeQuick(&plan);
  if (is_short) MakeShort(&plan);
  if (top_keys != 0) plan.keys_of_top_level = top_keys;
  if (rounds != 0) plan.rounds = rounds;
  if (!cache_factors.empty()) plan.cache_factors = cache_factors;
  if (!threads.empty()) plan.threads = threads;
  plan.threaded_cache_factor =
      *std::max_element(plan.cache_factors.begin(), plan.cache_factors.end());
  // Caches are measured in multiples of built-in Bloom's filters, so it always takes part.
  if (!policies.empty()) policies.push_back(kBuiltinBloom);
  Select(policies, NameOfSubject, &plan.subjects);
  if (!sweep.empty()) plan.subjects = SweepSubjects(sweep);
  if (!workloads.empty()) plan.workloads = CompletePlan().workloads;
  Select(workloads, NameOfWorkload, &plan.workloads);
  if (!layouts.empty()) plan.layouts = CompletePlan().layouts;
  Select(layouts, NameOfLayout, &plan.layouts);
  return flags;
}

}  // namespace bloomline::bench

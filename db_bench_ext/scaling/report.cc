#include <cmath>
#include <cstdio>
#include <sstream>

#include "db_bench_ext/scaling/scaling.h"

namespace bloomline::bench {
namespace {

constexpr double kMaxRateError = 0.03;

template <typename... Values>
std::string Line(const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), format, values...);
  return buffer;
}

std::string Name(const Row& row) {
  return row.of.subject + ", " + std::to_string(row.of.num_keys) + " keys, " +
         std::to_string(row.of.num_threads) + (row.of.num_threads == 1 ? " thread" : " threads");
}

}  // namespace

std::string TableHead(uint64_t num_keys) {
  return Line("%llu keys\n%-12s%3s |%7s%7s |%7s%7s |%7s%7s |%7s%7s |%9s%7s |%6s%9s%9s%7s |%5s%9s\n",
              static_cast<unsigned long long>(num_keys), "", "thr", "raw ld", "raw rw", "add ns",
              "x raw", "hit ns", "x raw", "miss ns", "x raw", "mixed ns", "x raw", "bits", "FPR %",
              "theory", "ratio", "lost", "peak MB");
}

std::string TableRow(const Row& row) {
  if (!row.skipped.empty()) {
    return Line("%-12s%3zu | skipped: ", row.of.subject.c_str(), row.of.num_threads) + row.skipped +
           "\n";
  }
  return Line(
      "%-12s%3zu |%7.2f%7.2f |%7.2f%7.2f |%7.2f%7.2f |%7.2f%7.2f |%9.2f%7.2f |%6.2f%9.4f%9.4f%7.3f "
      "|%5llu%9.1f\n",
      row.of.subject.c_str(), row.of.num_threads, row.raw.load_ns, row.raw.modify_ns, row.BuildNs(),
      row.BuildNs() / row.raw.modify_ns, row.hit.median, row.hit.median / row.raw.load_ns,
      row.miss.median, row.miss.median / row.raw.load_ns, row.mixed.median,
      row.mixed.median / row.raw.load_ns, row.BitsPerKey(), 100 * row.false_positive_rate,
      100 * row.theory, row.false_positive_rate / row.theory,
      static_cast<unsigned long long>(row.num_lost), static_cast<double>(row.peak_bytes) / 1e6);
}

std::string ThreadScaling(const std::vector<Row>& rows) {
  std::string text;
  const Row* one = nullptr;
  for (const Row& row : rows) {
    if (!row.skipped.empty()) continue;
    if (row.of.num_threads == 1) one = &row;
    if (row.of.num_threads == 1 || one == nullptr || one->of.subject != row.of.subject ||
        one->of.num_keys != row.of.num_keys) {
      continue;
    }
    text += Line("%-40s build %.2f, hit %.2f, miss %.2f times as fast as one\n", Name(row).c_str(),
                 one->BuildNs() / row.BuildNs(), one->hit.median / row.hit.median,
                 one->miss.median / row.miss.median);
  }
  return text.empty() ? text : "\nThreads\n" + text;
}

std::string Failures(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    if (!row.skipped.empty()) continue;
    if (row.num_lost != 0) {
      text += Name(row) + ": " + std::to_string(row.num_lost) + " of " +
              std::to_string(row.num_checked) + " keys and of those of the mixed stream lost\n";
    }
    if (std::abs(row.false_positive_rate / row.theory - 1) > kMaxRateError) {
      text += Name(row) + ": false-positive rate " + std::to_string(row.false_positive_rate) +
              ", theory " + std::to_string(row.theory) + "\n";
    }
  }
  return text;
}

std::string Csv(const std::vector<Row>& rows) {
  std::ostringstream out;
  out << "subject,keys,threads,filter_bytes,bits_per_key,raw_load_ns,raw_modify_ns,add_ns,"
         "add_mean_ns,finish_ns,hit_ns,hit_mean_ns,miss_ns,miss_mean_ns,mixed_ns,fpr,theory,"
         "checked,lost,"
         "peak_bytes,skipped\n";
  for (const Row& row : rows) {
    out << row.of.subject << ',' << row.of.num_keys << ',' << row.of.num_threads << ','
        << row.filter_bytes << ',' << row.BitsPerKey() << ',' << row.raw.load_ns << ','
        << row.raw.modify_ns << ',' << row.add.median << ',' << row.add.mean << ',' << row.finish_ns
        << ',' << row.hit.median << ',' << row.hit.mean << ',' << row.miss.median << ','
        << row.miss.mean << ',' << row.mixed.median << ',' << row.false_positive_rate << ','
        << row.theory << ',' << row.num_checked << ',' << row.num_lost << ',' << row.peak_bytes
        << ",\"" << row.skipped << "\"\n";
  }
  return out.str();
}

}  // namespace bloomline::bench

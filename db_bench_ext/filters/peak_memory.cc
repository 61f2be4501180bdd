// The peak memory of building one large filter.
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <set>

#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/report.h"

namespace bloomline::bench {
namespace {

struct Peak {
  uint64_t added_bytes;  // after the last AddKey
  uint64_t peak_bytes;
  uint64_t written_bytes;
};

Peak BuildOne(const Subject& subject, uint64_t num_keys) {
  const RocksDBPolicy policy = subject.Policy(kTableBits);
  const uint64_t before = PeakMemory();
  const RocksDBBuilder builder = subject.NewBuilder(policy);
  char key[kKeyBytes];
  for (uint64_t i = 0; i < num_keys; ++i) {
    WriteKey(i, key);
    builder->AddKey(rocksdb::Slice(key, kKeyBytes));
  }
  Peak peak = {PeakMemory() - before, 0, 0};
  std::unique_ptr<const char[]> buffer;
  peak.written_bytes = builder->Finish(&buffer).size();
  peak.peak_bytes = PeakMemory() - before;
  return peak;
}

std::optional<Peak> BuildInProcess(const Subject& subject, uint64_t num_keys) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const Peak peak = BuildOne(subject, num_keys);
    const bool written = write(ends[1], &peak, sizeof(peak)) == sizeof(peak);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Peak peak = {};
  const bool complete = child > 0 && read(ends[0], &peak, sizeof(peak)) == sizeof(peak);
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return complete && peak.peak_bytes != 0 ? std::optional(peak) : std::nullopt;
}

}  // namespace

std::string PeakMemoryTable(const std::vector<Subject>& subjects, uint64_t num_keys) {
  std::vector<Cells> rows = {{"", "bits/key", "added MiB", "peak MiB", "bytes/key", "of Ribbon's"}};
  std::vector<double> peaks;
  double ribbon = NAN;
  std::set<std::string> families;
  for (const Subject& subject : subjects) {
    // Ribbon filters in RocksDB's bytes are built with little memory.
    const bool is_our_ribbon = subject.is_ours && subject.family == "Ribbon";
    const std::string row = subject.family + (is_our_ribbon ? ", bloomline" : "");
    if ((subject.is_variant && !is_our_ribbon) || !families.insert(row).second) continue;
    const std::optional<Peak> peak = BuildInProcess(subject, num_keys);
    if (!peak) return "Peak memory of a builder: the system does not tell it.\n\n";
    const auto keys = static_cast<double>(num_keys);
    peaks.push_back(static_cast<double>(peak->peak_bytes));
    if (row == "Ribbon") ribbon = peaks.back();
    rows.push_back({row, NumberText(8 * static_cast<double>(peak->written_bytes) / keys, 2),
                    NumberText(static_cast<double>(peak->added_bytes) / (1 << 20), 1),
                    NumberText(peaks.back() / (1 << 20), 1), NumberText(peaks.back() / keys, 2)});
  }
  for (size_t i = 0; i < peaks.size(); ++i) rows[i + 1].push_back(Cell(peaks[i] / ribbon, 3));
  return "Peak memory of a builder: " + std::to_string(num_keys) +
         " keys, each filter in a process of its own; resident memory after\nthe last AddKey, and "
         "at its peak, without what the process had before\n\n" +
         tool::TextTable(rows) + "\n";
}

}  // namespace bloomline::bench

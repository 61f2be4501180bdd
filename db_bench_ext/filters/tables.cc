#include <vector>

#include "db_bench_ext/filters/case.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/support/report.h"

namespace bloomline::bench {
namespace {

std::string Ns(double ns) { return Cell(ns, ns < 10 ? 2 : 1); }

// How many times as fast as the peer.
std::string Times(double peer_ns, double ns) { return Cell(peer_ns / ns, 2, "x"); }

Case QueryCase(const std::string& subject, uint64_t num_keys, int hit_percent, Mode mode) {
  return {Kind::kQuery, subject, num_keys, kTableBits, hit_percent, mode};
}

std::vector<std::string> Peers(const Suite& suite) {
  std::vector<std::string> names;
  for (const Subject& subject : suite.subjects()) {
    if (!subject.is_ours) names.push_back(subject.name);
  }
  return names;
}

// A section of the table of RocksDB's interface.
struct Section {
  const char* title;
  Kind kind;
  int hit_percent;
  Mode mode;

  Case Of(const std::string& subject, uint64_t num_keys) const {
    return {kind, subject, num_keys, kTableBits, hit_percent, mode};
  }
};
constexpr Section kSections[] = {
    {"missing keys, one per call", Kind::kQuery, 0, Mode::kSingle},
    {"stored keys, one per call", Kind::kQuery, 100, Mode::kSingle},
    {"missing keys, 32 per call", Kind::kQuery, 0, Mode::kBatch},
    {"half stored, 32 per call", Kind::kQuery, 50, Mode::kBatch},
    {"half stored, the caller branches", Kind::kQuery, 50, Mode::kBranching},
    {"AddKey and Finish", Kind::kBuild, 0, Mode::kNone},
};

std::string RocksDBTable(const Suite& suite, const Results& results, uint64_t num_keys) {
  const std::vector<std::string> peers = Peers(suite);
  std::vector<Cells> rows = {{"", "ns", "FPR %", "bits/key"}};
  for (const std::string& peer : peers) rows[0].push_back("vs " + peer);
  for (const Section& section : kSections) {
    rows.push_back({section.title});
    for (const Subject& subject : suite.subjects()) {
      const double ns = results.Ns(section.Of(subject.name, num_keys));
      const Case accuracy = QueryCase(subject.name, num_keys, 0, Mode::kSingle);
      Cells row = {"  " + subject.name, Ns(ns), Cell(100 * results.Fpr(accuracy), 3),
                   Cell(results.WrittenBitsPerKey(accuracy), 2)};
      for (const std::string& peer : peers) {
        if (subject.is_ours) row.push_back(Times(results.Ns(section.Of(peer, num_keys)), ns));
      }
      rows.push_back(row);
    }
  }
  return "RocksDB's interface, " + std::to_string(num_keys) + " keys of " +
         std::to_string(kKeyBytes) + " bytes, " + std::to_string(kTableBits) +
         " bits per key: ns per key, and how many times faster than\n" + tool::TextTable(rows);
}

std::string MemoryTable(const Suite& suite, const Results& results) {
  constexpr Section kColumns[] = {{"missing", Kind::kMemoryQuery, 0, Mode::kSingle},
                                  {"stored", Kind::kMemoryQuery, 100, Mode::kSingle},
                                  {"missing, 32 per call", Kind::kMemoryQuery, 0, Mode::kBatch},
                                  {"build", Kind::kMemoryBuild, 0, Mode::kNone}};
  std::vector<Cells> rows = {{"", "FPR %", "bits/key"}};
  for (const Section& column : kColumns) rows[0].push_back(column.title);
  for (const uint64_t num_keys : suite.flags().sizes) {
    rows.push_back({std::to_string(num_keys) + " keys"});
    for (const MemorySubject& subject : MemorySubjects()) {
      const Case missing = kColumns[0].Of(subject.name, num_keys);
      rows.push_back({"  " + subject.name, Cell(100 * results.Fpr(missing), 3),
                      Cell(results.WrittenBitsPerKey(missing), 2)});
      for (const Section& column : kColumns)
        rows.back().push_back(Ns(results.Ns(column.Of(subject.name, num_keys))));
    }
  }
  return "Filters in memory, through C++ interfaces, inlined; ns per key. The peer is compiled\n"
         "with -march=native; all hash by XXH3\n" +
         tool::TextTable(rows);
}

std::string LevelDBTable(const Suite& suite, const Results& results) {
  constexpr Section kColumns[] = {{"build ns", Kind::kLevelDBBuild, 0, Mode::kNone},
                                  {"hit ns", Kind::kLevelDBQuery, 100, Mode::kSingle},
                                  {"miss ns", Kind::kLevelDBQuery, 0, Mode::kSingle}};
  std::vector<Cells> rows = {{"", "build ns", "vs Bloom", "hit ns", "vs Bloom", "miss ns",
                              "vs Bloom", "FPR %", "bits/key"}};
  std::vector<std::string> subjects;
  for (const std::string format : {"blocked ", "compact "}) {
    for (const kernels::Kernel* kernel : SupportedKernels())
      subjects.push_back(format + kernel->name);
  }
  subjects.push_back("Bloom packaged");
  for (const int keys_per_filter : kLevelDBKeysPerFilter) {
    const auto num_keys = static_cast<uint64_t>(keys_per_filter);
    rows.push_back({std::to_string(keys_per_filter) + " keys per filter"});
    for (const std::string& subject : subjects) {
      Cells row = {"  " + subject};
      Case c;
      for (const Section& column : kColumns) {
        c = column.Of(subject, num_keys);
        const Case peer = column.Of(subjects.back(), num_keys);
        row.push_back(Ns(results.Ns(c)));
        row.push_back(subject == subjects.back() ? "" : Times(results.Ns(peer), results.Ns(c)));
      }
      row.push_back(Cell(100 * results.Fpr(c), 3));
      row.push_back(Cell(results.WrittenBitsPerKey(c), 2));
      rows.push_back(row);
    }
  }
  return "LevelDB's interface, " + std::to_string(suite.flags().num_leveldb_filters) +
         " filters at " + std::to_string(kTableBits) +
         " bits per key: ns per key, and how many times faster\n" + tool::TextTable(rows);
}

}  // namespace

std::string Tables(const Suite& suite, const Results& results) {
  std::string out;
  for (const uint64_t num_keys : suite.table_sizes()) {
    out += RocksDBTable(suite, results, num_keys) + "\n";
  }
  out += MemoryTable(suite, results) + "\n";
  out += LevelDBTable(suite, results) + "\n";
  return out;
}

}  // namespace bloomline::bench

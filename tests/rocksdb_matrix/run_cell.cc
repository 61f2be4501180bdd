#include "tests/rocksdb_matrix/run_cell.h"

#include <rocksdb/perf_level.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/rocksdb_matrix/database.h"
#include "tests/rocksdb_matrix/keys.h"
#include "tests/rocksdb_matrix/phases.h"
#include "tests/rocksdb_matrix/point_reads.h"
#include "tests/rocksdb_matrix/prefixes.h"
#include "tests/rocksdb_matrix/random.h"
#include "tests/rocksdb_matrix/range_reads.h"

namespace bloomline::matrix {
namespace {

constexpr uint64_t kGetsPerSeek = 64;
constexpr uint64_t kMinSeeks = 40;

class CellRun {
 public:
  CellRun(const Cell& cell, uint64_t gets, uint64_t seed, const Policy& policy, Report* report)
      : cell_(cell),
        gets_(gets),
        report_(report),
        settings_random_(seed, cell.Name()),
        random_(settings_random_.Next()),
        settings_(&settings_random_),
        universe_(cell.keys(), settings_.num_keys, &random_),
        model_(universe_),
        old_model_(universe_),
        database_(cell, settings_, policy) {}

  void Run() {
    const auto first = FirstExtractor(cell_.prefix());
    const auto later = LaterExtractor(cell_.prefix());
    if (!Do(database_.Open(first)) || !FillLevels()) return;
    Read(Phase::kLevels, first.get(), 30, nullptr);
    Read(Phase::kLevels, first.get(), 10, snapshot_);
    if (!Do(database_.CompactAll())) return;
    Read(Phase::kCompacted, first.get(), 15, nullptr);
    Read(Phase::kCompacted, first.get(), 5, snapshot_);
    database_.db()->ReleaseSnapshot(snapshot_);
    if (!Do(database_.Open(later))) return;
    Read(Phase::kReopened, later.get(), 25, nullptr);
    if (!Write(25) || !Do(database_.Flush()) || !Write(10)) return;
    Read(Phase::kMixed, later.get(), 5, nullptr);
    if (!Do(database_.CompactAll())) return;
    Read(Phase::kRewritten, later.get(), 10, nullptr);
  }

 private:
  // Keeps the first failure.
  bool Do(const std::string& failure) {
    if (report_->failure.empty()) report_->failure = failure;
    return failure.empty();
  }

  // The oldest data lies on the bottom; the newest in two files on level 0 and in memory.
  bool FillLevels() {
    for (int level = Database::kBottomLevel; level > 0; --level) {
      if (!Write(level == Database::kBottomLevel ? 60 : 25)) return false;
      if (!Do(database_.Flush()) || !Do(database_.MoveTo(level))) return false;
      if (level == 2) {
        snapshot_ = database_.db()->GetSnapshot();
        old_model_ = model_;
      }
    }
    for (int file = 0; file < 2; ++file) {
      if (!Write(15) || !Do(database_.Flush())) return false;
    }
    return Write(3);
  }

  // Writes or deletes so many percent of the keys that may be written.
  bool Write(size_t percent) {
    rocksdb::WriteOptions options;
    for (size_t i = 0; i < universe_.keys.size(); ++i) {
      if (!universe_.is_writable[i] || !random_.Percent(percent)) continue;
      const bool deletes = random_.Percent(15);
      model_.Set(i, deletes ? 0 : ++last_version_);
      const rocksdb::Status status =
          deletes ? database_.db()->Delete(options, universe_.keys[i])
                  : database_.db()->Put(options, universe_.keys[i], ValueOf(last_version_));
      if (!status.ok()) return Do("write: " + status.ToString());
    }
    return true;
  }

  void Read(Phase phase, const rocksdb::SliceTransform* extractor, uint64_t percent,
            const rocksdb::Snapshot* snapshot) {
    const View view{database_.db(), universe_, snapshot == nullptr ? model_ : old_model_, snapshot,
                    std::string(Name(phase)) + (snapshot == nullptr ? "" : "-snapshot")};
    const uint64_t gets = gets_ * percent / 100;
    ReadPoints(view, gets, &random_, report_);
    for (const Mode mode : kAllModes) {
      // Drawn for every mode, so that all cells with a seed have the same reads.
      Random random(random_.Next());
      if (!IsAllowed(mode, extractor, universe_)) continue;
      ReadRanges(view, extractor, mode, kMinSeeks + gets / kGetsPerSeek, &random, report_);
    }
  }

  const Cell& cell_;
  const uint64_t gets_;
  Report* const report_;
  Random settings_random_;
  Random random_;
  const Settings settings_;
  const Universe universe_;
  Model model_;
  Model old_model_;
  Version last_version_ = 0;
  Database database_;
  const rocksdb::Snapshot* snapshot_ = nullptr;
};

}  // namespace

Report RunCell(const Cell& cell, uint64_t gets, uint64_t seed, const Policy& policy) {
  rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  Report report;
  CellRun(cell, gets, seed, policy, &report).Run();
  return report;
}

}  // namespace bloomline::matrix

#include "tests/migration/interrupted.h"

#include <filesystem>
#include <random>

#include "tests/injected/kill_points.h"

namespace bloomline::tests {
namespace {

struct Unit {
  const char* name;
  Engine engine;
  Mode mode;
  Filter from;
  Filter to;
};

constexpr Unit kUnits[] = {
    {"LevelDB: Bloom and compact", Engine::kLevelDB, {}, Filter::kBloom, Filter::kCompact},
    {"RocksDB: Bloom and compact; full, whole keys",
     Engine::kRocksDB,
     {},
     Filter::kBloom,
     Filter::kCompact},
    {"RocksDB: Ribbon and blocked; partitioned, prefixes and whole keys",
     Engine::kRocksDB,
     {"", true, true, true},
     Filter::kRibbon,
     Filter::kBlocked},
};

// Each writes some keys more.
constexpr uint64_t kCyclesPerDatabase = 8;

class Interruptions {
 public:
  Interruptions(const Unit& unit, const Setup& setup, uint64_t seed, Report* report)
      : unit_(unit), setup_(setup), report_(report), random_(seed) {}

  void Run() {
    for (uint64_t i = 0; i < 2 * setup_.kills; ++i) {
      if (i % kCyclesPerDatabase == 0) Create();
      // One filter writes, and the other one begins to rewrite everything.
      const bool forth = i / 2 % 2 == 0;
      const Filter writer = forth ? unit_.from : unit_.to;
      const Filter rewriter = forth ? unit_.to : unit_.from;
      InSubject([&](Subject* subject) {
        if (subject->Open(writer)) subject->Write();
      });
      writes_.push_back(writer);
      const std::string what = i % 2 == 0 ? Kill(rewriter) : FailFiles(rewriter);
      const Filter readers[] = {unit_.to, unit_.from, Filter::kNone};
      const Filter reader = readers[i / 2 % 3];
      InSubject([&](Subject* subject) {
        if (subject->Open(reader)) subject->CheckStep(what + ", then opened with");
      });
    }
  }

 private:
  void Create() {
    std::filesystem::remove_all(setup_.directory + "/database");
    writes_.clear();
    InSubject([&](Subject* subject) {
      if (subject->Open(unit_.from, true) && subject->Write()) subject->Rewrite();
    });
    writes_.push_back(unit_.from);
  }

  uint64_t Below(uint64_t n) { return random_() % n; }

  bool InSubject(const std::function<void(Subject*)>& f) {
    return report_->InProcess([&] {
      Subject subject(unit_.engine, unit_.mode, setup_, report_);
      for (const Filter writer : writes_) subject.SkipWrite(writer);
      if (!writes_.empty()) {
        subject.MayHave(unit_.from);
        subject.MayHave(unit_.to);
      }
      f(&subject);
    });
  }

  // About the number of writes to tables in a compaction of everything.
  uint64_t TableWrites() const {
    uint64_t bytes = 0;
    uint64_t tables = 0;
    for (const auto& entry : std::filesystem::directory_iterator(setup_.directory + "/database")) {
      const std::string extension = entry.path().extension();
      if (extension != ".ldb" && extension != ".sst") continue;
      bytes += entry.file_size();
      ++tables;
    }
    return unit_.engine == Engine::kLevelDB ? bytes / 65536 + 1 : bytes / (1 << 20) + tables;
  }

  std::string Kill(Filter rewriter) {
    KillPoint point;
    const uint64_t choice = Below(8);
    if (choice < 5) {
      point.operation = FileOperation::kWrite;
      point.nth = 1 + Below(TableWrites());
    } else if (choice < 7) {
      constexpr FileOperation kOperations[] = {FileOperation::kOpen, FileOperation::kSync,
                                               FileOperation::kClose, FileOperation::kUnlink};
      point.operation = kOperations[Below(4)];
      point.nth = 1 + Below(4);
    } else {
      point.kind = FileKind::kManifest;
    }
    point.time = static_cast<KillTime>(Below(kNumKillTimes));
    const bool ended = InSubject([&](Subject* subject) {
      if (!subject->Open(rewriter)) return;
      SkipSyncs();
      ArmKillPoint(point);
      subject->Rewrite();
    });
    ++(ended ? report_->totals().ended_before : report_->totals().kills);
    return std::string(ended ? "not killed at " : "killed at ") + Name(point.operation) + " " +
           std::to_string(point.nth) + " of " + Name(point.kind);
  }

  std::string FailFiles(Filter rewriter) {
    struct Choice {
      FaultyOperation operation;
      Fault fault;
    };
    // A failed write to its manifest can make a LevelDB database unreadable, with any filter
    // (docs/faults.md).
    constexpr Choice kChoices[] = {
        {FaultyOperation::kWrite, Fault::kNoSpace}, {FaultyOperation::kWrite, Fault::kIoError},
        {FaultyOperation::kOpen, Fault::kNoSpace},  {FaultyOperation::kSync, Fault::kIoError},
        {FaultyOperation::kClose, Fault::kIoError}, {FaultyOperation::kRemove, Fault::kIoError}};
    const uint64_t choice = Below(10);
    const Choice chosen = kChoices[choice < 5 ? choice % 2 : choice - 4];
    const uint64_t nth = 1 + Below(chosen.operation == FaultyOperation::kWrite ? TableWrites() : 4);
    const bool lasting = Below(2) == 1;
    InSubject([&](Subject* subject) {
      FaultPoints points;
      subject->options().faults = &points;
      if (!subject->Open(rewriter)) return;
      points.Arm(chosen.operation, chosen.fault, nth, lasting);
      std::string error;
      subject->database()->Rewrite(&error);
      const Checked checked = Check(subject->database(), subject->model(), subject->options().mode);
      if (points.injected() != 0) ++report_->totals().faults;
      report_->totals().gets_under_faults += checked.keys;
      report_->totals().errors_under_faults += checked.errors;
      if (checked.wrong != checked.errors) {
        report_->Fail("under a fault: " + checked.first_wrong);
      }
      points.Disarm();
      subject->Close();
    });
    return std::string(Name(chosen.fault)) + " at " + Name(chosen.operation) + " " +
           std::to_string(nth) + (lasting ? " and after" : "");
  }

  const Unit& unit_;
  const Setup& setup_;
  Report* const report_;
  std::mt19937_64 random_;
  std::vector<Filter> writes_;
};

}  // namespace

void InterruptCompactions(const Setup& setup, Report* report) {
  uint64_t seed = setup.seed * std::size(kUnits);
  for (const Unit& unit : kUnits) {
    report->Heading(std::string("Interrupted: ") + unit.name);
    Interruptions(unit, setup, seed++, report).Run();
    std::filesystem::remove_all(setup.directory + "/database");
  }
  const Totals& totals = report->totals();
  if (totals.kills == 0) report->Fail("no compaction was killed");
  if (totals.faults == 0) report->Fail("no fault was injected");
}

}  // namespace bloomline::tests

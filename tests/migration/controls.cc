#include "tests/migration/controls.h"

#include <cstdlib>
#include <filesystem>

namespace bloomline::tests {
namespace {

constexpr uint64_t kKeys = 4000;

class Controls {
 public:
  Controls(Engine engine, const Setup& setup, Report* report)
      : path_(setup.directory + "/database"), report_(report) {
    options_.engine = engine;
    options_.num_keys = kKeys;
  }

  void Run() {
    // Phase 2 overwrites i % 20 == 2 and deletes i % 100 == 52. The keys are among the first:
    // LevelDB compacts after 100 Gets that could have read two tables.
    Plant({Model::Key(7), Kind::kBloom}, "not found");
    Plant({Model::Key(kKeys + 7), Kind::kOurs}, "not found");
    Plant({Model::Key(22), Kind::kOurs}, "written in phase 1' instead of");
    Plant({Model::Key(52), Kind::kOurs}, "deleted, but found");
    Plant({"", Kind::kOurs}, "");

    const Checked checked = CheckNew(Filter::kCompact, {});
    Expect(Judge(checked, Filter::kCompact), true, "both are used");
    Expect(Judge(checked, Filter::kBloom), false, "filters that should not be used");
    Expect(Judge(checked, Filter::kNone), false, "filters where none are expected");
    const Checked without = CheckNew(Filter::kNone, {});
    Expect(JudgeFilters(without, options_.engine, Filter::kCompact, kWriters), false,
           "filters that should be used");
    Expect(Judge(without, Filter::kNone), true, "no policy");
  }

 private:
  inline static const std::set<Filter> kWriters = {Filter::kBloom, Filter::kCompact};

  std::string Judge(const Checked& checked, Filter reader) const {
    return JudgeFilters(checked, options_.engine, reader, kWriters,
                        options_.engine == Engine::kRocksDB);
  }

  std::unique_ptr<Database> Open(Filter filter) {
    options_.filter = filter;
    std::string error;
    std::unique_ptr<Database> database = OpenDatabase(options_, path_, &error);
    if (database == nullptr) {
      report_->Fail("open: " + error);
      std::exit(1);
    }
    return database;
  }

  // A database with two kinds of filters.
  Checked CheckNew(Filter filter, const Denial& denial) {
    std::filesystem::remove_all(path_);
    Model model(kKeys);
    for (const Filter writer : kWriters) {
      options_.create = writer == Filter::kBloom;
      options_.denial = Denial();
      const std::unique_ptr<Database> database = Open(writer);
      std::string error;
      if (!model.WriteNext([&](const auto& batch) { return database->Write(batch, &error); }) ||
          !database->Flush(&error)) {
        report_->Fail("write: " + error);
      }
    }
    options_.denial = denial;
    return Check(Open(filter).get(), model, options_.mode);
  }

  // Exactly one wrong answer, `what`; none if it is empty.
  void Plant(const Denial& denial, const std::string& what) {
    const Checked checked = CheckNew(Filter::kCompact, denial);
    const bool is_found = checked.wrong == (what.empty() ? 0 : 1) &&
                          checked.first_wrong.find(what) != std::string::npos;
    Expect(is_found ? "" : std::to_string(checked.wrong) + " wrong, " + checked.first_wrong, true,
           "planted '" + what + "'");
  }

  // `problem` is what a check found.
  void Expect(const std::string& problem, bool none, const std::string& what) {
    ++report_->totals().controls;
    if (problem.empty() != none) report_->Fail("control " + what + ": '" + problem + "'");
  }

  const std::string path_;
  Report* const report_;
  DatabaseOptions options_;
};

}  // namespace

void CheckControls(const Setup& setup, Report* report) {
  for (const Engine engine : {Engine::kLevelDB, Engine::kRocksDB}) {
    report->Heading(engine == Engine::kLevelDB ? "Controls: LevelDB" : "Controls: RocksDB");
    report->InProcess([&] { Controls(engine, setup, report).Run(); });
    std::filesystem::remove_all(setup.directory + "/database");
  }
}

}  // namespace bloomline::tests

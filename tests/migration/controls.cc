#include "tests/migration/controls.h"

#include <filesystem>

namespace bloomline::tests {
namespace {

constexpr uint64_t kKeys = 4000;

class Controls {
 public:
  Controls(Engine engine, const Setup& setup, Report* report)
      : path_(setup.directory + "/database"), report_(report), model_(kKeys) {
    options_.engine = engine;
    options_.num_keys = kKeys;
  }

  void Run() {
    Write(Filter::kBloom, true);
    Write(Filter::kCompact, false);
    // Phase 2 overwrites i % 20 == 2 and deletes i % 100 == 52.
    Plant({Model::Key(777), Kind::kBloom}, "not found");
    Plant({Model::Key(kKeys + 7), Kind::kOurs}, "not found");
    Plant({Model::Key(502), Kind::kOurs}, "written in phase 1' instead of");
    Plant({Model::Key(452), Kind::kOurs}, "deleted, but found");
    Plant({"", Kind::kOurs}, "");
    const Checked checked = CheckWith(Filter::kCompact, {});
    const std::set<Filter> bloom = {Filter::kBloom};
    const std::set<Filter> both = {Filter::kBloom, Filter::kCompact};
    Expect(JudgeFilters(checked, options_.engine, Filter::kCompact, both).empty(), "both are used");
    Expect(!JudgeFilters(checked, options_.engine, Filter::kBloom, both).empty(),
           "filters that should not be used");
    Expect(!JudgeFilters(checked, options_.engine, Filter::kNone, both).empty(),
           "filters where none are expected");
    const Checked without = CheckWith(Filter::kNone, {});
    Expect(!JudgeFilters(without, options_.engine, Filter::kCompact, both).empty(),
           "filters that should be used");
    Expect(JudgeFilters(without, options_.engine, Filter::kNone, both).empty(), "no policy");
  }

 private:
  void Write(Filter filter, bool create) {
    options_.filter = filter;
    options_.create = create;
    std::string error;
    const std::unique_ptr<Database> database = OpenDatabase(options_, path_, &error);
    const bool is_ok = database != nullptr && model_.WriteNext([&](const auto& batch) {
      return database->Write(batch, &error);
    }) && database->Flush(&error);
    if (!is_ok) report_->Fail("write: " + error);
  }

  Checked CheckWith(Filter filter, const Denial& denial) {
    options_.filter = filter;
    options_.denial = denial;
    std::string error;
    const std::unique_ptr<Database> database = OpenDatabase(options_, path_, &error);
    if (database == nullptr) {
      report_->Fail("open: " + error);
      return Checked();
    }
    return Check(database.get(), model_, options_.mode);
  }

  // Exactly one wrong answer, `what`; none if it is empty.
  void Plant(const Denial& denial, const std::string& what) {
    const Checked checked = CheckWith(Filter::kCompact, denial);
    const uint64_t expected = what.empty() ? 0 : 1;
    Expect(checked.wrong == expected && checked.first_wrong.find(what) != std::string::npos,
           "planted: '" + what + "', found " + std::to_string(checked.wrong) + ", " +
               checked.first_wrong);
  }

  void Expect(bool is_true, const std::string& what) {
    ++report_->totals().controls;
    if (!is_true) report_->Fail(what);
  }

  const std::string path_;
  Report* const report_;
  Model model_;
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

#include "tests/migration/directions.h"

#include <filesystem>
#include <set>

namespace bloomline::tests {
namespace {

constexpr Mode kModes[] = {{"full, whole keys", false, false, true},
                           {"partitioned, whole keys", true, false, true},
                           {"full, prefixes and whole keys", false, true, true},
                           {"partitioned, prefixes and whole keys", true, true, true},
                           {"full, prefixes", false, true, false},
                           {"partitioned, prefixes", true, true, false}};

class Migration {
 public:
  Migration(const Direction& direction, const Setup& setup, Report* report)
      : direction_(direction),
        path_(setup.directory + "/database"),
        report_(report),
        model_(setup.num_keys) {
    options_.engine = direction.engine;
    options_.mode = direction.mode;
    options_.num_keys = setup.num_keys;
  }

  bool Open(Filter filter, bool create = false) {
    database_.reset();
    options_.filter = filter;
    options_.create = create;
    std::string error;
    database_ = OpenDatabase(options_, path_, &error);
    if (database_ == nullptr)
      report_->Fail(std::string("open with ") + Name(filter) + ": " + error);
    return database_ != nullptr;
  }

  bool Write() {
    std::string error;
    const bool is_ok = model_.WriteNext([&](const std::vector<Change>& batch) {
      return database_->Write(batch, &error);
    }) && database_->Flush(&error);
    if (!is_ok) report_->Fail("write: " + error);
    writers_.insert(options_.filter);
    return is_ok;
  }

  bool Rewrite() {
    std::string error;
    const bool is_ok = database_->Rewrite(&error);
    if (!is_ok) report_->Fail("rewrite: " + error);
    writers_ = {options_.filter};
    return is_ok;
  }

  void CheckStep(const std::string& what) {
    const Checked checked = Check(database_.get(), model_, direction_.mode);
    std::string problem =
        JudgeFilters(checked, direction_.engine, options_.filter, writers_,
                     direction_.engine == Engine::kRocksDB || only_adds_ || writers_.size() == 1);
    const size_t kinds = checked.tables.size();
    if (problem.empty() && writers_.size() == 1 && kinds != 1) problem = "tables of several kinds";
    report_->Step(what + " " + Name(options_.filter), checked, problem, stopwatch_.Lap());
  }

  void TwoFilters() {
    const Filter from = direction_.filters[0];
    const Filter to = direction_.filters[1];
    if (!Open(from, true) || !Write() || !Rewrite()) return;
    CheckStep("written with");
    if (!Open(to)) return;
    CheckStep("opened with");
    if (!Write()) return;
    CheckStep("some written with");
    if (!Open(from)) return;
    CheckStep("mixed, opened with");
    if (!Open(to) || !Rewrite()) return;
    CheckStep("rewritten with");
    if (!Open(from)) return;
    CheckStep("back: opened with");
    if (!Write()) return;
    CheckStep("back: some written with");
    if (!Rewrite()) return;
    CheckStep("back: rewritten with");
  }

  void ManyFilters() {
    if (direction_.engine == Engine::kLevelDB) {
      only_adds_ = true;
      model_.OnlyAdd();
    }
    for (size_t i = 0; i < direction_.filters.size(); ++i) {
      if (!Open(direction_.filters[i], i == 0) || !Write()) return;
    }
    for (const Filter reader : direction_.filters) {
      if (!Open(reader)) return;
      CheckStep("mixed, opened with");
    }
    if (!Rewrite()) return;
    CheckStep("rewritten with");
  }

 private:
  const Direction& direction_;
  const std::string path_;
  Report* const report_;
  Model model_;
  DatabaseOptions options_;
  std::unique_ptr<Database> database_;
  std::set<Filter> writers_;  // of the tables
  bool only_adds_ = false;
  Stopwatch stopwatch_;
};

}  // namespace

std::string Describe(const Direction& direction) {
  std::string text = direction.engine == Engine::kLevelDB ? "LevelDB: " : "RocksDB: ";
  for (size_t i = 0; i < direction.filters.size(); ++i) {
    text += std::string(i == 0 ? "" : " -> ") + Name(direction.filters[i]);
  }
  if (direction.engine == Engine::kRocksDB) text += std::string("; ") + direction.mode.name;
  return text;
}

std::vector<Direction> RocksDBDirections(bool every_mode) {
  std::vector<Direction> directions;
  size_t next_mode = 0;
  for (const Filter to : {Filter::kBlocked, Filter::kCompact}) {
    for (const Filter from : {Filter::kBloom, Filter::kRibbon, Filter::kLegacy, Filter::kNone}) {
      for (const Mode& mode : kModes) {
        if (!every_mode && &mode != &kModes[next_mode % std::size(kModes)]) continue;
        directions.push_back({Engine::kRocksDB, mode, {from, to}});
      }
      ++next_mode;
    }
  }
  for (const Mode& mode : {kModes[0], kModes[3]}) {
    directions.push_back({Engine::kRocksDB, mode, {Filter::kBlocked, Filter::kCompact}});
    directions.push_back({Engine::kRocksDB,
                          mode,
                          {Filter::kNone, Filter::kLegacy, Filter::kBloom, Filter::kBlocked,
                           Filter::kRibbon, Filter::kCompact}});
  }
  return directions;
}

std::vector<Direction> LevelDBDirections() {
  std::vector<Direction> directions;
  const auto add = [&](const std::vector<Filter>& filters) {
    directions.push_back({Engine::kLevelDB, Mode(), filters});
  };
  for (const Filter to : {Filter::kClassic, Filter::kBlocked, Filter::kCompact}) {
    add({Filter::kBloom, to});
  }
  for (const Filter from : {Filter::kNamedClassic, Filter::kNamedBlocked, Filter::kNamedCompact}) {
    add({from, Filter::kBloom});
  }
  add({Filter::kNamedBlocked, Filter::kBlocked});
  add({Filter::kNamedCompact, Filter::kCompact});
  add({Filter::kNone, Filter::kCompact});
  add({Filter::kNone, Filter::kBloom, Filter::kClassic, Filter::kNamedBlocked, Filter::kBlocked,
       Filter::kCompact});
  return directions;
}

void Migrate(const Direction& direction, const Setup& setup, Report* report) {
  report->Heading(Describe(direction));
  report->InProcess([&] {
    Migration migration(direction, setup, report);
    direction.filters.size() == 2 ? migration.TwoFilters() : migration.ManyFilters();
  });
  std::filesystem::remove_all(setup.directory + "/database");
}

}  // namespace bloomline::tests

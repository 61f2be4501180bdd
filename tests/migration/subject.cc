#include "tests/migration/subject.h"

namespace bloomline::tests {

Subject::Subject(Engine engine, const Mode& mode, const Setup& setup, Report* report)
    : path_(setup.directory + "/database"), report_(report), model_(setup.num_keys) {
  options_.engine = engine;
  options_.mode = mode;
  options_.num_keys = setup.num_keys;
}

void Subject::OnlyAdd() {
  only_adds_ = true;
  model_.OnlyAdd();
}

bool Subject::IsOk(bool is_ok, const std::string& what, const std::string& error) {
  if (!is_ok) report_->Fail(what + " with " + Name(options_.filter) + ": " + error);
  return is_ok;
}

bool Subject::Open(Filter filter, bool create) {
  database_.reset();
  options_.filter = filter;
  options_.create = create;
  std::string error;
  database_ = OpenDatabase(options_, path_, &error);
  counts_ = true;
  return IsOk(database_ != nullptr, "open", error);
}

bool Subject::Take(std::unique_ptr<Database> database, Filter filter, const std::string& error) {
  database_ = std::move(database);
  options_.filter = filter;
  counts_ = false;
  return IsOk(database_ != nullptr, "open", error);
}

bool Subject::Write() {
  std::string error;
  writers_.insert(options_.filter);
  return IsOk(model_.WriteNext([&](const std::vector<Change>& batch) {
    return database_->Write(batch, &error);
  }) && database_->Flush(&error),
              "write", error);
}

bool Subject::Rewrite() {
  std::string error;
  writers_ = {options_.filter};
  uncertain_ = false;
  return IsOk(database_->Rewrite(&error), "rewrite", error);
}

bool Subject::Compact() {
  std::string error;
  return IsOk(database_->Compact(&error), "compact", error);
}

void Subject::SkipWrite(Filter writer) {
  model_.SkipNext();
  writers_.insert(writer);
}

void Subject::MayHave(Filter writer) {
  writers_.insert(writer);
  uncertain_ = true;
}

void Subject::CheckStep(const std::string& what) {
  const Checked checked = Check(database_.get(), model_, options_.mode);
  const bool all_are_there =
      !uncertain_ && (options_.engine == Engine::kRocksDB || only_adds_ || writers_.size() == 1);
  std::string problem =
      JudgeFilters(checked, options_.engine, options_.filter, writers_, all_are_there && counts_);
  if (problem.empty() && writers_.size() == 1 && checked.tables.size() != 1) {
    problem = "tables of several kinds";
  }
  report_->Step(what + " " + Name(options_.filter), checked, problem, stopwatch_.Lap());
}

}  // namespace bloomline::tests

// One database that migrates: opened with a filter, written, rewritten, checked.
#ifndef BLOOMLINE_TESTS_MIGRATION_SUBJECT_H_
#define BLOOMLINE_TESTS_MIGRATION_SUBJECT_H_

#include <memory>
#include <set>
#include <string>

#include "tests/migration/report.h"

namespace bloomline::tests {

struct Setup {
  uint64_t num_keys = 0;
  uint64_t seed = 1;
  uint64_t kills = 0;
  bool every_mode = false;  // otherwise each pair of filters has one
  std::string directory;
};

// Functions that return a bool report a failure and return false.
class Subject {
 public:
  Subject(Engine engine, const Mode& mode, const Setup& setup, Report* report);

  void UsePath(const std::string& path) { path_ = path; }
  // LevelDB's Model::OnlyAdd.
  void OnlyAdd();
  bool Open(Filter filter, bool create = false);
  void Close() { database_.reset(); }
  // Writes the model's next phase.
  bool Write();
  bool Rewrite();
  bool Compact();
  // `what` and the filter are the name of the step.
  void CheckStep(const std::string& what);

  // Another process did it.
  void SkipWrite(Filter writer);
  void SkipRewrite(Filter writer) { writers_ = {writer}; }
  void SetWriters(const std::set<Filter>& writers) { writers_ = writers; }
  // Some tables of this filter may be there, or none.
  void MayHave(Filter writer);

  // For a database that was opened in another way, as with `filter`. It does not count the answers
  // of its filters unless OpenDatabase made it.
  bool Take(std::unique_ptr<Database> database, Filter filter, const std::string& error);

  const std::string& path() const { return path_; }
  Model& model() { return model_; }
  DatabaseOptions& options() { return options_; }
  Database* database() { return database_.get(); }

 private:
  bool IsOk(bool is_ok, const std::string& what, const std::string& error);

  std::string path_;
  Report* const report_;
  Model model_;
  DatabaseOptions options_;
  std::unique_ptr<Database> database_;
  std::set<Filter> writers_;  // of the tables
  bool only_adds_ = false;
  bool uncertain_ = false;
  bool counts_ = true;
  Stopwatch stopwatch_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_SUBJECT_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>

#include "bloomline/rocksdb.h"
#include "tests/migration/other.h"
#include "tests/migration/rocksdb_database.h"
#include "tests/migration/rocksdb_policy.h"

namespace bloomline::tests {
namespace {

class OptionsFiles {
 public:
  OptionsFiles(const Setup& setup, Report* report) : setup_(setup), report_(report) {}

  void Run() {
    // Processes without a policy of bloomline: making one registers its name.
    InSubject([&](Subject* subject) { Create(subject); });
    wrote_ = Filter::kCompact;
    InSubject([&](Subject* subject) {
      RegisterBloomline();
      LoadAndCheck(subject, "bloomline", Filter::kCompact, "OPTIONS, bloomline registered:");
    });
    InSubject([&](Subject*) {
      RegisterBloomline();
      rocksdb::Options options;
      const rocksdb::Status status = Load(Strict(), &options);
      if (!status.ok()) return report_->Fail("registered, strict: " + status.ToString());
      const auto& policy = TableOptions(&options)->filter_policy;
      std::string format;
      if (policy == nullptr || !policy->GetOption(Strict(), "format", &format).ok() ||
          format != "compact") {
        report_->Fail("registered, strict: another policy");
      }
    });
    InSubject([&](Subject*) {
      rocksdb::Options options;
      const rocksdb::Status status = Load(Strict(), &options);
      report_->Line("  OPTIONS, not registered, strict: " + status.ToString());
      if (status.ok()) report_->Fail("not registered, strict: OK");
    });
    InSubject([&](Subject* subject) {
      LoadAndCheck(subject, "", Filter::kNone, "OPTIONS, not registered:");
    });
    // The program that did not know bloomline has written an OPTIONS file of its own.
    InSubject([&](Subject* subject) {
      RegisterBloomline();
      LoadAndCheck(subject, "", Filter::kNone, "after that, registered:");
    });
    InSubject([&](Subject* subject) {
      rocksdb::Options options;
      if (!Load(rocksdb::ConfigOptions(), &options).ok()) return report_->Fail("cannot load");
      TableOptions(&options)->filter_policy = NewPlainRocksDBPolicy(Filter::kCompact);
      std::string error;
      if (!subject->Take(OpenRocksDBWith(options, Mode(), subject->path(), &error),
                         Filter::kCompact, error) ||
          !subject->Rewrite()) {
        return;
      }
      subject->CheckStep("policy set again, rewritten:");
    });
  }

 private:
  void InSubject(const std::function<void(Subject*)>& f) {
    report_->InProcess([&] {
      Subject subject(Engine::kRocksDB, Mode(), setup_, report_);
      if (wrote_ != Filter::kNone) subject.SkipWrite(wrote_);
      f(&subject);
    });
  }

  // Returns errors that the default drops.
  static rocksdb::ConfigOptions Strict() {
    rocksdb::ConfigOptions strict;
    strict.ignore_unsupported_options = false;
    strict.input_strings_escaped = false;
    return strict;
  }

  std::string path() const { return setup_.directory + "/database"; }

  static rocksdb::BlockBasedTableOptions* TableOptions(rocksdb::Options* options) {
    return options->table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  }

  rocksdb::Status Load(const rocksdb::ConfigOptions& config, rocksdb::Options* options) {
    rocksdb::DBOptions db_options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    const rocksdb::Status status =
        rocksdb::LoadLatestOptions(config, path(), &db_options, &families);
    if (status.ok()) *options = rocksdb::Options(db_options, families[0].options);
    return status;
  }

  // The policy that a program would use: the file names it.
  void Create(Subject* subject) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewPlainRocksDBPolicy(Filter::kCompact);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.disable_auto_compactions = true;
    std::string error;
    if (subject->Take(OpenRocksDBWith(options, Mode(), path(), &error), Filter::kCompact, error) &&
        subject->Write()) {
      subject->Rewrite();
    }
  }

  // `policy`: the name, or empty for none.
  void LoadAndCheck(Subject* subject, const std::string& policy, Filter filter,
                    const std::string& what) {
    rocksdb::Options options;
    const rocksdb::Status status = Load(rocksdb::ConfigOptions(), &options);
    if (!status.ok()) return report_->Fail(what + " " + status.ToString());
    const auto& loaded = TableOptions(&options)->filter_policy;
    const std::string name = loaded == nullptr ? "" : loaded->Name();
    if (name != policy) report_->Fail(what + " the policy is '" + name + "'");
    std::string error;
    if (subject->Take(OpenRocksDBWith(options, Mode(), path(), &error), filter, error)) {
      subject->CheckStep(what);
    }
  }

  const Setup& setup_;
  Report* const report_;
  Filter wrote_ = Filter::kNone;
};

}  // namespace

void LoadOptionsFiles(const Setup& setup, Report* report) {
  report->Heading("RocksDB: OPTIONS files");
  OptionsFiles(setup, report).Run();
  std::filesystem::remove_all(setup.directory + "/database");
}

}  // namespace bloomline::tests

#include <rocksdb/version.h>

#include <filesystem>

#include "tests/migration/other.h"

namespace bloomline::tests {
namespace {

// RocksDB 11 does not read the tables of LevelDB and of RocksDB before 3.9 (format_version < 2).
constexpr bool kReadsLevelDB = ROCKSDB_MAJOR < 11;

// Errors, and no other wrong answer.
void ExpectRefusal(Subject* subject, Report* report) {
  std::string error;
  const std::unique_ptr<Database> database =
      OpenDatabase(subject->options(), subject->path(), &error);
  if (database == nullptr) return report->Line("  refused: " + error.substr(0, 100));
  const Checked checked = Check(database.get(), subject->model(), subject->options().mode);
  if (checked.errors == 0 || checked.wrong != checked.errors) {
    report->Fail("opened, " + std::to_string(checked.errors) +
                 " errors, other: " + checked.first_wrong);
  }
}

void OpenByRocksDB(Filter writer, const Setup& setup, Report* report) {
  const auto in_subject = [&](const std::function<void(Subject*)>& f) {
    return report->InProcess([&] {
      Subject subject(Engine::kLevelDB, Mode(), setup, report);
      f(&subject);
    });
  };
  const auto as_rocksdb = [&](Filter reader, bool read_only, Subject* subject) {
    subject->SkipWrite(Filter::kNone);
    subject->SkipWrite(Filter::kNone);
    // Of LevelDB's filters, RocksDB uses none.
    subject->SkipRewrite(Filter::kBlockBased);
    subject->options().engine = Engine::kRocksDB;
    subject->options().filter = reader;
    subject->options().read_only = read_only;
  };
  in_subject([&](Subject* subject) {
    if (subject->Open(writer, true) && subject->Write() && subject->Write()) subject->Rewrite();
  });
  for (const Filter reader : {Filter::kBloom, Filter::kCompact, Filter::kNone}) {
    in_subject([&](Subject* subject) {
      as_rocksdb(reader, true, subject);
      if (!kReadsLevelDB) return ExpectRefusal(subject, report);
      if (subject->Open(reader)) subject->CheckStep("opened by RocksDB, read-only, with");
    });
  }
  // RocksDB's own assertions do not hold for tables of LevelDB, whatever the policy: a RocksDB that
  // has them ends the process (VersionEdit::AddFile, smallest_seqno <= largest_seqno). The database
  // is as it was.
  bool aborted = false;
  report->InProcess(
      [&] {
        Subject subject(Engine::kLevelDB, Mode(), setup, report);
        as_rocksdb(Filter::kCompact, false, &subject);
        if (!kReadsLevelDB) return ExpectRefusal(&subject, report);
        if (!subject.Open(Filter::kCompact)) return;
        subject.CheckStep("opened by RocksDB with");
        if (subject.Write() && subject.Rewrite()) subject.CheckStep("rewritten with");
      },
      &aborted);
  if (!aborted && kReadsLevelDB) return;
  if (aborted) report->Line("  opened by RocksDB: its assertions ended the process");
  in_subject([&](Subject* subject) {
    subject->SkipWrite(writer);
    subject->SkipWrite(writer);
    subject->SkipRewrite(writer);
    if (subject->Open(writer)) subject->CheckStep("opened by LevelDB again with");
  });
}

}  // namespace

void OpenLevelDBWithRocksDB(const Setup& setup, Report* report) {
  for (const Filter writer : {Filter::kBlockBased, Filter::kBloom, Filter::kClassic,
                              Filter::kBlocked, Filter::kCompact}) {
    report->Heading(std::string("Opened by RocksDB: LevelDB, ") + Name(writer));
    OpenByRocksDB(writer, setup, report);
    std::filesystem::remove_all(setup.directory + "/database");
  }
}

}  // namespace bloomline::tests

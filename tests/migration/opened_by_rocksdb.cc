#include <rocksdb/version.h>

#include <filesystem>

#include "tests/migration/old_manifest.h"
#include "tests/migration/other.h"

namespace bloomline::tests {
namespace {

// RocksDB 11 does not read the tables of LevelDB and of RocksDB before 3.9 (format_version < 2).
constexpr bool kReadsLevelDB = ROCKSDB_MAJOR < 11;

// A compaction of RocksDB 8.6 and later reads the properties of its input files
// (CompactionJob::UpdateCompactionStats). Those tables have none, and the process crashes, whatever
// the policy.
constexpr bool kCompactsLevelDB = 100 * ROCKSDB_MAJOR + ROCKSDB_MINOR < 806;

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

// The MANIFEST is rewritten, so that RocksDB opens the database to write.
void MoveToRocksDB(Filter writer, Filter to, const Setup& setup, Report* report) {
  report->InProcess([&] {
    Subject subject(Engine::kLevelDB, Mode(), setup, report);
    // Opened once more, it has a MANIFEST without history, and an empty log.
    if (!subject.Open(writer, true) || !subject.Write() || !subject.Write() || !subject.Rewrite() ||
        !subject.Open(writer)) {
      return;
    }
    subject.Close();
    if (!WriteRocksDBManifest(subject.path())) return report->Fail("the MANIFEST is another");
    subject.options().engine = Engine::kRocksDB;
    subject.SkipRewrite(Filter::kBlockBased);
    if (!subject.Open(to)) return;
    subject.CheckStep("opened by RocksDB with");
    if (!subject.Write()) return;
    subject.CheckStep("some written with");
    if (!subject.Open(Filter::kBloom)) return;
    subject.CheckStep("mixed, opened with");
    if (!kCompactsLevelDB || !subject.Open(to) || !subject.Rewrite()) return;
    subject.CheckStep("rewritten with");
    if (!subject.Open(Filter::kBloom) || !subject.Rewrite()) return;
    subject.CheckStep("back: rewritten with");
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
  if (!kReadsLevelDB) return;
  for (const Filter writer : {Filter::kBlockBased, Filter::kBloom, Filter::kCompact}) {
    for (const Filter to : {Filter::kBlocked, Filter::kCompact}) {
      report->Heading((writer == Filter::kBlockBased
                           ? std::string("RocksDB: block-based filters of versions before 7.0")
                           : std::string("RocksDB: LevelDB's tables, ") + Name(writer)) +
                      " -> " + Name(to));
      MoveToRocksDB(writer, to, setup, report);
      std::filesystem::remove_all(setup.directory + "/database");
    }
  }
}

}  // namespace bloomline::tests

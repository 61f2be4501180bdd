#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/options.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/migration/leveldb_policy.h"
#include "tests/migration/other.h"

namespace bloomline::tests {
namespace {

namespace fs = std::filesystem;

enum class Damage { kManifestMissing, kManifestDamaged, kCurrentMissing };

const char* Name(Damage damage) {
  constexpr const char* kNames[] = {"no MANIFEST", "damaged MANIFEST", "no CURRENT"};
  return kNames[static_cast<int>(damage)];
}

// A byte of the MANIFEST's first record.
void ChangeByte(const fs::path& path) {
  constexpr std::streamoff kAt = 12;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(kAt);
  const int byte = file.get();
  file.seekp(kAt);
  file.put(static_cast<char>(byte ^ 0x55));
}

void Harm(const std::string& database, Damage damage) {
  std::vector<fs::path> manifests;
  for (const auto& entry : fs::directory_iterator(database)) {
    if (entry.path().filename().string().rfind("MANIFEST", 0) == 0) {
      manifests.push_back(entry.path());
    }
  }
  for (const fs::path& path : manifests) {
    if (damage == Damage::kManifestMissing) fs::remove(path);
    if (damage == Damage::kManifestDamaged) ChangeByte(path);
  }
  if (damage == Damage::kCurrentMissing) fs::remove(database + "/CURRENT");
}

leveldb::Status Repair(const std::string& database, Filter filter) {
  const CountingLevelDBPolicy policy(filter);
  leveldb::Options options;
  options.filter_policy = filter == Filter::kNone ? nullptr : &policy;
  options.compression = leveldb::kNoCompression;
  return leveldb::RepairDB(database, options);
}

// Tables of two filters and a log, none of whose keys are in another.
void RepairOnce(Damage damage, Filter repairer, Filter reader, Subject* subject, Report* report) {
  subject->OnlyAdd();
  if (!subject->Open(Filter::kBloom, true) || !subject->Write() ||
      !subject->Open(Filter::kCompact) || !subject->Write()) {
    return;
  }
  std::string error;
  const bool is_ok = subject->model().WriteNext(
      [&](const std::vector<Change>& batch) { return subject->database()->Write(batch, &error); });
  if (!is_ok) return report->Fail("write: " + error);
  subject->Close();
  Harm(subject->path(), damage);
  DatabaseOptions options = subject->options();
  options.create = false;
  if (OpenDatabase(options, subject->path(), &error) != nullptr) {
    return report->Fail("opened in spite of the damage");
  }
  const leveldb::Status status = Repair(subject->path(), repairer);
  if (!status.ok()) return report->Fail("RepairDB: " + status.ToString());
  subject->MayHave(repairer);
  subject->MayHave(reader);
  if (!subject->Open(reader)) return;
  subject->CheckStep(std::string(Name(damage)) + ", repaired with " + tests::Name(repairer) +
                     ", opened with");
  if (subject->Rewrite()) subject->CheckStep("rewritten with");
}

}  // namespace

void RepairLevelDB(const Setup& setup, Report* report) {
  constexpr Filter kFilters[] = {Filter::kBloom, Filter::kCompact, Filter::kNone};
  for (const Damage damage :
       {Damage::kManifestMissing, Damage::kManifestDamaged, Damage::kCurrentMissing}) {
    for (const Filter repairer : kFilters) {
      const auto turn = static_cast<size_t>(&repairer - kFilters) + static_cast<size_t>(damage);
      const Filter reader = turn % 2 == 0 ? Filter::kCompact : Filter::kBloom;
      report->Heading(std::string("LevelDB: RepairDB, ") + Name(damage));
      report->InProcess([&] {
        Subject subject(Engine::kLevelDB, Mode(), setup, report);
        RepairOnce(damage, repairer, reader, &subject, report);
      });
      fs::remove_all(setup.directory + "/database");
    }
  }
}

}  // namespace bloomline::tests

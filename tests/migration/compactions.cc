#include <filesystem>

#include "tests/migration/other.h"

namespace bloomline::tests {
namespace {

void CompactTwice(Subject* subject, Report* report) {
  if (!subject->Open(Filter::kBloom, true) || !subject->Write() || !subject->Rewrite() ||
      !subject->Open(Filter::kCompact)) {
    return;
  }
  const auto before = subject->database()->Tables();
  if (!subject->Compact()) return;
  if (subject->database()->Tables() != before) {
    report->Fail("a compaction with default options has written tables");
  }
  subject->CheckStep("compacted by default with");
  if (!subject->Rewrite()) return;
  subject->CheckStep("rewritten with");
}

}  // namespace

void CompactByDefault(const Setup& setup, Report* report) {
  for (const Engine engine : {Engine::kLevelDB, Engine::kRocksDB}) {
    report->Heading(engine == Engine::kLevelDB ? "LevelDB: CompactRange(nullptr, nullptr)"
                                               : "RocksDB: CompactRange with default options");
    report->InProcess([&] {
      Subject subject(engine, Mode(), setup, report);
      CompactTwice(&subject, report);
    });
    std::filesystem::remove_all(setup.directory + "/database");
  }
}

}  // namespace bloomline::tests

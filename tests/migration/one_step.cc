#include "tests/migration/one_step.h"

#include <rocksdb/version.h>

namespace bloomline::tests {

bool FilterOf(const std::string& name, Filter* filter) {
  for (const Filter known : {Filter::kNone, Filter::kBloom, Filter::kRibbon, Filter::kLegacy,
                             Filter::kBlocked, Filter::kCompact}) {
    if (name != Name(known)) continue;
    *filter = known;
    return true;
  }
  return false;
}

void RunOneStep(const OneStep& step, const Setup& setup, Report* report) {
  Subject subject(Engine::kRocksDB, step.mode, setup, report);
  subject.UsePath(step.path);
  for (uint64_t i = 0; i < step.phases; ++i) subject.SkipWrite(step.filter);
  subject.SetWriters(step.writers);
  if (!subject.Open(step.filter, step.phases == 0)) return;
  if (step.action == "write" && !subject.Write()) return;
  if (step.action == "rewrite" && !subject.Rewrite()) return;
  subject.CheckStep("RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." +
                    std::to_string(ROCKSDB_MINOR) + ": " + step.action + " with");
}

}  // namespace bloomline::tests

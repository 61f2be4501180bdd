#include "tests/migration/directions.h"

#include <filesystem>

namespace bloomline::tests {
namespace {

// An operator's steps: the new filters, and back.
void TwoFilters(Filter from, Filter to, Subject* subject) {
  if (!subject->Open(from, true) || !subject->Write() || !subject->Rewrite()) return;
  subject->CheckStep("written with");
  if (!subject->Open(to)) return;
  subject->CheckStep("opened with");
  if (!subject->Write()) return;
  subject->CheckStep("some written with");
  if (!subject->Open(from)) return;
  subject->CheckStep("mixed, opened with");
  if (!subject->Open(to) || !subject->Rewrite()) return;
  subject->CheckStep("rewritten with");
  if (!subject->Open(from)) return;
  subject->CheckStep("back: opened with");
  if (!subject->Write()) return;
  subject->CheckStep("back: some written with");
  if (!subject->Rewrite()) return;
  subject->CheckStep("back: rewritten with");
}

void ManyFilters(const std::vector<Filter>& filters, Subject* subject) {
  // Otherwise LevelDB compacts while it is read, and the first reader leaves one kind of tables.
  if (subject->options().engine == Engine::kLevelDB) subject->OnlyAdd();
  for (size_t i = 0; i < filters.size(); ++i) {
    if (!subject->Open(filters[i], i == 0) || !subject->Write()) return;
  }
  for (const Filter reader : filters) {
    if (!subject->Open(reader)) return;
    subject->CheckStep("mixed, opened with");
  }
  if (!subject->Rewrite()) return;
  subject->CheckStep("rewritten with");
}

}  // namespace

const std::vector<Mode>& AllModes() {
  static const std::vector<Mode> modes = {
      {"full, whole keys", false, false, true},
      {"partitioned, whole keys", true, false, true},
      {"full, prefixes and whole keys", false, true, true},
      {"partitioned, prefixes and whole keys", true, true, true},
      {"full, prefixes", false, true, false},
      {"partitioned, prefixes", true, true, false}};
  return modes;
}

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
      for (size_t mode = 0; mode < AllModes().size(); ++mode) {
        if (!every_mode && mode != next_mode % AllModes().size()) continue;
        directions.push_back({Engine::kRocksDB, AllModes()[mode], {from, to}});
      }
      ++next_mode;
    }
  }
  for (const Mode& mode : {AllModes()[0], AllModes()[3]}) {
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
    Subject subject(direction.engine, direction.mode, setup, report);
    if (direction.filters.size() == 2) {
      TwoFilters(direction.filters[0], direction.filters[1], &subject);
    } else {
      ManyFilters(direction.filters, &subject);
    }
  });
  std::filesystem::remove_all(setup.directory + "/database");
}

}  // namespace bloomline::tests

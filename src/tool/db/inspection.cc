#include "src/tool/db/inspection.h"

#include "src/tool/db/inspect_file.h"

namespace bloomline::tool::db {
namespace {

RunningPolicy PolicyOf(const database::ColumnFamily& family, const std::string& given) {
  if (!given.empty()) return {given, "--policy"};
  if (!family.filter_policy.empty()) return {family.filter_policy, "OPTIONS"};
  return {};
}

}  // namespace

Inspection Inspect(Inputs* inputs, const CommonOptions& options, const std::string& name,
                   const std::string& policy) {
  Inspection inspection;
  inspection.files.resize(inputs->files.size());
  ForEachFile(inputs, options, name,
              [&](size_t i, const sstable::Table& table, Progress* progress, std::string* error) {
                const bool done = InspectFile(table, &inspection.files[i].facts, error);
                progress->AddBytes(inputs->file(inputs->files[i]).bytes);
                return done;
              });
  FindCoverage(*inputs, &inspection.files);
  inspection.groups = GroupFiles(*inputs, inspection.files);
  for (const FamilyGroups& family : inspection.groups) {
    const database::Database& database = inputs->databases[family.database];
    inspection.policies.push_back(
        PolicyOf(database.column_families[static_cast<size_t>(family.column_family)], policy));
  }
  return inspection;
}

}  // namespace bloomline::tool::db

#include "src/db/inspect/inspection.h"

#include "src/db/directory/filter_names.h"

namespace bloomline::db {
namespace {

RunningPolicy PolicyOf(const directory::ColumnFamily& family, const std::string& given) {
  if (!given.empty()) return {given, "--policy"};
  if (!family.filter_policy.empty()) return {family.filter_policy, "OPTIONS"};
  return {};
}

void CompareWithPolicy(const std::string& policy, InspectedFile* file) {
  const FileFacts& facts = file->facts;
  if (policy.empty() || !facts.has_filter()) return;
  directory::FilterBlock block;
  block.engine = facts.engine;
  block.kind = facts.kind;
  block.name = facts.filter_name;
  for (const auto& [kind, count] : facts.kinds) {
    if (engine_filters::IsBloomline(kind)) block.is_bloomline = true;
  }
  switch (directory::UseOf(policy, block)) {
    case directory::PolicyUse::kIgnored:
      file->ignored = "the policy does not look for filters named '" + facts.filter_name + "'";
      break;
    case directory::PolicyUse::kMayMatch:
      file->ignored =
          "the policy does not understand these filters, and takes them to match every key";
      break;
    case directory::PolicyUse::kUnknown:
      file->policy_unknown = true;
      break;
    case directory::PolicyUse::kUsed:
      break;
  }
}

}  // namespace

Inspection Inspect(Inputs* inputs, const CommonOptions& options, const std::string& name,
                   const std::string& policy) {
  Inspection inspection;
  for (int round = 0; round == 0 || (round < kMostRounds && AddNewFiles(inputs, true)); ++round) {
    const size_t first = inspection.files.size();
    inspection.files.resize(inputs->files.size());
    ForEachFile(
        inputs, options, name,
        [&](size_t i, const sstable::Table& table, cli::FileProgress* progress,
            std::string* error) {
          const bool done = InspectFile(table, &inspection.files[i].facts, error);
          progress->AddBytes(inputs->file(inputs->files[i]).bytes);
          return done;
        },
        first);
  }
  for (size_t i = 0; i < inspection.files.size(); ++i) {
    const std::string running = PolicyOf(inputs->column_family(inputs->files[i]), policy).name;
    CompareWithPolicy(running, &inspection.files[i]);
  }
  inspection.groups = GroupFiles(*inputs, &inspection.files);
  for (const FamilyGroups& family : inspection.groups) {
    inspection.policies.push_back(
        PolicyOf(inputs->column_family(family.database, family.column_family), policy));
  }
  return inspection;
}

}  // namespace bloomline::db

#include "src/db/inspect/inspection.h"

#include "src/db/directory/options_file.h"

namespace bloomline::db {
namespace {

RunningPolicy PolicyOf(const directory::ColumnFamily& family, const std::string& given) {
  if (!given.empty()) return {given, "--policy"};
  if (!family.filter_policy.empty()) return {family.filter_policy, "OPTIONS"};
  return {};
}

// Why the policy would not use the filters of a file; empty if it would, or if that is unknown.
//
// Both engines look a filter up by name, and silently ignore all others: LevelDB by
// FilterPolicy::Name(), RocksDB by CompatibilityName(), which its own policies and bloomline's
// share.
std::string WhyIgnored(const std::string& policy, const FileFacts& facts) {
  if (policy.empty() || !facts.has_filter()) return "";
  const bool is_rocksdb = facts.engine == sstable::Engine::kRocksDB;
  const std::string id = is_rocksdb ? directory::OptionId(policy) : policy;
  const bool is_bloomline = id.substr(0, id.find(':')) == "bloomline";
  const bool is_none = id == "nullptr";
  const bool is_own = is_rocksdb
                          ? id.rfind("bloomfilter", 0) == 0 || id.rfind("ribbonfilter", 0) == 0 ||
                                id.rfind("rocksdb.", 0) == 0
                          : id == engine_filters::kLevelDBName;
  if (is_rocksdb && !is_bloomline && !is_none && !is_own) return "";  // a policy of the user's
  std::string_view name = id;
  if (is_rocksdb) name = engine_filters::kRocksDBName;
  if (!is_rocksdb && is_bloomline) name = engine_filters::kLevelDBName;
  if (is_none || facts.filter_name != name) {
    return "the policy does not look for filters named '" + facts.filter_name + "'";
  }
  for (const auto& [kind, count] : facts.kinds) {
    if (is_own && engine_filters::IsBloomline(kind)) {
      return "the policy does not understand these filters, and takes them to match every key";
    }
  }
  return "";
}

}  // namespace

Inspection Inspect(Inputs* inputs, const CommonOptions& options, const std::string& name,
                   const std::string& policy) {
  Inspection inspection;
  inspection.files = ResultsOfFiles<InspectedFile>(
      inputs, options, name, true,
      [](size_t, const sstable::Table& table, InspectedFile* file, std::string* error) {
        return InspectFile(table, &file->facts, error);
      });
  for (size_t i = 0; i < inspection.files.size(); ++i) {
    const std::string running = PolicyOf(inputs->column_family(inputs->files[i]), policy).name;
    inspection.files[i].ignored = WhyIgnored(running, inspection.files[i].facts);
  }
  inspection.groups = GroupFiles(*inputs, &inspection.files);
  for (const FamilyGroups& family : inspection.groups) {
    inspection.policies.push_back(
        PolicyOf(inputs->column_family(family.database, family.column_family), policy));
  }
  return inspection;
}

}  // namespace bloomline::db

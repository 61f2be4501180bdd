#include "src/db/rewrite/folder_writer.h"

#include <filesystem>
#include <map>
#include <set>

#include "src/db/rewrite/new_manifest.h"
#include "src/db/tree/folder_listing.h"
#include "src/support/file_io.h"
#include "src/tool/progress.h"

namespace bloomline::db {
namespace {

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Writes the table and queries it. Sets *added to what the MANIFEST must say of it.
Outcome AddTable(const TableSource& source, const TableRewrite& rewrite, PartialFolder* partial,
                 NewTable* added, std::string* error) {
  added->number = rewrite.number;
  const bool is_leveldb = source.engine == tables::Engine::kLevelDB;
  const std::string name = tree::SixDigits(rewrite.number) + (is_leveldb ? ".ldb" : ".sst");
  Outcome outcome = Outcome::kFailed;
  const auto write = [&](PacedFile* out, std::string* why) {
    outcome = RewriteTable(source, rewrite, out, &added->table, why);
    return outcome == Outcome::kDone;
  };
  if (partial->Add(name, NameOf(source.path), write, error)) {
    return CheckRewrittenTable(partial->path() + "/" + name, source, added->table, error);
  }
  return outcome == Outcome::kDone ? Outcome::kFailed : outcome;
}

bool AddFiles(const FolderFiles& files, const OptionsFiles& options, PartialFolder* partial,
              std::string* error) {
  for (const auto& [name, text] : options.texts) {
    if (!partial->AddText(name, text, error)) return false;
  }
  for (const std::string& name : files.folders) {
    if (!partial->AddFolder(name, error)) return false;
  }
  for (const std::string& name : files.linked) {
    if (!partial->Link(name, error)) return false;
  }
  for (const std::string& name : files.copied) {
    if (!partial->Copy(name, error)) return false;
  }
  return true;
}

}  // namespace

FolderFiles SortFiles(const DatabaseFolder& folder, const Inputs& inputs, const RewritePlan& plan) {
  std::set<std::string> replaced = {"CURRENT", NameOf(inputs.databases.front().manifest)};
  std::set<std::string> staying;
  for (const PlannedTable& table : plan.tables) {
    replaced.insert(NameOf(inputs.files[table.file].path));
  }
  for (const size_t i : plan.staying) staying.insert(NameOf(inputs.files[i].path));
  FolderFiles files;
  for (const auto& [name, status] : folder.files) {
    const auto begins = [&, &of = name](const char* text) { return of.rfind(text, 0) == 0; };
    const std::string extension = std::filesystem::path(name).extension();
    if (status.kind == support::FileKind::kFolder) {
      files.folders.push_back(name);
    } else if (replaced.count(name) != 0 || (begins("OPTIONS-") && extension.empty())) {
      continue;
    } else if (staying.count(name) != 0 || extension == ".blob" || name.find('/') != name.npos) {
      files.linked.push_back(name);
      files.linked_bytes += status.size;
    } else if (extension == ".sst" || extension == ".ldb" || extension == ".dbtmp" ||
               extension == ".trash" || name == "LOCK" || begins("LOG.old") ||
               begins("MANIFEST-")) {
      ++files.num_left_out;  // LOG stays: it says which RocksDB must read the new filters
    } else {
      files.copied.push_back(name);
      files.copied_bytes += status.size;
    }
  }
  return files;
}

Outcome WriteFolder(const FolderFiles& files, const OptionsFiles& options, const Inputs& inputs,
                    const RewritePlan& plan, bool shows_progress, PartialFolder* partial,
                    std::string* error) {
  RewriteSession session;
  if (!partial->Create(error) || !AddFiles(files, options, partial, error) ||
      !NewRewriteSession(&session, error)) {
    return Outcome::kFailed;
  }
  uint64_t bytes = 0;
  for (const PlannedTable& table : plan.tables) bytes += inputs.files[table.file].bytes;
  tool::FileProgress progress("rewrite", shows_progress, plan.tables.size(), bytes);
  std::map<uint64_t, NewTable> new_tables;  // by the old number
  uint64_t next_number = plan.next_number;
  for (const PlannedTable& planned : plan.tables) {
    const SurveyedFile& file = inputs.files[planned.file];
    TableRewrite rewrite = planned.rewrite;
    rewrite.number = next_number++;
    rewrite.session = session;
    const Outcome outcome =
        AddTable(SourceOf(inputs, file), rewrite, partial, &new_tables[file.number], error);
    if (outcome != Outcome::kDone) return outcome;
    progress.Add(file.bytes);
  }
  const std::string& manifest = inputs.databases.front().manifest;
  const std::string name = "MANIFEST-" + tree::SixDigits(next_number++);
  const auto write = [&](PacedFile* out, std::string* why) {
    return WriteManifest(manifest, new_tables, next_number, out, why);
  };
  const bool is_written = partial->Add(name, NameOf(manifest), write, error) &&
                          partial->AddText("CURRENT", name + "\n", error);
  return is_written ? Outcome::kDone : Outcome::kFailed;
}

}  // namespace bloomline::db

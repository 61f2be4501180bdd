#include "src/db/rewrite/folder_writer.h"

#include <map>

#include "src/cli/shared/commands.h"
#include "src/cli/shared/progress.h"
#include "src/db/rewrite/leveldb_table.h"
#include "src/db/rewrite/rocksdb_manifest.h"
#include "src/db/rewrite/rocksdb_table.h"
#include "src/support/file_io.h"
#include "src/support/process.h"

namespace bloomline::db {
namespace {

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool StartsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int ExitCodeOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return cli::kExitOk;
    case Outcome::kRefused:
      return cli::kExitImpossible;
    case Outcome::kLacksKey:
      return cli::kExitCheckFailed;
    case Outcome::kFailed:
      break;
  }
  return cli::kExitFailure;
}

class FolderWriter {
 public:
  FolderWriter(const RewriteOptions& options, const DatabaseFolder& folder, const Inputs& inputs,
               const RewritePlan& plan, PartialFolder* partial, std::string* error)
      : options_(options),
        folder_(folder),
        inputs_(inputs),
        plan_(plan),
        is_leveldb_(inputs.databases.front().engine == sstable::Engine::kLevelDB),
        partial_(*partial),
        next_number_(plan.next_number),
        error_(error) {}

  int Run(const FolderFiles& files, const std::string& manifest) {
    int exit_code = cli::kExitFailure;
    if (!partial_.Create(error_) || !AddOptions(files) || !AddFiles(files) ||
        (exit_code = AddTables()) != cli::kExitOk) {
      return exit_code;
    }
    const std::string name = "MANIFEST-" + SixDigits(next_number_++);
    const auto write = [&](PacedFile* out) {
      const auto write_manifest = is_leveldb_ ? WriteLevelDBManifest : WriteManifest;
      return write_manifest(manifest, new_tables_, next_number_, out, error_);
    };
    const bool is_written = partial_.Add(name, NameOf(manifest), write, error_) &&
                            partial_.AddText("CURRENT", "CURRENT", name + "\n", error_);
    return is_written ? cli::kExitOk : cli::kExitFailure;
  }

 private:
  bool AddOptions(const FolderFiles& files) {
    for (const std::string& name : files.options) {
      std::string text;
      if (!ReadWhole(folder_.path + "/" + name, &text, error_) ||
          !DetachOptions(folder_, name, &text, error_) ||
          !partial_.AddText(name, name, text, error_)) {
        return false;
      }
    }
    return true;
  }

  bool AddFiles(const FolderFiles& files) {
    for (const auto& [name, state] : folder_.files) {
      if (state.is_folder && !partial_.AddFolder(name, error_)) return false;
    }
    for (const std::string& name : files.linked) {
      if (!partial_.Link(name, error_)) return false;
    }
    for (const std::string& name : files.copied) {
      if (!partial_.Copy(name, error_)) return false;
    }
    return true;
  }

  int AddTables() {
    Session session;
    if (!NewSession(&session, error_)) return cli::kExitFailure;
    uint64_t bytes = 0;
    for (const PlannedTable& table : plan_.tables) bytes += inputs_.files[table.file].bytes;
    const bool is_shown =
        options_.common.progress.value_or(support::IsTerminal(support::kStandardError));
    cli::FileProgress progress("rewrite", is_shown, plan_.tables.size(), bytes);
    for (const PlannedTable& table : plan_.tables) {
      const InputFile& file = inputs_.files[table.file];
      const Outcome outcome = AddTable(table, file, session);
      if (outcome != Outcome::kDone) return ExitCodeOf(outcome);
      progress.Add(file.bytes);
    }
    return cli::kExitOk;
  }

  Outcome AddTable(const PlannedTable& planned, const InputFile& file, const Session& session) {
    const TableSource source{file.path, inputs_.column_family(file).comparator, file.bytes};
    NewTable& table = new_tables_[file.number];
    table.number = next_number_++;
    const std::string name = SixDigits(table.number) + (is_leveldb_ ? ".ldb" : ".sst");
    const TableRewrite rewrite{planned.format, planned.bits_per_key, planned.is_legacy,
                               table.number, session};
    Outcome outcome = Outcome::kFailed;
    const auto write = [&](PacedFile* out) {
      outcome = is_leveldb_ ? RewriteLevelDBTable(source, planned.format, planned.bits_per_key, out,
                                                  &table.table, error_)
                            : RewriteTable(source, rewrite, out, &table.table, error_);
      return outcome == Outcome::kDone;
    };
    if (!partial_.Add(name, NameOf(file.path), write, error_)) {
      return outcome == Outcome::kDone ? Outcome::kFailed : outcome;
    }
    const auto check = is_leveldb_ ? CheckLevelDBTable : CheckRewrittenTable;
    return check(partial_.path() + "/" + name, source, table.table, error_);
  }

  const RewriteOptions& options_;
  const DatabaseFolder& folder_;
  const Inputs& inputs_;
  const RewritePlan& plan_;
  const bool is_leveldb_;
  PartialFolder& partial_;
  uint64_t next_number_;
  std::map<uint64_t, NewTable> new_tables_;  // by the old number
  std::string* const error_;
};

}  // namespace

FolderFiles SortFiles(const DatabaseFolder& folder, const Inputs& inputs, const RewritePlan& plan,
                      const std::string& manifest) {
  std::set<std::string> rewritten;
  std::set<std::string> staying;
  for (const PlannedTable& table : plan.tables) {
    rewritten.insert(NameOf(inputs.files[table.file].path));
  }
  for (const size_t i : plan.staying) staying.insert(NameOf(inputs.files[i].path));
  FolderFiles files;
  for (const auto& [name, state] : folder.files) {
    const bool is_replaced = name == "CURRENT" || rewritten.count(name) != 0;
    if (is_replaced || state.is_folder || name == NameOf(manifest)) continue;
    const bool is_table = EndsWith(name, ".sst") || EndsWith(name, ".ldb");
    if (staying.count(name) != 0 || EndsWith(name, ".blob") || name.find('/') != name.npos) {
      files.linked.push_back(name);
      files.linked_bytes += state.size;
    } else if (is_table || name == "LOCK" || StartsWith(name, "LOG.old") ||
               StartsWith(name, "MANIFEST-") || EndsWith(name, ".dbtmp") ||
               EndsWith(name, ".trash")) {
      files.left_out.insert(name);  // LOG stays: it says which RocksDB must read the new filters
    } else if (StartsWith(name, "OPTIONS-")) {
      files.options.push_back(name);
    } else {
      files.copied.push_back(name);
      files.copied_bytes += state.size;
    }
  }
  return files;
}

int WriteFolder(const RewriteOptions& options, const DatabaseFolder& folder, const Inputs& inputs,
                const RewritePlan& plan, const FolderFiles& files, PartialFolder* partial,
                std::string* error) {
  std::string manifest;
  if (!FindManifest(folder, &manifest, error)) return cli::kExitFailure;
  return FolderWriter(options, folder, inputs, plan, partial, error).Run(files, manifest);
}

}  // namespace bloomline::db

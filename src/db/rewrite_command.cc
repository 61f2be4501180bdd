// bloomline db rewrite: the command line, and the order of its steps.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "src/db/rewrite/database_folder.h"
#include "src/db/rewrite/folder_writer.h"
#include "src/db/rewrite/partial_folder.h"
#include "src/db/rewrite/reported_rates.h"
#include "src/db/rewrite/rewrite_plan.h"
#include "src/db/subcommands.h"
#include "src/db/survey/report.h"
#include "src/support/file_io.h"
#include "src/support/folder_io.h"
#include "src/support/process.h"
#include "src/tool/commands.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::db {
namespace {

// The same level of a column family before its tables were rewritten, or all levels.
const Group& Paired(const FamilyGroups& before, const Group& after) {
  const auto level = std::find_if(before.levels.begin(), before.levels.end(),
                                  [&](const Group& group) { return group.level == after.level; });
  return level == before.levels.end() ? before.all : *level;
}

class Rewrite {
 public:
  explicit Rewrite(RewriteArguments options) : options_(std::move(options)) {}

  int Run() {
    Outcome outcome = Outcome::kFailed;
    try {
      outcome = RunSteps();
    } catch (const tables::MemoryError& error) {
      error_ = error.what();
    }
    if (outcome == Outcome::kDone && !is_reported_) return tool::kExitFailure;
    if (outcome == Outcome::kDone) {
      return plan_.lacks_policies ? tool::kExitFamiliesLeft : tool::kExitOk;
    }
    if (!error_.empty()) tool::PrintError("bloomline db rewrite: " + error_);
    tool::FlushOutput();
    if (support::EndingSignal() != 0) support::EndBySignal(support::EndingSignal());
    if (outcome == Outcome::kRefused) return tool::kExitImpossible;
    return outcome == Outcome::kLacksKey ? tool::kExitCheckFailed : tool::kExitFailure;
  }

 private:
  // All but kDone set error_, unless it has been printed.
  Outcome RunSteps() {
    const std::string& path = options_.folder;
    if (!CheckTarget(path, options_.new_folder, &target_, &error_)) return Outcome::kRefused;
    // Comes first: what else a folder has matters only in a database.
    if (!tree::IsDatabase(path, &error_)) return Outcome::kFailed;
    if (!ListDatabase(path, &folder_, &error_) || !Lock() ||
        !ReadOptions(folder_, &option_files_, &error_)) {
      return Outcome::kRefused;
    }
    options_.common.paths = {folder_.path};
    inputs_ = OpenInputs(options_.common, PebbleUse::kRefuse);
    before_ = Inspect(&inputs_, options_.common, "plan", "");
    if (ReportProblems(inputs_, "rewrite") != tool::kExitOk) return Outcome::kFailed;
    // Reading the database has examined its lock, which drops this process's own.
    if (!HasOptions() || !Lock() || !IsUnchanged()) return Outcome::kRefused;
    const Outcome outcome = MakePlan(options_, folder_, option_files_.newest_version, inputs_,
                                     before_, &plan_, &error_);
    if (outcome != Outcome::kDone) return outcome;
    if (!PrintPlan()) return Outcome::kRefused;
    if (!options_.dry_run) return Write();
    PrintExpected();
    return Outcome::kDone;
  }

  bool Lock() { return lock_.Take(folder_.path + "/LOCK", &error_); }

  // Without OPTIONS files, nothing says whether the logs are in this folder.
  bool HasOptions() {
    const bool is_leveldb = inputs_.databases.front().engine == tables::Engine::kLevelDB;
    if (is_leveldb || !option_files_.texts.empty()) return true;
    error_ = folder_.path +
             ": has no OPTIONS file, so its wal_dir is unknown; a program on the new "
             "folder could use, and delete, the old one's logs; allowed: databases with OPTIONS";
    return false;
  }

  bool IsUnchanged() {
    DatabaseFolder now;
    if (!ListDatabase(folder_.path, &now, &error_)) return false;
    if (now.files == folder_.files) return true;
    error_ = folder_.path + ": has changed meanwhile; there is no new folder";
    return false;
  }

  // Whether files that stay need not be copied.
  bool CanShare() const {
    const std::string parent = std::filesystem::path(target_).parent_path();
    if (options_.clones) {
      return files_.linked.empty() ||
             support::CanClone(folder_.path + "/" + files_.linked.front(), parent);
    }
    support::FileStatus status;
    return support::Examine(parent, &status) && !folder_.files.empty() &&
           !support::IsReadOnly(folder_.path) &&
           status.device == folder_.files.begin()->second.device;
  }

  // Returns false with error_ if it cannot be carried out.
  bool PrintPlan() {
    files_ = SortFiles(folder_, inputs_, plan_);
    const bool shares = CanShare();
    const char* way =
        shares ? "to link: " : "to copy, as the new folder is on another file system or mount: ";
    if (options_.clones) way = shares ? "to clone: " : "to copy, as they cannot be cloned: ";
    uint64_t read = files_.copied_bytes + (shares ? 0 : files_.linked_bytes);
    uint64_t written = read;
    for (const PlannedTable& table : plan_.tables) {
      read += inputs_.files[table.file].bytes;
      written += table.new_bytes;
    }
    for (const std::string& filters : plan_.filters) tool::PrintLine(filters);
    tool::PrintLine("to rewrite: " + FilesText(plan_.tables.size()));
    if (!files_.linked.empty()) {
      PrintWrapped(way + FilesText(files_.linked.size()) + ", " +
                   tool::BytesText(files_.linked_bytes));
    }
    PrintLeft();
    if (files_.num_left_out != 0) {
      PrintWrapped("not in the new folder: " + FilesText(files_.num_left_out) +
                   " that the database does not need, such as LOCK");
    }
    if (!lock_.has_file()) tool::PrintLine("not locked: the database has no LOCK file");
    if (lock_.is_doubtful()) {
      PrintWrapped(
          "not known: whether a program has the database open, because LOCK can only be "
          "read, on a file system that may hide the locks of other hosts or mounts");
    }
    std::error_code code;
    const auto room = std::filesystem::space(std::filesystem::path(target_).parent_path(), code);
    tool::PrintLine("to read: " + tool::BytesText(read) +
                    "; to write: " + tool::BytesText(written) +
                    (code ? "" : "; free: " + tool::BytesText(room.available)));
    tool::FlushOutput();
    if (plan_.tables.empty()) {
      error_ = folder_.path + ": there is no file to rewrite";
    } else if (!code && room.available < written) {
      error_ =
          target_ + ": there is no room for " + tool::BytesText(written) + " on its file system";
    } else {
      std::vector<std::string> likes = {folder_.path, folder_.path + "/CURRENT",
                                        inputs_.databases.front().manifest};
      std::vector<std::string> names = files_.folders;
      names.insert(names.end(), files_.copied.begin(), files_.copied.end());
      if (!shares) names.insert(names.end(), files_.linked.begin(), files_.linked.end());
      for (const auto& [name, text] : option_files_.texts) names.push_back(name);
      for (const std::string& name : names) likes.push_back(folder_.path + "/" + name);
      for (const PlannedTable& table : plan_.tables) {
        likes.push_back(inputs_.files[table.file].path);
      }
      support::CanTakeOwners(std::filesystem::path(target_).parent_path(), likes, &error_);
    }
    return error_.empty();
  }

  void PrintLeft() const {
    for (const auto& [reason, count] : plan_.reasons) {
      PrintWrapped("left as they are: " + FilesText(count) + ": " + reason);
    }
  }

  // The report of a rewrite, as far as it is known before.
  void PrintExpected() const {
    std::map<size_t, const PlannedTable*> planned;
    for (const PlannedTable& table : plan_.tables) planned[table.file] = &table;
    for (const FamilyGroups& family : before_.groups) {
      if (family.all.files.empty()) continue;
      tool::PrintLine("");
      tool::PrintLine(DatabaseTitle(inputs_, family));
      PrintLevels(family,
                  {"level", "files", "filters", "before", "wasted, expected", "before, expected"},
                  1, [&](const std::string& name, const Group& group) -> Cells {
                    uint64_t bytes = 0;
                    double wasted_reads = 0;
                    for (const size_t i : group.files) {
                      const InspectedFile& file = before_.files[i];
                      const auto table = planned.find(i);
                      const bool is_new = table != planned.end();
                      bytes += is_new ? table->second->filter_bytes : file.facts.filter_bytes;
                      wasted_reads += file.coverage *
                                      (is_new ? table->second->false_positive_rate : file.rate());
                    }
                    return {name,
                            tool::CountText(group.files.size()),
                            tool::BytesText(bytes),
                            tool::BytesText(group.filter_bytes),
                            RateOrDash(wasted_reads),
                            RateOrDash(group.wasted_reads)};
                  });
    }
  }

  Outcome Write() {
    support::AwaitEndingSignals();
    std::signal(SIGPIPE, SIG_IGN);  // whether the report can be printed changes nothing
    PartialFolder partial(folder_.path, target_, options_.clones, options_.bytes_per_second);
    const Outcome outcome = WriteFolder(files_, option_files_, inputs_, plan_,
                                        ShowsProgress(options_.common), &partial, &error_);
    if (outcome != Outcome::kDone) return outcome;
    return IsUnchanged() ? Finish(&partial) : Outcome::kRefused;
  }

  // Reads the new folder once more, as any program would, then gives it its name.
  Outcome Finish(PartialFolder* partial) {
    CommonOptions common = options_.common;
    common.paths = {partial->path()};
    Inputs now = OpenInputs(common);
    const Inspection after = Inspect(&now, common, "check", "");
    if (ReportProblems(now, "rewrite") != tool::kExitOk ||
        now.files.size() != inputs_.files.size()) {
      error_ = partial->path() + ": the new folder differs from the plan";
      return Outcome::kFailed;
    }
    for (size_t g = 0; !options_.policy.has_value() && g < after.groups.size(); ++g) {
      // Partitions may differ from what was planned. Files that stay have the same waste.
      const tree::ColumnFamily& family = inputs_.column_family(before_.groups[g]);
      RewrittenWaste waste = plan_.waste[g];
      const double more =
          QueriedWaste(family, after.groups[g]) - QueriedWaste(family, before_.groups[g]);
      if (!std::isnan(more)) waste.after = waste.before + more;
      if (!WastesNoMore(family, waste, &error_)) return Outcome::kRefused;
    }
    const ReportedRates rates(common, after, &now);
    const ReportedRates rates_before(common, before_, &inputs_);
    if (!partial->Commit(&error_)) return Outcome::kFailed;
    PrintReport(now, after, rates, rates_before, partial->copied());
    is_reported_ = tool::FlushOutput();
    if (!is_reported_) {  // main says why
      tool::PrintError("bloomline db rewrite: " + target_ +
                       " is complete; only the report could not be printed");
    }
    return Outcome::kDone;
  }

  // What came into the folder as it was.
  static void PrintCopied(const Copied& copied) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (copied.linked != 0) add("linked: " + FilesText(copied.linked));
    if (copied.cloned != 0) add("cloned: " + FilesText(copied.cloned));
    if (copied.copied != 0) {
      add("copied: " + FilesText(copied.copied) + ", " + tool::BytesText(copied.copied_bytes));
    }
    if (!text.empty()) tool::PrintLine(text);
  }

  void PrintReport(const Inputs& now, const Inspection& after, const ReportedRates& rates,
                   const ReportedRates& rates_before, const Copied& copied) const {
    tool::PrintLine("rewritten: " + FilesText(plan_.tables.size()) + " into " + target_);
    PrintCopied(copied);
    PrintLeft();
    const bool has_ranges =
        std::any_of(after.groups.begin(), after.groups.end(),
                    [](const FamilyGroups& family) { return family.all.ranges.files != 0; });
    if (has_ranges) tool::PrintLine("range filters: kept");
    const bool is_whole = files_.linked.empty() || copied.linked + copied.cloned != 0;
    if (!is_whole) {
      PrintWrapped(std::string("No file could be ") + (options_.clones ? "cloned" : "linked") +
                   ", so tables that stay were copied, too.");
    }
    for (size_t g = 0; g < after.groups.size(); ++g) {
      const FamilyGroups& old = before_.groups[g];
      const FamilyGroups& family = after.groups[g];
      if (family.all.files.empty()) continue;
      tool::PrintLine("");
      tool::PrintLine(DatabaseTitle(now, family) == now.databases.front().path
                          ? target_
                          : "column family '" + now.column_family(family).name + "'");
      PrintLevels(family,
                  {"level", "files", "filters", "before", "wasted, " + rates.Kind(family.all),
                   "before, " + rates_before.Kind(old.all)},
                  1, [&](const std::string& name, const Group& group) -> Cells {
                    const Group& was = Paired(old, group);
                    return {name,
                            tool::CountText(group.files.size()),
                            tool::BytesText(group.filter_bytes),
                            tool::BytesText(was.filter_bytes),
                            RateOrDash(rates.WastedReads(group)),
                            RateOrDash(rates_before.WastedReads(was))};
                  });
    }
    std::cout << '\n';
    if (rates.are_sampled() || rates_before.are_sampled()) {
      PrintWrapped(
          "sampled: in LevelDB's own filters, and in RocksDB's before format_version 5, keys that "
          "are similar cause more false positives than expected.");
    }
    const bool is_ignored =
        std::any_of(after.groups.begin(), after.groups.end(),
                    [](const FamilyGroups& family) { return family.all.ignored_files != 0; });
    if (is_ignored) {
      PrintWrapped(
          "The policy that OPTIONS names ignores some of these filters, so their files count as "
          "files without filters. Set the new policy before the program opens the folder.");
    }
    const std::set<KeptFilters> kept(plan_.kept.begin(), plan_.kept.end());
    for (const KeptFilters& one : kept) PrintFiltersToKeep(one);
    if (!kept.empty()) {
      PrintWrapped(
          "Set this before the program opens the folder: one flush with Bloom filters at 10 bits "
          "per key adds about 1 % wasted reads, whatever filters the other files have.");
    }
    if (inputs_.databases.front().engine == tables::Engine::kRocksDB) {
      tool::PrintLine("to check it with RocksDB's tools: ldb --db=" + target_ +
                      " checkconsistency");
    }
    PrintWrapped(
        "You can go back to " + folder_.path +
        " until the first write in the new folder, as the old one lacks later writes." +
        (kept.empty() ? " The program's policy still decides the filters of new files." : ""));
  }

  RewriteArguments options_;
  std::string target_;
  DatabaseFolder folder_;
  OptionsFiles option_files_;
  support::FileLock lock_;
  Inputs inputs_;
  Inspection before_;
  RewritePlan plan_;
  bool is_reported_ = true;
  FolderFiles files_;
  std::string error_;
};

}  // namespace

void AddRewriteCommand(CLI::App* db, int* exit_code) {
  CLI::App* command = db->add_subcommand("rewrite", "Copies a closed database, with new filters");
  auto options = std::make_shared<RewriteArguments>();
  options->common.threads = 1;
  command->add_option("DIR", options->folder, "A closed database's folder, which stays as it is")
      ->required();
  command->add_option("NEWDIR", options->new_folder, "The new folder, which must not exist")
      ->required();
  tool::AddQuantity(
      command, "--policy", &options->policy,
      [](const std::string& text, std::string* error) -> std::optional<std::string> {
        if (!text.empty()) return text;
        *error = "''; allowed: a policy; without --policy, advise chooses one";
        return std::nullopt;
      },
      "The new filters [RocksDB's own, as advise chooses]:\n"
      "bloomfilter:BITS, ribbonfilter:BITS, or\n"
      "{id=bloomline;...} with format (blocked, bloom,\n"
      "ribbon), bits_per_key and bits_by_level (uniform,\n"
      "auto); auto without bits_per_key spreads the memory of\n"
      "the present filters. In LevelDB, required:\n"
      "classic:BITS, blocked:BITS, compact:BITS.\n"
      "none removes the filters")
      ->type_name("POLICY");
  command
      ->add_option("--column-family", options->families,
                   "Rewrite only this column family, also without a policy\n"
                   "in OPTIONS; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME");
  tool::AddQuantity(command, "--bytes-per-second", &options->bytes_per_second, tool::ParseBytes,
                    "Bytes to write per second on average, such as 20M");
  command->add_flag("--reflink", options->clones,
                    "Clone files that stay (XFS, Btrfs) instead of linking");
  command->add_flag("--dry-run", options->dry_run, "Only print the plan");
  command->add_flag("--untested-version", options->untested_version,
                    "Accept a RocksDB that is newer than those tested");
  AddMemoryAndProgressOptions(command, &options->common);
  command->footer(
      "Example:\n"
      "    bloomline db rewrite /var/lib/app/db /var/lib/app/db.new\n\n"
      "NEWDIR.partial becomes NEWDIR last. SIGINT, SIGTERM and SIGHUP remove it.\n"
      "bloomline-db-rewrite(1) says more.");
  command->callback([=] { *exit_code = Rewrite(*options).Run(); });
}

}  // namespace bloomline::db

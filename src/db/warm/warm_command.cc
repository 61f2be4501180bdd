// bloomline db warm: what an engine reads of each table before its first Get there, into the page
// cache.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "src/cli/shared/commands.h"
#include "src/cli/shared/json.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/shared/quantity_option.h"
#include "src/db/commands.h"
#include "src/db/inputs.h"
#include "src/db/report.h"

namespace bloomline::db {
namespace {

constexpr uint64_t kChunkBytes = 1 << 20;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only set such");

extern "C" void Interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);  // the second one ends the process, also within a slow read
}

struct WarmOptions {
  CommonOptions common;
  std::optional<uint64_t> limit_bytes;
};

// Of a table, or of the tables of a level.
struct WarmBytes {
  uint64_t files = 0;
  uint64_t filters = 0;
  uint64_t indexes = 0;
  uint64_t read = 0;  // filters, index, and all else behind the data blocks

  void Add(const WarmBytes& other) {
    files += other.files;
    filters += other.filters;
    indexes += other.indexes;
    read += other.read;
  }
};

// The bytes that all threads together may read.
class ByteLimit {
 public:
  explicit ByteLimit(std::optional<uint64_t> limit) : left_(limit.value_or(UINT64_MAX)) {}

  // False, from then on for all: fewer than n are left.
  bool Take(uint64_t n) {
    uint64_t left = left_;
    while (left >= n) {
      if (left_.compare_exchange_weak(left, left - n)) return true;
    }
    is_reached_ = true;
    return false;
  }
  bool is_reached() const { return is_reached_; }

 private:
  std::atomic<uint64_t> left_;
  std::atomic<bool> is_reached_{false};
};

// Data blocks come first in both engines' files, so one stretch has all that is wanted. To open the
// table has read the end of it. *bytes stays empty if the limit or a signal ends it.
bool WarmFile(const sstable::Table& table, ByteLimit* limit, cli::FileProgress* progress,
              WarmBytes* bytes, std::string* error) {
  const uint64_t begin = table.end_of_data();
  const uint64_t end = table.file_bytes();
  if (!limit->Take(end - begin)) return true;
  std::vector<char> buffer(static_cast<size_t>(std::min(kChunkBytes, end - begin)));
  for (uint64_t offset = begin; offset < end;) {
    if (interrupted) return true;
    const uint64_t n = std::min(kChunkBytes, end - offset);
    if (!table.ReadAt(offset, n, buffer.data(), error)) return false;
    offset += n;
  }
  *bytes = {1, table.filter_bytes(), table.index_bytes(), end - begin};
  progress->AddBytes(end);
  return true;
}

using WarmLevels = std::map<int, WarmBytes>;

cli::Json BytesJson(const WarmBytes& bytes) {
  return {{"files", bytes.files},
          {"filter_bytes", bytes.filters},
          {"index_bytes", bytes.indexes},
          {"read_bytes", bytes.read}};
}

struct WarmReport {
  WarmLevels levels;
  WarmBytes all;
  uint64_t files_left = 0;  // that the limit or the signal left out
  std::string stopped;      // "limit", "signal", or empty
  double seconds = 0;
};

void PrintText(const WarmReport& report) {
  std::vector<std::vector<std::string>> cells = {{"level", "files", "filters", "indexes", "read"}};
  const auto add = [&](const std::string& name, const WarmBytes& bytes) {
    cells.push_back({name, cli::CountText(bytes.files), cli::BytesText(bytes.filters),
                     cli::BytesText(bytes.indexes), cli::BytesText(bytes.read)});
  };
  for (const auto& [level, bytes] : report.levels) add(LevelText(level), bytes);
  if (report.levels.size() > 1) add("all", report.all);
  if (report.all.files != 0) std::cout << cli::TextTable(cells);
  std::cout << "read: " << cli::BytesText(report.all.read) << " of " << FilesText(report.all.files)
            << " in " << cli::NumberText(report.seconds, 2) << " s\n";
  if (report.files_left == 0) return;
  std::cout << "not read: " << FilesText(report.files_left)
            << (report.stopped == "limit" ? ", because of --limit\n" : ", because of the signal\n");
}

void PrintJson(const Inputs& inputs, const WarmReport& report) {
  cli::Json levels = cli::Json::array();
  for (const auto& [level, bytes] : report.levels) {
    cli::Json json{{"level", LevelJson(level)}};
    json.update(BytesJson(bytes));
    levels.push_back(std::move(json));
  }
  cli::Json json{{"levels", std::move(levels)}};
  json.update(BytesJson(report.all));
  json["files_left"] = report.files_left;
  json["stopped"] = cli::TextOrNull(report.stopped);
  json["seconds"] = report.seconds;
  AddProblems(inputs, &json);
  cli::Print(json);
}

int Run(const WarmOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Inputs inputs = OpenInputs(options.common);
  std::signal(SIGINT, Interrupt);
  std::signal(SIGTERM, Interrupt);
  for (const directory::Database& database : inputs.databases) {
    if (!database.use_direct_reads) continue;
    cli::PrintError("bloomline db warm: warning: " + database.path +
                    ": OPTIONS has use_direct_reads=true, so RocksDB reads its tables past the "
                    "page cache");
  }
  ByteLimit limit(options.limit_bytes);
  FileWalk walk;
  walk.upper_levels_first = true;
  walk.is_over = [&] { return interrupted || limit.is_reached(); };
  std::vector<WarmBytes> files;
  for (int round = 0; round == 0 || (round < kMostRounds && AddNewFiles(&inputs, false)); ++round) {
    walk.first = files.size();
    files.resize(inputs.files.size());
    ForEachFile(
        &inputs, options.common, "warm",
        [&](size_t i, const sstable::Table& table, cli::FileProgress* progress,
            std::string* error) { return WarmFile(table, &limit, progress, &files[i], error); },
        walk);
  }
  WarmReport report;
  for (size_t i = 0; i < files.size(); ++i) {
    const FileRef& ref = inputs.files[i];
    if (ref.state != FileState::kDone) continue;
    if (files[i].files == 0) {
      ++report.files_left;
      continue;
    }
    report.levels[inputs.file(ref).level].Add(files[i]);
    report.all.Add(files[i]);
  }
  if (report.files_left != 0) report.stopped = limit.is_reached() ? "limit" : "signal";
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.common.json) {
    PrintJson(inputs, report);
  } else {
    PrintText(report);
  }
  const int exit_code = ReportProblems(inputs, "warm");
  return report.stopped == "signal" ? cli::kExitFailure : exit_code;
}

}  // namespace

void AddWarmCommand(CLI::App* db, int* exit_code) {
  CLI::App* command = db->add_subcommand(
      "warm", "Reads filters and indexes into the page cache, before a program opens the database");
  auto options = std::make_shared<WarmOptions>();
  AddCommonOptions(command, &options->common);
  cli::AddQuantity(command, "--limit", &options->limit_bytes, cli::ParseBytes,
                   "The most to read, for example 2GiB; a file that would exceed it ends the "
                   "command. Default: all");
  command->footer(
      "Reads what lies behind the data blocks of each live file: filters, index, properties,\n"
      "footer; level 0 first. Run it beside the old process, then start the new one. The system\n"
      "drops pages again if memory is short: --limit should be below what is free.\n"
      "'indexes' is their size before compression. Ctrl-C ends it after the blocks at hand.\n"
      "Exit code: 0 done, also if --limit left files out; 1 a file cannot be read or is damaged,\n"
      "or a signal has ended it; 2 an invalid request.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db

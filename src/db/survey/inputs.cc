#include "src/db/survey/inputs.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "src/db/tree/pebble.h"
#include "src/filter/writer/run_on_threads.h"
#include "src/support/file_io.h"
#include "src/support/process.h"
#include "src/support/quoted.h"
#include "src/tool/commands.h"
#include "src/tool/progress.h"
#include "src/tool/quantity.h"

namespace bloomline::db {
namespace {

// Never throws: an exception in a thread would end the process.
void WorkOnFile(Inputs* inputs, size_t i, const FileWork& work) {
  SurveyedFile& file = inputs->files[i];
  if (file.state != FileState::kDone) return;  // earlier work has set the state
  file.state = FileState::kFailed;
  try {
    tables::OpenOptions options;
    options.comparator = inputs->column_family(file).comparator;
    options.memory = inputs->table_memory;
    const auto table = tables::Table::Open(file.path, options, &file.error);
    if (table != nullptr && work(i, *table, &file.error)) file.state = FileState::kDone;
    if (table != nullptr) return;
    std::error_code code;
    const uint64_t bytes = std::filesystem::file_size(file.path, code);
    file.is_gone = code == std::errc::no_such_file_or_directory;
    if (file.is_gone) file.error = file.path + ": no longer exists; run the command again";
    if (!code && file.number != 0 && bytes < file.bytes) {
      file.error = file.path + ": is cut off: " + tool::CountText(bytes) +
                   " bytes; the MANIFEST says " + tool::CountText(file.bytes);
    }
  } catch (const tables::MemoryError& error) {
    file.error = error.what();
  } catch (const std::bad_alloc&) {
    file.error = file.path + ": out of memory";
  } catch (const std::exception& error) {
    file.error = file.path + ": " + error.what();
  }
}

// Appends the files of `now`, database number d as it is now, that are not in `old_paths`.
void AppendNewFiles(size_t d, const std::set<std::string>& old_paths, tree::Database now,
                    Inputs* inputs) {
  const auto& families = inputs->databases[d].column_families;
  for (tree::TableFile& file : now.files) {
    if (old_paths.count(file.path) != 0) continue;
    const uint32_t id = now.column_families[static_cast<size_t>(file.column_family)].id;
    const auto family = std::find_if(families.begin(), families.end(),
                                     [&](const tree::ColumnFamily& old) { return old.id == id; });
    // A column family that was created meanwhile waits for the next run.
    if (family == families.end()) continue;
    file.column_family = static_cast<int>(family - families.begin());
    inputs->files.push_back({std::move(file), d});
  }
}

}  // namespace

void AddCommonOptions(CLI::App* command, CommonOptions* options) {
  // While reads wait, more threads than cores help. A larger number is a mistake: 1,024 threads
  // take 50 to 70 MB to measure 2,000 small files, 16 threads 10 MB.
  constexpr int kMaxThreads = 1024;
  command->add_option("PATH", options->paths, "Database directories, or table files (.sst, .ldb)")
      ->required();
  tool::AddQuantity(
      command, "--threads", &options->threads,
      [](const std::string& text, std::string* error) {
        return tool::ParseWhole(text, 1, kMaxThreads, error);
      },
      "Threads; each works on one file [one per core]");
  command->add_flag("--json", options->json, "Print JSON; bloomline-db(1) names the fields");
  command
      ->add_option("--tables", options->table_folders,
                   "A folder with more tables of the database (RocksDB's\n"
                   "db_paths and cf_paths); may be repeated")
      ->expected(1)
      ->check([](const std::string& folder) {
        std::error_code code;
        std::filesystem::directory_iterator(folder, code);
        return code ? support::Quoted(folder) + ": " + code.message() +
                          "; allowed: a folder that can be read"
                    : "";
      })
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("DIR");
  AddMemoryAndProgressOptions(command, options);
}

void AddMemoryAndProgressOptions(CLI::App* command, CommonOptions* options) {
  tool::AddQuantity(command, "--table-memory", &options->table_memory, tool::ParseBytes,
                    "Memory for reading a table, per thread, such as 2G\n"
                    "[256 MiB and 16 times its size]");
  tool::AddOptionalFlag(command, "--progress,!--no-progress", &options->progress,
                        "Show the progress on stderr [if it is a terminal]");
}

bool ShowsProgress(const CommonOptions& options) {
  return options.progress.value_or(support::IsTerminal(support::kStandardError));
}

Inputs OpenInputs(const CommonOptions& options, PebbleUse pebble) {
  Inputs inputs;
  inputs.table_memory = options.table_memory;
  for (const std::string& path : options.paths) {
    std::string error;
    if (!tree::OpenInput(path, &inputs.databases, &error, options.table_folders)) {
      inputs.errors.push_back(error);
      continue;
    }
    const std::string& sign = inputs.databases.back().pebble_sign;
    if (pebble == PebbleUse::kRead || sign.empty()) continue;
    inputs.errors.push_back(path + tree::PebbleRefusal(sign));
    inputs.databases.pop_back();
  }
  for (size_t d = 0; d < inputs.databases.size(); ++d) {
    for (tree::TableFile& file : std::exchange(inputs.databases[d].files, {})) {
      inputs.files.push_back({std::move(file), d});
    }
  }
  return inputs;
}

void ForEachFile(Inputs* inputs, const CommonOptions& options, const std::string& name,
                 const FileWork& work, size_t first) {
  if (inputs->files.size() <= first) return;
  uint64_t bytes = 0;
  std::vector<size_t> order;
  for (size_t i = first; i < inputs->files.size(); ++i) {
    order.push_back(i);
    bytes += inputs->files[i].bytes;
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    // Long files come first, so that no thread works alone on a long file at the end.
    return inputs->files[a].bytes > inputs->files[b].bytes;
  });
  tool::FileProgress progress(name, ShowsProgress(options), order.size(), bytes);
  std::atomic<size_t> next{0};
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t threads = options.threads > 0 ? static_cast<size_t>(options.threads) : cores;
  filter::RunOnThreads(std::min(threads, order.size()), [&](size_t) {
    for (size_t i = next++; i < order.size(); i = next++) {
      WorkOnFile(inputs, order[i], work);
      progress.Add(inputs->files[order[i]].bytes);
    }
  });
}

bool AddNewFiles(Inputs* inputs, bool drop) {
  std::set<size_t> changed;
  for (const SurveyedFile& file : inputs->files) {
    if (file.is_gone && file.state == FileState::kFailed) changed.insert(file.database);
  }
  const size_t num_files = inputs->files.size();
  for (const size_t d : changed) {
    // The owner removes replaced files after it has written their replacements to the MANIFEST.
    tree::Database now;
    tree::Database& database = inputs->databases[d];
    std::string error;
    if (database.path.empty() ||
        !tree::ReadDirectory(database.path, database.table_folders, &now, &error)) {
      for (SurveyedFile& file : inputs->files) {
        if (file.database != d || !file.is_gone || error.empty()) continue;
        file.error = file.path + ": no longer exists, and what replaces it is unknown: " + error;
      }
      continue;
    }
    std::set<std::string> old_paths, new_paths;
    for (const tree::TableFile& file : now.files) new_paths.insert(file.path);
    for (SurveyedFile& file : inputs->files) {
      if (file.database != d) continue;
      old_paths.insert(file.path);
      if (new_paths.count(file.path) == 0) {
        if (drop || file.is_gone) file.state = FileState::kVanished;
      } else if (file.is_gone) {
        file.error =
            file.path + ": the MANIFEST names this table, and the database's folders lack it";
        database.warnings.insert(database.path +
                                 ": tables are missing: the MANIFEST may be cut off or old" +
                                 (database.engine == tables::Engine::kRocksDB
                                      ? ", or --tables must name other folders (db_paths, cf_paths)"
                                      : ""));
      }
    }
    AppendNewFiles(d, old_paths, std::move(now), inputs);
  }
  return inputs->files.size() > num_files;
}

}  // namespace bloomline::db

// bloomline db verify: the command line and the output of verify_file.h.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "src/cli/shared/commands.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/db/inputs.h"
#include "src/db/report.h"
#include "src/db/verify/verify_file.h"

namespace bloomline::db {
namespace {

std::string Hex(std::string_view key) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// Returns printable ASCII without spaces unchanged, other keys in hexadecimal with 0x before it.
std::string KeyText(std::string_view key) {
  const bool printable =
      !key.empty() && key.substr(0, 2) != "0x" &&
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
  return printable ? std::string(key) : "0x" + Hex(key);
}

struct VerifyOptions {
  CommonOptions common;
  uint64_t max_errors = 100;
};

cli::Json CountsJson(const VerifyCounts& counts) {
  cli::Json skipped = cli::Json::array();
  for (const auto& [reason, keys] : counts.not_checked) {
    skipped.push_back(
        {{"reason", reason}, {"count", keys.count}, {"may_be_lost", keys.may_be_lost}});
  }
  return {{"entries", counts.entries},
          {"keys_checked", counts.keys},
          {"prefixes_checked", counts.prefixes},
          {"ranges_checked", counts.ranges},
          {"lost", counts.lost},
          {"not_checked", std::move(skipped)}};
}

struct LossText {
  const char* name;  // in JSON
  const char* how;
};
constexpr LossText kLosses[] = {
    {"key", ""},
    {"prefix", ", by its prefix "},
    {"range", ", by a range that has it"},
    {"empty_partition", ", by MultiGet: its partition of the filter has no bytes"}};

const LossText& TextOf(Loss loss) { return kLosses[static_cast<size_t>(loss)]; }

cli::Json LostJson(const LostKey& lost) {
  cli::Json json{
      {"key", KeyText(lost.key)}, {"key_hex", Hex(lost.key)}, {"by", TextOf(lost.loss).name}};
  if (lost.loss == Loss::kPrefix) {
    json["prefix"] = KeyText(lost.prefix);
    json["prefix_hex"] = Hex(lost.prefix);
  }
  json["sequence"] = lost.place.sequence;
  json["block_offset"] = lost.place.block_offset;
  json["entry"] = lost.place.entry;
  json["filter"] = lost.filter;
  return json;
}

std::string LostText(const std::string& path, const LostKey& lost) {
  return path + ": lost key " + KeyText(lost.key) + TextOf(lost.loss).how +
         (lost.loss == Loss::kPrefix ? KeyText(lost.prefix) : "") + ": data block at offset " +
         std::to_string(lost.place.block_offset) + ", entry " + std::to_string(lost.place.entry);
}

struct Totals {
  VerifyCounts counts;
  uint64_t files = 0;
  uint64_t without_filter = 0;
  uint64_t without_checksums = 0;
  std::set<std::string> doubts;
  uint64_t failed = 0;
  uint64_t vanished = 0;
};

Totals Sum(const Inputs& inputs, const std::vector<VerifyResult>& results) {
  Totals totals;
  for (size_t i = 0; i < results.size(); ++i) {
    // The findings in a damaged file count, as far as it was read.
    totals.counts.Add(results[i].counts);
    if (!results[i].doubt.empty()) totals.doubts.insert(results[i].doubt);
    totals.failed += inputs.files[i].state == FileState::kFailed;
    totals.vanished += inputs.files[i].state == FileState::kVanished;
    if (inputs.files[i].state != FileState::kDone) continue;
    ++(results[i].has_filter ? totals.files : totals.without_filter);
    totals.without_checksums += !results[i].has_checksums;
  }
  return totals;
}

std::string Counted(uint64_t count, const std::string& one, const std::string& many) {
  return cli::CountText(count) + " " + (count == 1 ? one : many);
}

// Prints the line about what was checked.
void PrintChecked(const Totals& totals) {
  const VerifyCounts& counts = totals.counts;
  std::string text = "checked: " + Counted(counts.keys, "key", "keys");
  if (counts.ranges != 0) {
    text += ", with ranges around " +
            (counts.ranges == counts.keys ? "each" : cli::CountText(counts.ranges) + " of them");
  }
  if (counts.prefixes != 0) text += ", " + cli::CountText(counts.prefixes) + " prefixes";
  PrintWrapped(text + " (" + Counted(counts.entries, "entry", "entries") + ") in " +
               FilesText(totals.files));
}

void PrintNotChecked(const Totals& totals, uint64_t problems) {
  const VerifyCounts& counts = totals.counts;
  const auto not_checked = [](uint64_t count, const std::string& what) {
    if (count != 0) PrintWrapped("not checked: " + what);
  };
  not_checked(problems, Counted(problems, "path", "paths") + " with an error (stderr says which)");
  not_checked(totals.vanished, FilesText(totals.vanished) + ", removed meanwhile");
  not_checked(totals.without_filter, FilesText(totals.without_filter) + ", which have no filter");
  not_checked(totals.without_checksums,
              "the checksums of " + FilesText(totals.without_checksums) + ", which have none");
  for (const auto& [reason, keys] : counts.not_checked) {
    not_checked(keys.count, Counted(keys.count, "key: ", "keys: ") + reason);
  }
}

void PrintText(const Inputs& inputs, const std::vector<VerifyResult>& results) {
  const Totals totals = Sum(inputs, results);
  uint64_t listed = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    for (const LostKey& lost : results[i].lost) {
      cli::PrintLine(LostText(inputs.files[i].path, lost));
      ++listed;
    }
  }
  const VerifyCounts& counts = totals.counts;
  if (counts.lost > listed) {
    std::cout << "and " << cli::CountText(counts.lost - listed) << " more lost keys\n";
  }
  PrintChecked(totals);
  const uint64_t problems = totals.failed + inputs.errors.size();
  PrintNotChecked(totals, problems);
  // Keys of a missing or damaged table may be lost, too.
  std::cout << "lost: " << cli::CountText(counts.lost)
            << (problems != 0                 ? " of the checked keys; others may be, see stderr"
                : counts.others_may_be_lost() ? " of the checked keys; others may be"
                                              : "")
            << '\n';
  for (const std::string& doubt : totals.doubts) PrintWrapped(doubt);
}

void PrintJson(const Inputs& inputs, const std::vector<VerifyResult>& results) {
  const Totals totals = Sum(inputs, results);
  cli::Json json = CountsJson(totals.counts);
  json["files_checked"] = totals.files;
  json["files_without_filter"] = totals.without_filter;
  json["files_without_checksums"] = totals.without_checksums;
  json["files"] = cli::Json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    const InputFile& input = inputs.files[i];
    if (input.state == FileState::kVanished) continue;
    cli::Json file{{"path", input.path},
                   {"level", LevelJson(input.level)},
                   {"complete", input.state == FileState::kDone},
                   {"has_filter", results[i].has_filter},
                   {"has_checksums", results[i].has_checksums}};
    file.update(CountsJson(results[i].counts));
    file["doubt"] = cli::TextOrNull(results[i].doubt);
    file["lost_keys"] = cli::Json::array();
    for (const LostKey& lost : results[i].lost) file["lost_keys"].push_back(LostJson(lost));
    json["files"].push_back(std::move(file));
  }
  AddProblems(inputs, &json);
  cli::Print(json);
}

int Run(const VerifyOptions& options) {
  Inputs inputs = OpenInputs(options.common);
  std::atomic<uint64_t> listed{0};
  const auto results = ResultsOfFiles<VerifyResult>(
      &inputs, options.common, "verify", false,
      [&](size_t, const sstable::Table& table, VerifyResult* result, std::string* error) {
        return VerifyFile(table, options.max_errors, &listed, result, error);
      });
  if (options.common.json) {
    PrintJson(inputs, results);
  } else {
    PrintText(inputs, results);
  }
  const bool may_be_lost = std::any_of(results.begin(), results.end(), [](const auto& result) {
    return result.counts.lost != 0 || result.counts.others_may_be_lost();
  });
  const int exit_code = ReportProblems(inputs, "verify");
  return may_be_lost ? cli::kExitFailure : exit_code;
}

}  // namespace

void AddVerifyCommand(CLI::App* db, int* exit_code) {
  CLI::App* command =
      db->add_subcommand("verify", "Queries the filters for every key: none may be lost");
  auto options = std::make_shared<VerifyOptions>();
  AddCommonOptions(command, &options->common);
  command
      ->add_option("--max-errors", options->max_errors,
                   "How many lost keys are listed; all are counted")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1000000}))
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "    bloomline db verify /var/lib/app/db\n\n"
      "Reads all blocks of files with filters. A key is queried without its\n"
      "timestamp, and as a prefix where the filters hold prefixes (extractors known:\n"
      "rocksdb.FixedPrefix.N, rocksdb.CappedPrefix.N, rocksdb.Noop,\n"
      "bloomline.ranges). Filters that have entries for ranges are queried for ranges\n"
      "around each key, too. What is not checked is counted, with the reason.\n"
      "Exit code: 0 done, no key is lost; 1 a key is lost, or keys could not be\n"
      "checked, or a file cannot be read or is damaged; 2 an invalid request.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db

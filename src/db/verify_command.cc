// bloomline db verify: looks for false negatives, with queries for all keys of each table.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/engine_filters/table_range_filter.h"
#include "src/db/subcommands.h"
#include "src/db/survey/inputs.h"
#include "src/db/survey/key_walk.h"
#include "src/db/survey/report.h"
#include "src/db/tables/table.h"
#include "src/db/tables/table_parts.h"
#include "src/support/hex.h"
#include "src/support/number_text.h"
#include "src/tool/commands.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::db {
namespace {

// The enumerators have the order of kLosses.
enum class Loss {
  kKey,
  kPrefix,  // the key's prefix
  kRange,   // the table's range filter rejects a range that has the key
  // RocksDB queries partitions that hold only prefixes even for keys without a prefix: MultiGet
  // takes every key of an empty partition for missing (PartitionedFilterBlockReader::MayMatch).
  kEmptyPartition,
};

// A key that its filter lacks.
struct LostKey {
  std::string key;     // user key with its timestamp
  std::string prefix;  // for kPrefix
  Loss loss = Loss::kKey;
  EntryPlace place;
  uint64_t filter = 0;  // number of the partition or range of offsets; of kRange, 0
};

struct VerifyCounts {
  uint64_t entries = 0;   // entries read: versions of keys, and deletions
  uint64_t keys = 0;      // different keys that were queried
  uint64_t prefixes = 0;  // different prefixes that were queried
  uint64_t ranges = 0;    // different keys around which ranges were queried
  uint64_t lost = 0;
  // Keys or prefixes that were not queried, by reason.
  struct NotChecked {
    uint64_t count = 0;
    // The engine queries an unknown filter for them. False: it queries none.
    bool may_be_lost = false;
  };
  std::map<std::string, NotChecked> not_checked;

  void Add(const VerifyCounts& other);
  void AddNotChecked(const std::string& reason, uint64_t count, bool may_be_lost);
  bool others_may_be_lost() const;
};

struct VerifyResult {
  bool has_filter = true;  // for keys or for ranges
  bool has_checksums = true;
  VerifyCounts counts;
  // Why keys that count as lost may be in the filter after all; empty: they are lost.
  std::string doubt;
  std::vector<LostKey> lost;  // the first ones
};

using engine_filters::EngineFilter;
using tables::Engine;
using tables::FilterKind;
using tables::Table;

constexpr const char* kRangeDeletions = "range deletions, which are not in filters";
constexpr const char* kNoPrefix = "the filters hold only prefixes, and they have none";
constexpr const char* kFormerCompact = "compact filters (before 0.4.0) match every key";
constexpr const char* kRewrite =
    "Lost keys are still in the data. Compact the files, which writes new filters, and verify "
    "again.";

// The lost keys that are listed, of all files together.
struct ListedLostKeys {
  uint64_t most = 0;
  // LostKey and its allocations, and the nodes and texts that are made of it for JSON.
  uint64_t bytes_beside_key = 0;
  std::atomic<uint64_t> keys{0};
  std::atomic<uint64_t> bytes{0};
};

class Verifier final : public KeyWalk {
 public:
  Verifier(const Table& table, ListedLostKeys* listing, VerifyResult* result)
      : KeyWalk(table), listing_(*listing), result_(*result) {
    const std::string_view ranges = RangesOf(table);
    if (ranges.empty()) return;
    ranges_.emplace(ranges);
    why_no_ranges_ = ranges_->WhyUnasked(keys_.comparator);
  }

  // The property; empty: the table has no range filter.
  static std::string_view RangesOf(const Table& table) {
    return table.parts().stored_properties.Text(engine_filters::kRangeProperty);
  }

 private:
  bool OpenFilter(std::optional<uint64_t> before, std::string* error) override {
    // The engine would not find such keys, and each would cost the reading of a filter.
    if (before && filter() < *before) {
      return AnswerAll(error) &&
             support::Refuse(error, table_.path(), ": data block at offset ", place().block_offset,
                             ": entry ", place().entry,
                             ": its key is before others in the order of comparator '",
                             keys_.comparator, "'");
    }
    ForgetLast();
    is_empty_partition_ = false;
    if (table_.filter_kind() != FilterKind::kPartitioned) return true;
    if (!AnswerAll(error) || !ReadFilters(filter(), error)) return false;
    if (!IsFilter(filter())) return true;
    if (filters_.At(filter(), error) == nullptr) return false;
    const bool is_queried = keys_.whole_keys || keys_.prefixes || !keys_.unknown.empty();
    is_empty_partition_ = is_queried && filters_.bytes() == 0;
    return true;
  }

  bool AddEntry(std::string* error) override {
    ++result_.counts.entries;
    return VisitEntry(error);
  }

  bool IsQueried(std::string_view key) override {
    CheckRanges(key);
    if (table_.filter_kind() == FilterKind::kNone) return false;
    if (!is_empty_partition_) return true;
    ++result_.counts.keys;
    AddLost({entry().user_key(), key, Purpose::kKey, filter(), place()},
            keys_.whole_keys ? Loss::kKey : Loss::kEmptyPartition);
    return false;
  }

  void AddKey(std::string_view key) override {
    if (!keys_.unknown.empty()) result_.counts.AddNotChecked(keys_.unknown, 1, true);
    for (size_t i = 1; i < table_.filter_entries().size(); ++i) {
      result_.counts.AddNotChecked("the filter " + table_.filter_entries()[i] + " is not known", 1,
                                   true);
    }
    std::string_view prefix;
    if (!keys_.whole_keys && keys_.unknown.empty() && !keys_.Prefix(key, &prefix)) {
      result_.counts.AddNotChecked(kNoPrefix, 1, false);
    }
  }

  void CheckRanges(std::string_view key) {
    if (!ranges_ || last_range_key_ == key) return;
    const std::string before = last_range_key_.value_or("");
    last_range_key_ = key;
    if (!why_no_ranges_.empty()) {
      result_.counts.AddNotChecked("the range filter is not used: " + why_no_ranges_, 1,
                                   !ranges_->is_understood());
      return;
    }
    ++result_.counts.ranges;
    if (!ranges_->RangesAroundMayMatch(before, key)) {
      AddLost({key, key, Purpose::kKey, 0, place()}, Loss::kRange);
    }
  }

  bool Finish(std::string* error) override {
    return table_.filter_kind() == FilterKind::kNone ||
           ReadFilters(filters_.reader().num_filters(), error);
  }

  // Filters that no key leads to may be damaged, too. Filters by offset share one block.
  bool ReadFilters(uint64_t end, std::string* error) {
    if (table_.filter_kind() == FilterKind::kByOffset) return true;
    for (; next_filter_ < std::min(end, filters_.reader().num_filters()); ++next_filter_) {
      if (filters_.At(next_filter_, error) == nullptr) return false;
    }
    return true;
  }

  void Answer(const Query& query, const EngineFilter* filter, bool may_match) override {
    const bool is_prefix = query.purpose == Purpose::kPrefix;
    if (query.filter == Table::FilterReader::kNoFilter) {
      result_.counts.AddNotChecked("the engine queries no filter for them", 1, false);
      return;
    }
    // A filter that is not understood matches every key and proves nothing. `filter` is null if we
    // do not know which filter the engine queries.
    if (filter == nullptr || !filter->CanQuery()) {
      const std::string why = filter != nullptr
                                  ? filter->why
                                  : "their partitions are not known: comparator '" +
                                        keys_.comparator + "' is not known to this program";
      result_.counts.AddNotChecked(why, 1, true);
      return;
    }
    if (filter->layout == engine_filters::FilterLayout::kFormerCompact) {
      result_.counts.AddNotChecked(kFormerCompact, 1, false);
      return;
    }
    uint64_t& queried = is_prefix ? result_.counts.prefixes : result_.counts.keys;
    ++queried;
    if (!may_match) AddLost(query, is_prefix ? Loss::kPrefix : Loss::kKey);
  }

  void AddLost(const Query& query, Loss loss) {
    if (result_.counts.lost++ == 0 && !keys_.order.is_known &&
        table_.engine() == Engine::kRocksDB) {
      result_.doubt =
          "comparator '" + keys_.comparator +
          "' is not known to this program: if its keys end in timestamps, which filters leave "
          "out, they need not be lost";
    }
    const std::string_view prefix = loss == Loss::kPrefix ? query.queried : std::string_view();
    constexpr uint64_t kCopies = 16;  // in JSON: hexadecimal digits, twice, in a growing text
    const uint64_t bytes = listing_.bytes_beside_key + kCopies * (query.key.size() + prefix.size());
    // The list must leave memory for the keys that are still to be counted.
    tables::Memory& memory = table_.parts().blocks.memory;
    is_listing_ = is_listing_ && listing_.keys.fetch_add(1) < listing_.most &&
                  listing_.bytes.fetch_add(bytes) + bytes <= memory.most() / 4 &&
                  memory.TryToTake(bytes);
    if (!is_listing_) return;
    result_.lost.push_back(
        {std::string(query.key), std::string(prefix), loss, query.place, query.filter});
  }

  ListedLostKeys& listing_;
  VerifyResult& result_;
  bool is_listing_ = true;
  uint64_t next_filter_ = 0;  // the first filter that was not read
  bool is_empty_partition_ = false;
  std::optional<engine_filters::TableRangeFilter> ranges_;
  std::string why_no_ranges_;  // why they are not queried
  std::optional<std::string> last_range_key_;
};

void VerifyCounts::Add(const VerifyCounts& other) {
  entries += other.entries;
  keys += other.keys;
  prefixes += other.prefixes;
  ranges += other.ranges;
  lost += other.lost;
  for (const auto& [reason, keys_of_it] : other.not_checked) {
    AddNotChecked(reason, keys_of_it.count, keys_of_it.may_be_lost);
  }
}

void VerifyCounts::AddNotChecked(const std::string& reason, uint64_t count, bool may_be_lost) {
  NotChecked& of_reason = not_checked[reason];
  of_reason.count += count;
  of_reason.may_be_lost = of_reason.may_be_lost || may_be_lost;
}

bool VerifyCounts::others_may_be_lost() const {
  return std::any_of(not_checked.begin(), not_checked.end(),
                     [](const auto& reason) { return reason.second.may_be_lost; });
}

// Reads what is behind the data blocks, and so checks its checksums.
bool ReadOtherBlocks(const Table& table, std::string* error) {
  for (const auto& [name, handle] : table.parts().meta) {
    tables::BlockReader reader(&table.parts().blocks, tables::BlockReader::Access::kRandom);
    std::string_view block;
    if (!reader.Read(name.c_str(), handle, &block, error)) return false;
  }
  return true;
}

// `all`: also reads what no filter needs. Memory: that of KeyWalk. Returns false with *error if the
// table is damaged; *result has the findings up to the damage.
bool VerifyFile(const Table& table, bool all, ListedLostKeys* listing, VerifyResult* result,
                std::string* error) {
  const uint64_t range_deletions = table.properties().num_range_deletions;
  if (range_deletions != tables::kUnknownCount && range_deletions != 0) {
    result->counts.AddNotChecked(kRangeDeletions, range_deletions, false);
  }
  if (table.filter_kind() == FilterKind::kNone && Verifier::RangesOf(table).empty()) {
    result->has_filter = false;
    if (!all) return true;
  }
  if (!table.HasSequenceNumbers()) {
    return support::Refuse(error, table.path(), ": has ", kNoSequenceNumbers);
  }
  result->has_checksums = table.has_checksums();
  return Verifier(table, listing, result).Run(error) && (!all || ReadOtherBlocks(table, error));
}

// ---- The output.

// Returns printable ASCII without spaces unchanged, other keys in hexadecimal with 0x before it.
std::string KeyText(std::string_view key) {
  const bool printable =
      !key.empty() && key.substr(0, 2) != "0x" &&
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
  return printable ? std::string(key) : "0x" + support::Hex(key);
}

struct VerifyOptions {
  CommonOptions common;
  uint64_t max_errors = 100;
  bool all = false;
};

tool::Json CountsJson(const VerifyCounts& counts) {
  const auto skipped = [](const auto& row) -> tool::Json {
    const auto& [reason, keys] = row;
    return {{"reason", reason}, {"count", keys.count}, {"may_be_lost", keys.may_be_lost}};
  };
  return {{"entries", counts.entries},
          {"keys_checked", counts.keys},
          {"prefixes_checked", counts.prefixes},
          {"ranges_checked", counts.ranges},
          {"lost", counts.lost},
          {"not_checked", ListJson(counts.not_checked, skipped)}};
}

struct LossText {
  const char* name;  // in JSON
  const char* how;
};
constexpr LossText kLosses[] = {
    {"key", ""},
    {"prefix", ", by its prefix "},
    {"range", ", by the range filter"},
    {"empty_partition", ", by MultiGet: its partition of the filter has no bytes"}};

const LossText& TextOf(Loss loss) { return kLosses[static_cast<size_t>(loss)]; }

tool::Json LostJson(const LostKey& lost) {
  tool::Json json{{"key", KeyText(lost.key)},
                  {"key_hex", support::Hex(lost.key)},
                  {"by", TextOf(lost.loss).name}};
  if (lost.loss == Loss::kPrefix) {
    json["prefix"] = KeyText(lost.prefix);
    json["prefix_hex"] = support::Hex(lost.prefix);
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
  uint64_t in_part = 0;  // the damaged ones of these, which were read up to the damage
  uint64_t vanished = 0;
};

Totals Sum(const Inputs& inputs, const std::vector<VerifyResult>& results) {
  Totals totals;
  for (size_t i = 0; i < results.size(); ++i) {
    // The findings in a damaged file count, as far as it was read.
    totals.counts.Add(results[i].counts);
    if (!results[i].doubt.empty()) totals.doubts.insert(results[i].doubt);
    const FileState state = inputs.files[i].state;
    totals.failed += state == FileState::kFailed;
    totals.in_part += state == FileState::kFailed && results[i].counts.entries != 0;
    totals.vanished += state == FileState::kVanished;
    if (state != FileState::kDone) continue;
    uint64_t& files = results[i].has_filter ? totals.files : totals.without_filter;
    ++files;
    totals.without_checksums += !results[i].has_checksums;
  }
  return totals;
}

// Prints the line about what was checked.
void PrintChecked(const Totals& totals, uint64_t problems) {
  const VerifyCounts& counts = totals.counts;
  if (totals.files + totals.in_part == 0) {
    const char* const why = problems != 0                ? "no file with a filter can be read"
                            : totals.without_filter != 0 ? "no file has a filter"
                                                         : "there are no tables";
    tool::PrintLine(std::string("checked: nothing, because ") + why);
    return;
  }
  std::string text = "checked: " + tool::Counted(counts.keys, "key", "keys");
  if (counts.ranges != 0) text += ", " + tool::Counted(counts.ranges, "key", "keys") + " by ranges";
  if (counts.prefixes != 0) text += ", " + tool::Counted(counts.prefixes, "prefix", "prefixes");
  PrintWrapped(text + " (" + tool::Counted(counts.entries, "entry", "entries") + ") in " +
               FilesText(totals.files) +
               (totals.in_part == 0 ? "" : " and a part of " + FilesText(totals.in_part)));
}

void PrintNotChecked(const Inputs& inputs, const Totals& totals, uint64_t unread) {
  const VerifyCounts& counts = totals.counts;
  const auto not_checked = [](uint64_t count, const std::string& what) {
    if (count != 0) PrintWrapped("not checked: " + what);
  };
  not_checked(totals.in_part, "the rest of " + FilesText(totals.in_part) + " (stderr says why)");
  not_checked(unread,
              tool::Counted(unread, "path", "paths") + " with an error (stderr says which)");
  not_checked(totals.vanished, FilesText(totals.vanished) + ", removed meanwhile");
  const auto which_have = [](uint64_t files) {
    return tool::Counted(files, "file, which has", "files, which have");
  };
  not_checked(totals.without_filter, which_have(totals.without_filter) + " no filter");
  not_checked(totals.without_checksums,
              "the checksums of " + which_have(totals.without_checksums) + " none");
  for (const auto& [reason, keys] : counts.not_checked) {
    const bool is_deletion = reason == kRangeDeletions;
    not_checked(keys.count, is_deletion ? tool::Counted(keys.count, "range deletion, which is",
                                                        "range deletions, which are") +
                                              " not in filters"
                                        : tool::Counted(keys.count, "key: ", "keys: ") + reason);
  }
  for (const tree::Database& database : inputs.databases) {
    for (const std::string& logs : LogTexts(database)) not_checked(1, logs);
  }
}

// Says which keys the number of lost keys covers: those of unread tables may be lost, too.
const char* ScopeOfLost(const VerifyCounts& counts, uint64_t problems) {
  if (problems != 0) return " of the checked keys; others may be lost, see stderr";
  if (counts.others_may_be_lost()) return " of the checked keys; others may be lost";
  return counts.keys + counts.prefixes + counts.ranges == 0 ? ", because no key was checked" : "";
}

void PrintText(const Inputs& inputs, const std::vector<VerifyResult>& results, bool all) {
  const Totals totals = Sum(inputs, results);
  uint64_t listed = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    for (const LostKey& lost : results[i].lost) {
      tool::PrintLine(LostText(inputs.files[i].path, lost));
      ++listed;
    }
  }
  const VerifyCounts& counts = totals.counts;
  if (counts.lost > listed) {
    std::cout << "and " << tool::CountText(counts.lost - listed) << " more lost keys\n";
  }
  const uint64_t problems = totals.failed + inputs.errors.size();
  PrintChecked(totals, problems);
  if (all) {
    PrintWrapped("read: every block of " +
                 tool::Counted(totals.files + totals.without_filter, "table", "tables") + ", " +
                 tool::Counted(counts.entries, "entry", "entries"));
  }
  PrintNotChecked(inputs, totals, problems - totals.in_part);
  std::cout << "lost: " << tool::CountText(counts.lost) << ScopeOfLost(counts, problems) << '\n';
  if (counts.lost != 0 && totals.doubts.empty()) PrintWrapped(kRewrite);
  for (const std::string& doubt : totals.doubts) PrintWrapped(doubt);
}

void PrintJson(const Inputs& inputs, const std::vector<VerifyResult>& results) {
  const Totals totals = Sum(inputs, results);
  tool::Json json = CountsJson(totals.counts);
  json["databases"] = ListJson(inputs.databases, DatabaseJson);
  json["files_checked"] = totals.files;
  json["files_without_filter"] = totals.without_filter;
  json["files_without_checksums"] = totals.without_checksums;
  json["files"] = tool::Json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    const SurveyedFile& input = inputs.files[i];
    if (input.state == FileState::kVanished) continue;
    tool::Json file{{"path", input.path},
                    {"level", LevelJson(input.level)},
                    {"complete", input.state == FileState::kDone},
                    {"has_filter", results[i].has_filter},
                    {"has_checksums", results[i].has_checksums}};
    file.update(CountsJson(results[i].counts));
    file["doubt"] = tool::TextOrNull(results[i].doubt);
    file["lost_keys"] = ListJson(results[i].lost, LostJson);
    json["files"].push_back(std::move(file));
  }
  AddProblems(inputs, &json);
  tool::Print(json);
}

int Run(const VerifyOptions& options) {
  Inputs inputs = OpenInputs(options.common);
  ListedLostKeys listing;
  listing.most = options.max_errors;
  listing.bytes_beside_key = options.common.json ? 2048 : 2 * sizeof(LostKey);
  const auto results = ResultsOfFiles<VerifyResult>(
      &inputs, options.common, "verify", false,
      [&](size_t, const tables::Table& table, VerifyResult* result, std::string* error) {
        return VerifyFile(table, options.all, &listing, result, error);
      });
  if (options.common.json) {
    PrintJson(inputs, results);
  } else {
    PrintText(inputs, results, options.all);
  }
  int exit_code = ReportProblems(inputs, "verify");
  for (const VerifyResult& result : results) {
    if (result.counts.lost != 0) return tool::kExitCheckFailed;
    if (result.counts.others_may_be_lost()) exit_code = tool::kExitFailure;
  }
  return exit_code;
}

}  // namespace

void AddVerifyCommand(CLI::App* db, int* exit_code) {
  CLI::App* command =
      db->add_subcommand("verify", "Queries the filters for every key: none may be lost");
  auto options = std::make_shared<VerifyOptions>();
  AddCommonOptions(command, &options->common);
  tool::AddQuantity(
      command, "--max-errors", &options->max_errors,
      [](const std::string& text, std::string* error) {
        return tool::ParseWhole(text, 0, 1000000, error);
      },
      "How many lost keys are listed, as far as memory\n"
      "allows; all are counted [100]");
  command->add_flag("--all", options->all,
                    "Read every block of every table, also of those without\n"
                    "a filter, and check all checksums. Blob files are not\n"
                    "read");
  command->footer(
      "Example:\n"
      "    bloomline db verify /var/lib/app/db\n\n"
      "A key is queried without its timestamp. Range filters are queried for ranges that\n"
      "contain the key. Each version of a key, and each deletion, is an entry.\n"
      "bloomline-db-verify(1) says more.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db

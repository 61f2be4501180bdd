// The report of RewriteFilters as text.
#include <array>
#include <cstddef>

#include "bloomline/rewrite_filters.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using support::BytesText;

constexpr size_t kMaxPaths = 20;

// Says what an operator can do about files that were skipped.
struct Advice {
  RewriteSkip reason;
  const char* name;
  const char* text;
};
constexpr std::array<Advice, 4> kAdvice = {{
    {RewriteSkip::kDamaged, "damaged",
     "If the error is temporary (too many open files), run again; otherwise restore these files "
     "from a backup: their keys are at risk, and a compaction that reads them stops all writes"},
    {RewriteSkip::kNoSpace, "no space", "Free disk space; then run again"},
    {RewriteSkip::kBusy, "busy",
     "Other compactions have these files and may give them new filters; run again to see the "
     "rest"},
    {RewriteSkip::kLeft, "left", "Run again to go on with these files"},
}};

std::string Seconds(double seconds) {
  return seconds < 120 ? support::NumberText(seconds, 1) + " s"
                       : support::NumberText(seconds / 60, 0) + " min";
}

std::string Files(uint64_t files) {
  return std::to_string(files) + (files == 1 ? " file" : " files");
}

}  // namespace

std::string RewriteReport::ToString() const {
  const uint64_t right = files - files_to_rewrite;
  const uint64_t left_out = level0_files_left + last_level_files_left;
  std::string text = "Column family '" + column_family + "': " + Files(files + left_out) + "; " +
                     std::to_string(files_to_rewrite) + " to rewrite (" +
                     BytesText(bytes_to_rewrite) + ")";
  if (right > 0) text += ", " + std::to_string(right) + " with the wanted filter";
  if (left_out > 0) text += ", " + std::to_string(left_out) + " left out";
  text += "\n";
  for (const Advice& advice : kAdvice) {
    uint64_t count = 0;
    uint64_t bytes = 0;
    std::string paths;
    for (const Skipped& file : skipped) {
      if (file.reason != advice.reason) continue;
      bytes += file.bytes;
      if (count++ >= kMaxPaths) continue;
      paths += "  " + file.path + (file.text.empty() ? "" : ": " + file.text) + "\n";
    }
    if (count == 0 || (is_dry_run && advice.reason == RewriteSkip::kLeft)) continue;
    text += std::string("Not done, ") + advice.name + ": " + Files(count) + " of " +
            BytesText(bytes) + ". " + advice.text + ".\n" + paths;
    if (count > kMaxPaths) text += "  and " + std::to_string(count - kMaxPaths) + " more\n";
  }
  if (is_dry_run) {
    text += "Dry run: a rewrite would read and write about " + BytesText(bytes_to_rewrite) + "\n";
  } else {
    text += "Rewritten: " + Files(files_rewritten);
    if (chained_files > 0) {
      text += ", " + std::to_string(chained_files) + " of them with neighbours";
    }
    text += "; read " + BytesText(bytes_read) + ", written " + BytesText(bytes_written) + " in " +
            Seconds(seconds) + "\n";
  }
  if (level0_files_left > 0) {
    text +=
        "Left out: " + Files(level0_files_left) + " of level 0; include_level0=true takes these\n";
  }
  if (last_level_files_left > 0) {
    text += "Left out: " + Files(last_level_files_left) +
            " of the last level, which takes no new data because of allow_ingest_behind or "
            "preclude_last_level_data_seconds\n";
  }
  if (files_gone > 0) {
    text += "Merged by RocksDB's own compactions meanwhile, or dropped with the family: " +
            Files(files_gone) + "\n";
  }
  if (!ended_by.empty()) text += "Ended early: " + ended_by + "\n";
  text += "Filters before:\n";
  for (const auto& [kind, sum] : before) {
    text += "  " + kind + ": " + Files(sum.files) + " of " + BytesText(sum.file_bytes) +
            ", filters " + BytesText(sum.filter_bytes) + "\n";
  }
  return text;
}

}  // namespace bloomline

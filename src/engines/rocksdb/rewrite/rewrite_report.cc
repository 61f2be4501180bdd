// The report of RewriteFilters as text.
#include <array>
#include <cstddef>

#include "bloomline/rewrite_filters.h"
#include "src/support/number_text.h"
#include "src/support/units.h"

namespace bloomline {
namespace {

using support::BytesText;

constexpr size_t kMaxPaths = 20;

// What an operator can do about files that were skipped.
struct Advice {
  RewriteSkip reason;
  const char* name;
  const char* text;
};
constexpr std::array<Advice, 5> kAdvice = {{
    {RewriteSkip::kDamaged, "damaged",
     "Unless the reason passes, such as too many open files, restore these files from a backup: "
     "their keys are at risk, and a compaction that reads them stops all writes"},
    {RewriteSkip::kNoSpace, "no space", "Free disk space; then call again"},
    {RewriteSkip::kBusy, "busy", "Other compactions had these files; call again to see the rest"},
    {RewriteSkip::kLeft, "left", "Call again to go on with these files"},
    {RewriteSkip::kSame, "same",
     "These files were rewritten, but their new filters are not those expected; the database's LOG "
     "may say why"},
}};

std::string Seconds(double seconds) {
  return seconds < 120 ? support::NumberText(seconds, 1) + " s"
                       : support::NumberText(seconds / 60, 0) + " min";
}

std::string Files(uint64_t files) {
  return std::to_string(files) + (files == 1 ? " file" : " files");
}

std::string FiltersText(const std::map<std::string, RewriteReport::Filters>& filters) {
  std::string text;
  for (const auto& [kind, sum] : filters) {
    text += "  " + kind + ": " + Files(sum.files) + " of " + BytesText(sum.file_bytes) +
            ", filters " + BytesText(sum.filter_bytes) + "\n";
  }
  return text.empty() ? "  no files\n" : text;
}

std::string TextOf(const RewriteReport& report) {
  const uint64_t left_out = report.level0_files_left + report.last_level_files_left;
  std::string text = "Column family '" + report.column_family +
                     "': " + Files(report.files + left_out) + "; " +
                     std::to_string(report.files_to_rewrite) + " to rewrite (" +
                     BytesText(report.bytes_to_rewrite) + ")";
  if (left_out > 0) text += ", " + std::to_string(left_out) + " left out";
  text += "\n";
  if (report.is_dry_run) {
    text += "Dry run: a rewrite would read and write about " + BytesText(report.bytes_to_rewrite);
    if (report.estimated_seconds > 0) text += " in " + Seconds(report.estimated_seconds);
    text += "\n";
  } else {
    text += "Rewritten: " + Files(report.files_rewritten);
    if (report.chained_files > 0) {
      text += ", " + std::to_string(report.chained_files) + " of them with neighbours";
    }
    text += "; read " + BytesText(report.bytes_read) + ", written " +
            BytesText(report.bytes_written) + " in " + Seconds(report.seconds) + "\n";
  }
  if (report.level0_files_left > 0) {
    text += "Left out: " + Files(report.level0_files_left) +
            " of level 0; include_level0=true takes these\n";
  }
  if (report.last_level_files_left > 0) {
    text += "Left out: " + Files(report.last_level_files_left) +
            " of the last level, which takes no new data because of allow_ingest_behind or "
            "preclude_last_level_data_seconds\n";
  }
  if (report.is_dropped) {
    text += "The column family was dropped, and " + Files(report.files_gone) + " with it\n";
  } else if (report.files_gone > 0) {
    text += "Replaced by other compactions: " + Files(report.files_gone) + "\n";
  }
  if (!report.ended_by.empty()) text += "Ended early: " + report.ended_by + "\n";
  text += "Filters before:\n" + FiltersText(report.before);
  if (!report.is_dry_run) text += "Filters after:\n" + FiltersText(report.after);
  for (const Advice& advice : kAdvice) {
    uint64_t count = 0;
    uint64_t bytes = 0;
    std::string paths;
    for (const RewriteReport::Skipped& file : report.skipped) {
      if (file.reason != advice.reason) continue;
      bytes += file.bytes;
      if (count++ >= kMaxPaths) continue;
      paths += "  " + file.path + (file.text.empty() ? "" : ": " + file.text) + "\n";
    }
    if (count == 0 || (report.is_dry_run && advice.reason == RewriteSkip::kLeft)) continue;
    text += std::string("Not done, ") + advice.name + ": " + Files(count) + " of " +
            BytesText(bytes) + ". " + advice.text + ".\n" + paths;
    if (count > kMaxPaths) text += "  and " + std::to_string(count - kMaxPaths) + " more\n";
  }
  return text;
}

}  // namespace

const char* RewriteSkipName(RewriteSkip reason) {
  for (const Advice& advice : kAdvice) {
    if (advice.reason == reason) return advice.name;
  }
  return "unknown";
}

std::string RewriteReport::ToString() const { return TextOf(*this); }

}  // namespace bloomline

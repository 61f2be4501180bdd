#include "src/db/tree/folder_listing.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "src/support/file_io.h"
#include "src/support/number_text.h"

namespace bloomline::tree {

std::string Join(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

bool Exists(const std::string& path) {
  std::error_code code;
  return std::filesystem::status(path, code).type() != std::filesystem::file_type::not_found;
}

std::string SixDigits(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(6 - std::min<size_t>(digits.size(), 6), '0') + digits;
}

std::string OptionsName(uint64_t number) { return "OPTIONS-" + SixDigits(number); }

std::optional<uint64_t> NumberBehind(std::string_view prefix, std::string_view name) {
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  uint64_t number;
  if (!support::ParseUint64(name.substr(prefix.size()), &number)) return std::nullopt;
  return number;
}

bool ListFolder(const std::string& folder, FolderListing* listing, std::string* error) {
  std::error_code code;
  std::filesystem::directory_iterator entry(folder, code);
  const std::filesystem::directory_iterator end;
  for (; !code && entry != end; entry.increment(code)) {
    std::string name = entry->path().filename();
    const std::string_view stem = std::string_view(name).substr(0, name.rfind('.'));
    const std::string_view suffix = std::string_view(name).substr(stem.size());
    const auto number = NumberBehind("", stem);
    if (number && (suffix == ".sst" || suffix == ".ldb")) {
      listing->tables.emplace(*number, std::move(name));
    } else if (number && suffix == ".log") {
      support::FileStatus log;
      if (support::Examine(entry->path(), &log)) listing->logs.emplace_back(*number, log.size);
    } else if (name == "IDENTITY") {
      listing->has_identity = true;
    } else if (const auto options = NumberBehind("OPTIONS-", name)) {
      listing->newest_options = std::max(listing->newest_options, *options);
    } else if (name.rfind("marker.manifest.", 0) == 0) {
      listing->pebble_marker = std::max(listing->pebble_marker, name);
    }
  }
  return !code || support::Refuse(error, folder, ": cannot be listed: ", code.message());
}

}  // namespace bloomline::tree

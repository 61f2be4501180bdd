#include "src/db/tree/pebble.h"

#include <algorithm>

#include "src/db/tables/table.h"
#include "src/db/tree/folder_listing.h"
#include "src/db/tree/options_file.h"
#include "src/support/file_io.h"

namespace bloomline::tree {
namespace {

bool IsPebbleOptions(const std::string& path) {
  std::string text, ignored;
  if (!support::ReadSmallFile(path, kMaxOptionsBytes, &text, &ignored)) return false;
  OptionsFile options;
  ParseOptionsFile(text, &options);
  return options.version.count("pebble_version") != 0;
}

}  // namespace

PebbleSign FindPebbleSign(const std::string& folder) {
  FolderListing listing;
  std::string ignored;  // who reads the folder reports it
  if (!ListFolder(folder, &listing, &ignored)) return {};
  if (!listing.pebble_marker.empty()) return {PebbleSign::Kind::kMarker, listing.pebble_marker};
  const std::string options = OptionsName(listing.newest_options);
  if (listing.newest_options != 0 && IsPebbleOptions(Join(folder, options))) {
    return {PebbleSign::Kind::kOptions, "pebble_version in " + options};
  }
  const auto newest =
      std::max_element(listing.tables.begin(), listing.tables.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  if (newest != listing.tables.end() && tables::IsPebbleTable(Join(folder, newest->second))) {
    return {PebbleSign::Kind::kTable, "the magic number of " + newest->second};
  }
  return {};
}

std::string PebbleText(const std::string& sign) { return ": is a Pebble database (" + sign + ")"; }

std::string PebbleRefusal(const std::string& sign) {
  return PebbleText(sign) +
         ", which has other options and filters than RocksDB: this command reads nothing of it";
}

}  // namespace bloomline::tree

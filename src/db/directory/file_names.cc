#include "src/db/directory/file_names.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/support/file_io.h"
#include "src/support/number_text.h"

namespace bloomline::directory {

std::string Join(const std::string& folder, const std::string& name) {
  return !folder.empty() && folder.back() == '/' ? folder + name : folder + "/" + name;
}

std::optional<uint64_t> NumberBehind(std::string_view prefix, std::string_view name) {
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  uint64_t number;
  if (!support::ParseUint64(name.substr(prefix.size()), &number)) return std::nullopt;
  return number;
}

std::string SixDigits(uint64_t number) {
  const std::string digits = std::to_string(number);
  return digits.size() < 6 ? std::string(6 - digits.size(), '0') + digits : digits;
}

bool ListFolder(const std::string& folder, Listing* listing, std::string* error) {
  std::error_code code;
  std::filesystem::directory_iterator entry(folder, code);
  const std::filesystem::directory_iterator end;
  for (; !code && entry != end; entry.increment(code)) {
    std::string name = entry->path().filename();
    const std::string_view stem = std::string_view(name).substr(0, name.rfind('.'));
    const std::string_view suffix = std::string_view(name).substr(stem.size());
    const auto table = NumberBehind("", stem);
    if (table && (suffix == ".sst" || suffix == ".ldb")) {
      listing->tables.emplace(*table, std::move(name));
    } else if (name == "IDENTITY") {
      listing->has_identity = true;
    } else if (const auto number = NumberBehind("OPTIONS-", name)) {
      listing->newest_options = std::max(listing->newest_options, *number);
    }
  }
  if (code) {
    *error = folder + ": cannot be listed: " + code.message();
    return false;
  }
  return true;
}

bool ReadSmallFile(const std::string& path, uint64_t max_bytes, std::string* text,
                   std::string* error) {
  support::InputFile file;
  if (!file.Open(path, error)) return false;
  if (file.size() > max_bytes) {
    *error = path + ": has " + std::to_string(file.size()) + " bytes; allowed: up to " +
             std::to_string(max_bytes);
    return false;
  }
  text->resize(static_cast<size_t>(file.size()));
  return file.ReadAt(0, file.size(), text->data(), error);
}

bool Exists(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  return status.type() != std::filesystem::file_type::not_found;
}

}  // namespace bloomline::directory

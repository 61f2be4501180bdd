#include "src/engines/rocksdb/options/policy_text.h"

#include <algorithm>
#include <string_view>

#include "src/engines/rocksdb/options/format_options.h"
#include "src/engines/rocksdb/options/policy_options.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr char kSpaces[] = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

// Returns the text up to `separator`, which `*rest` loses. Without one, that is all of it.
std::string_view TakePart(char separator, std::string_view* rest) {
  const std::string_view part = rest->substr(0, rest->find(separator));
  rest->remove_prefix(std::min(part.size() + 1, rest->size()));
  return Trimmed(part);
}

// Reads the name and the bits per key of "bloomline:10". False: another name. RocksDB finds a name
// with a space nowhere, so spaces are part of both.
bool ReadId(std::string_view id, RocksDBFilterOptions* options, std::string* error) {
  const size_t colon = id.find(':');
  if (id.substr(0, colon) != kRocksDBPolicyName) return false;
  if (colon != std::string_view::npos) {
    *error = ParseBitsPerKey(std::string(id.substr(colon + 1)), options);
  }
  return true;
}

}  // namespace

const OptionRow* FindOption(std::string_view name) {
  for (const OptionRow& row : OptionTable()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string UnknownOptionText(std::string_view name) {
  std::string names;
  for (const OptionRow& row : OptionTable()) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return "there is no option " + support::Quoted(name) + "; allowed: " + names;
}

std::string WrongPolicyText(const std::string& text) {
  return "filter policy is " + support::Quoted(text) +
         "; allowed: bloomline, bloomline:BITS_PER_KEY, {id=bloomline;OPTION=VALUE;...}";
}

bool ParsePolicyText(const std::string& text, RocksDBFilterOptions* options, std::string* error) {
  *options = RocksDBFilterOptions();
  options->stock_if_version_differs = true;
  std::string reason;
  std::string_view rest = Trimmed(text);
  bool is_named = false;
  if (rest.find('=') == std::string_view::npos) {
    is_named = ReadId(text, options, &reason);
    rest = {};
  } else if (rest.front() == '{' && rest.back() == '}') {
    rest = rest.substr(1, rest.size() - 2);
  }
  while (!rest.empty() && reason.empty()) {
    std::string_view value = TakePart(';', &rest);
    if (value.empty()) continue;
    const std::string_view name = TakePart('=', &value);
    if (name == "id") {
      is_named = ReadId(value, options, &reason);
    } else if (const OptionRow* const row = FindOption(name); row != nullptr) {
      reason = row->parse(std::string(Trimmed(value)), options);
    } else {
      reason = UnknownOptionText(name);
    }
  }
  if (reason.empty() && !is_named) reason = WrongPolicyText(text);
  if (reason.empty()) reason = options->Validate();
  *error = reason;
  return reason.empty();
}

}  // namespace bloomline

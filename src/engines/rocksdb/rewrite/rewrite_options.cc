#include "src/engines/rocksdb/rewrite/rewrite_options.h"

#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::engine {
namespace {

constexpr char kBytesPerSecond[] = "bytes_per_second";

struct FlagOption {
  const char* name;
  bool RewriteOptions::*field;
};
constexpr FlagOption kFlags[] = {
    {"dry_run", &RewriteOptions::dry_run},
    {"include_level0", &RewriteOptions::include_level0},
    {"all_files", &RewriteOptions::all_files},
};

std::string Names() {
  std::string names = kBytesPerSecond;
  for (const FlagOption& option : kFlags) names += std::string(", ") + option.name;
  return names;
}

bool ParseOne(std::string_view name, std::string_view value, RewriteOptions* options,
              std::string* error) {
  const auto refuse = [&](const std::string& allowed) {
    return support::Refuse(error, name, " is ", support::Quoted(value), "; allowed: ", allowed);
  };
  if (name == kBytesPerSecond) {
    return support::ParseSize(value, &options->bytes_per_second) || refuse(support::kAllowedSizes);
  }
  for (const FlagOption& option : kFlags) {
    if (name != option.name) continue;
    if (value != "true" && value != "false") return refuse("true, false");
    options->*option.field = value == "true";
    return true;
  }
  return support::Refuse(error, "option is ", support::Quoted(name), "; allowed: ", Names());
}

}  // namespace

bool ParseRewriteOptions(std::string_view text, RewriteOptions* options, std::string* error) {
  while (!text.empty()) {
    const size_t end = text.find(';');
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (part.empty()) continue;
    const size_t sign = part.find('=');
    const std::string_view value = sign == part.npos ? "" : part.substr(sign + 1);
    if (!ParseOne(part.substr(0, sign), value, options, error)) return false;
  }
  return true;
}

}  // namespace bloomline::engine

#include "src/engines/rocksdb/rewrite/option_text.h"

#include <cstdint>

#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

struct NumberOption {
  const char* name;
  void (*set)(uint64_t value, RewriteOptions* options);
  uint64_t max;
};
constexpr NumberOption kNumbers[] = {
    {"bytes_per_second", [](uint64_t value, RewriteOptions* o) { o->bytes_per_second = value; },
     UINT64_MAX},
    {"pause_ms",
     [](uint64_t value, RewriteOptions* o) { o->pause_ms = static_cast<uint32_t>(value); },
     RewriteOptions::kMaxPauseMs},
    {"max_bytes", [](uint64_t value, RewriteOptions* o) { o->max_bytes = value; }, UINT64_MAX},
    {"min_free_bytes", [](uint64_t value, RewriteOptions* o) { o->min_free_bytes = value; },
     UINT64_MAX},
    {"max_wait_seconds",
     [](uint64_t value, RewriteOptions* o) { o->max_wait_seconds = static_cast<uint32_t>(value); },
     RewriteOptions::kMaxWaitSeconds},
};

struct FlagOption {
  const char* name;
  void (*set)(bool value, RewriteOptions* options);
};
constexpr FlagOption kFlags[] = {
    {"dry_run", [](bool value, RewriteOptions* o) { o->dry_run = value; }},
    {"verify_first", [](bool value, RewriteOptions* o) { o->verify_first = value; }},
    {"include_level0", [](bool value, RewriteOptions* o) { o->include_level0 = value; }},
    {"all_files",
     [](bool value, RewriteOptions* o) {
       if (value) o->needs_rewrite = [](const RewriteCandidate&) { return true; };
       if (!value) o->needs_rewrite = nullptr;
     }},
};

std::string Names() {
  std::string names;
  for (const NumberOption& option : kNumbers) names += std::string(option.name) + ", ";
  for (const FlagOption& option : kFlags) names += std::string(option.name) + ", ";
  return names.substr(0, names.size() - 2);
}

bool ParseOne(std::string_view name, std::string_view value, RewriteOptions* options,
              std::string* error) {
  for (const NumberOption& option : kNumbers) {
    if (name != option.name) continue;
    uint64_t number = 0;
    if (support::ParseUint64(value, &number) && number <= option.max) {
      option.set(number, options);
      return true;
    }
    *error = std::string(name) + " is " + support::Quoted(value) + "; allowed: 0 to " +
             std::to_string(option.max);
    return false;
  }
  for (const FlagOption& option : kFlags) {
    if (name != option.name) continue;
    if (value == "true" || value == "false") {
      option.set(value == "true", options);
      return true;
    }
    *error = std::string(name) + " is " + support::Quoted(value) + "; allowed: true, false";
    return false;
  }
  *error = "option is " + support::Quoted(name) + "; allowed: " + Names();
  return false;
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

}  // namespace bloomline

#include "src/engines/rocksdb/options/refusal.h"

#include <map>
#include <string_view>
#include <utility>

#include "src/filter/options/formats.h"
#include "src/filter/options/option_list.h"
#include "src/support/option_text.h"

namespace bloomline::engine {
namespace {

bool IsKnown(const std::string& name) {
  return name == kCanonicalizer || filter::FindOption(name) != nullptr;
}

}  // namespace

std::string Refusal::Consequence() const {
  const bool writes_filters = options.count(kCanonicalizer) == 0;
  return std::string(
             "DB::Open fails with this policy; where RocksDB does not ask it, new files get ") +
         (writes_filters ? "RocksDB's own Bloom filters with 10 bits per key" : "no filters");
}

RocksDBFilterOptions OptionsOfRefusal() {
  return RocksDBFilterOptions(FilterOptions{filter::kRocksDBDefault, 10});
}

std::string WithoutDelimiters(std::string text) {
  for (char& c : text) {
    if (std::string_view("{};=\\# \t\r\n\v\f").find(c) != std::string_view::npos) c = '?';
  }
  return text;
}

std::string RefusedText(const OptionMap& options) {
  std::string text;
  const std::map<std::string, std::string> sorted(options.begin(), options.end());
  for (const auto& [name, value] : sorted) {
    text += WithoutDelimiters(name) + "=" + WithoutDelimiters(value) + ";";
  }
  return text;
}

std::string TextOfRefused(const std::string& name, const OptionMap& options) {
  const auto canonicalizer = options.find(kCanonicalizer);
  if (name == kCanonicalizer) {
    return canonicalizer == options.end() ? "" : WithoutDelimiters(canonicalizer->second);
  }
  OptionMap others = options;
  others.erase(kCanonicalizer);
  return others.empty() ? "" : "{" + RefusedText(others) + "}";
}

std::string SerializedRefusal(const OptionMap& options, const std::string& delimiter) {
  std::string text;
  for (const std::string name : {kCanonicalizer, kRefusedOptions}) {
    const std::string value = TextOfRefused(name, options);
    if (!value.empty()) text += name + "=" + value + delimiter;
  }
  return text;
}

std::string UnfoldRefused(OptionMap* options) {
  const auto found = options->find(kRefusedOptions);
  if (found == options->end()) return "";
  const std::string refused = std::move(found->second);
  options->erase(found);
  const bool is_change = options->size() > options->count(kCanonicalizer);
  std::string left_out;
  support::ForEachOption(support::WithoutBraces(refused),
                         [&](std::string_view name, std::string_view value) {
                           const std::string one(name);
                           if (!is_change || IsKnown(one)) {
                             options->emplace(one, value);
                           } else {
                             left_out += (left_out.empty() ? "" : ", ") + one;
                           }
                         });
  return left_out;
}

}  // namespace bloomline::engine

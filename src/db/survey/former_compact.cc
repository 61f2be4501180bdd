#include "src/db/survey/former_compact.h"

#include <algorithm>
#include <string_view>

#include "src/db/tree/options_file.h"
#include "src/filter/options/formats.h"
#include "src/filter/options/option_list.h"
#include "src/filter/options/policy_id.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/support/number_text.h"
#include "src/support/option_text.h"

namespace bloomline::db {
namespace {

constexpr std::string_view kCompact = "compact";
constexpr std::string_view kRibbon = "ribbon";
constexpr std::string_view kBits = "bits_per_key";

bool IsCompact(const std::string& policy, const char* option) {
  const std::string id = tree::OptionId(policy);
  if (filter::ParsePolicyId(id).policy_class != filter::PolicyClass::kBloomline) return false;
  const tree::OptionTexts options = tree::ParsePolicyOptions(policy);
  const auto found = options.find(option);
  return found != options.end() && found->second == kCompact;
}

// The bits of Ribbon filters of the same memory. Words and what is no number stay.
std::string RibbonBits(std::string_view bits) {
  double number;
  if (!support::ParseDouble(bits, &number)) return std::string(bits);
  return support::DoubleText(filter::RibbonBitsOfCompact(number));
}

// The same for each number in a list.
std::string RibbonBitsOfList(std::string_view list) {
  std::string text;
  while (true) {
    const size_t end = std::min(list.find_first_of(":,"), list.size());
    text += RibbonBits(list.substr(0, end));
    if (end == list.size()) return text;
    text += list[end];
    list.remove_prefix(end + 1);
  }
}

}  // namespace

std::string WithoutCompact(const std::string& policy) {
  const bool is_of_files = IsCompact(policy, "format");
  if (!is_of_files && !IsCompact(policy, "flush_format")) return policy;
  std::string text;
  bool has_bits = false;
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append(name).append("=").append(value).append(";");
  };
  support::ForEachOption(
      support::WithoutBraces(policy), [&](std::string_view name, std::string_view value) {
        // RocksDB's own filters have none of these, and bits have one sense.
        const bool is_dropped =
            name == "seed" || name == "max_filter_bytes" || (is_of_files && name == "flush_format");
        if (is_dropped) return;
        has_bits = has_bits || name == kBits;
        if (value == kCompact) {
          add(name, kRibbon);
        } else if (is_of_files && (name == kBits || name == "bits_by_level")) {
          add(name, RibbonBitsOfList(value));
        } else {
          add(name, value);
        }
      });
  if (is_of_files && !has_bits) {
    const std::string id = tree::OptionId(policy);
    const std::string_view bits = filter::FindOption(kBits)->default_value;
    add(kBits, RibbonBits(filter::ParsePolicyId(id).bits.value_or(bits)));
  }
  return "{" + text + "}";
}

std::string WhyNoCompact(const std::string& policy) {
  if (!IsCompact(policy, "format") && !IsCompact(policy, "flush_format")) return "";
  return "format is compact, which is written in LevelDB only; allowed: " +
         filter::NamesOfFormats(&filter::FormatRow::in_rocksdb) +
         " (ribbon takes the place of compact)";
}

}  // namespace bloomline::db

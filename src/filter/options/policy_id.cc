#include "src/filter/options/policy_id.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "src/support/nearest_name.h"

namespace bloomline::filter {
namespace {

constexpr struct {
  const char* name;
  PolicyClass policy_class;
  Format format;
} kKnown[] = {{"bloomline", PolicyClass::kBloomline, Format::kBlocked},
              {"bloomfilter", PolicyClass::kBloom, Format::kBloom},
              {"ribbonfilter", PolicyClass::kRibbon, Format::kRibbon}};

// Cuts `text` at its first colon. Returns what follows it, or nothing if there is no colon.
std::optional<std::string_view> CutAtColon(std::string_view* text) {
  const size_t colon = text->find(':');
  if (colon == text->npos) return std::nullopt;
  const std::string_view rest = text->substr(colon + 1);
  *text = text->substr(0, colon);
  return rest;
}

// RocksDB cannot parse longer ones.
constexpr size_t kMostOfDouble = 199;
constexpr size_t kMostOfInt = 9;

// Whether the text is a number without an exponent, of at most `most` characters.
bool IsNumber(std::string_view text, int most_points, size_t most) {
  if (text.substr(0, 1) == "-") text.remove_prefix(1);
  const auto points = std::count(text.begin(), text.end(), '.');
  const size_t digits = text.size() - static_cast<size_t>(points);
  return points <= most_points && digits != 0 && text.size() <= most &&
         text.find_first_not_of("0123456789.") == text.npos;
}

bool IsValid(const PolicyId& id) {
  if (id.policy_class == PolicyClass::kOther) return true;
  if (!id.bits) return id.policy_class == PolicyClass::kBloomline;
  if (!IsNumber(*id.bits, 1, kMostOfDouble)) return false;
  if (!id.suffix) return true;
  return id.policy_class == PolicyClass::kRibbon ? IsNumber(*id.suffix, 0, kMostOfInt)
                                                 : id.has_flag();
}

}  // namespace

PolicyId ParsePolicyId(std::string_view text) {
  PolicyId id;
  id.name = text;
  id.bits = CutAtColon(&id.name);
  if (id.bits) id.suffix = CutAtColon(&*id.bits);
  for (const auto& known : kKnown) {
    if (id.name != known.name) continue;
    id.policy_class = known.policy_class;
    id.format = known.format;
  }
  id.is_valid = IsValid(id);
  return id;
}

std::string MeantPolicy(std::string_view text) {
  constexpr std::string_view kId = "id=";
  const size_t id = text.find(kId);
  text.remove_prefix(id == text.npos ? 0 : id + kId.size());
  const std::string_view typed = ParsePolicyId(text.substr(0, text.find_first_of(";}"))).name;
  std::vector<std::string> names;
  for (const auto& known : kKnown) names.emplace_back(known.name);
  const std::string meant = support::NearestName(typed, names);
  if (meant.empty() || meant == typed) return "";
  return "; did you mean '" + meant + "'?";
}

}  // namespace bloomline::filter

#include "src/filter/options/policy_id.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "src/support/nearest_name.h"

namespace bloomline::filter {
namespace {

constexpr struct {
  const char* name;
  PolicyKind kind;
  Format format;
} kKnown[] = {{"bloomline", PolicyKind::kBloomline, Format::kBlocked},
              {"bloomfilter", PolicyKind::kBloom, Format::kBloom},
              {"ribbonfilter", PolicyKind::kRibbon, Format::kRibbon}};

// Cuts `text` at its first colon. Returns what is behind it; nothing without a colon.
std::optional<std::string_view> CutAtColon(std::string_view* text) {
  const size_t colon = text->find(':');
  if (colon == text->npos) return std::nullopt;
  const std::string_view rest = text->substr(colon + 1);
  *text = text->substr(0, colon);
  return rest;
}

std::string_view WithoutMinus(std::string_view text) {
  return text.substr(text.substr(0, 1) == "-" ? 1 : 0);
}

bool AreDigits(std::string_view text, size_t most) {
  return text.size() <= most && text.find_first_not_of("0123456789") == text.npos;
}

constexpr size_t kMostDigits = 99;      // on either side of the point
constexpr size_t kMostDigitsOfInt = 9;  // RocksDB's std::stoi throws above 2^31 - 1

// "10", "-1.5", "10." or ".5".
bool IsNumber(std::string_view text) {
  text = WithoutMinus(text);
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  return AreDigits(whole, kMostDigits) && AreDigits(fraction, kMostDigits) &&
         whole.size() + fraction.size() != 0;
}

bool IsWholeNumber(std::string_view text) {
  text = WithoutMinus(text);
  return !text.empty() && AreDigits(text, kMostDigitsOfInt);
}

bool IsValid(const PolicyId& id) {
  if (id.kind == PolicyKind::kOther) return true;
  if (!id.bits) return id.kind == PolicyKind::kBloomline;
  if (!IsNumber(*id.bits)) return false;
  if (!id.suffix) return true;
  return id.kind == PolicyKind::kRibbon ? IsWholeNumber(*id.suffix) : id.has_flag();
}

}  // namespace

PolicyId ParsePolicyId(std::string_view text) {
  PolicyId id;
  id.name = text;
  id.bits = CutAtColon(&id.name);
  if (id.bits) id.suffix = CutAtColon(&*id.bits);
  for (const auto& known : kKnown) {
    if (id.name != known.name) continue;
    id.kind = known.kind;
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

#include "src/db/rewrite/rewrite_policy.h"

#include <algorithm>
#include <cmath>

#include "src/db/survey/former_compact.h"
#include "src/db/survey/situation.h"
#include "src/db/tree/options_file.h"
#include "src/filter/options/formats.h"
#include "src/filter/options/option_list.h"
#include "src/filter/options/policy_id.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/support/nearest_name.h"
#include "src/support/number_text.h"
#include "src/support/option_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using support::Refuse;

// Sets *format to the one of this name, if the fact is true for it.
bool SetFormat(std::string_view name, bool filter::FormatRow::*fact, Format* format) {
  const std::optional<Format> named = filter::FormatNamed(name);
  if (!named || !(filter::RowOf(*named).*fact)) return false;
  *format = *named;
  return true;
}

using Names = std::vector<std::string>;

// "; did you mean 'ribbon'?", or what is allowed.
std::string MeantOrAllowed(std::string_view typed, const Names& names, const std::string& allowed) {
  const std::string meant = support::NearestName(typed, names);
  return meant.empty() || meant == typed ? "; allowed: " + allowed
                                         : "; did you mean '" + meant + "'?";
}

// What a policy that is none should be. `name` is its name.
std::string AllowedPolicies(std::string_view name, tables::Engine engine) {
  const std::string bits = " (BITS: " + filter::AllowedBitsText(Format::kBlocked);
  if (engine == tables::Engine::kLevelDB) {
    return MeantOrAllowed(name, {"classic", "blocked", "compact"},
                          "classic:BITS, blocked:BITS, compact:BITS, none" + bits +
                              "; compact: " + filter::AllowedBitsText(Format::kCompact) + ")");
  }
  return MeantOrAllowed(
      name, {"bloomfilter", "ribbonfilter", "bloomline"},
      "bloomfilter:BITS, ribbonfilter:BITS, {id=bloomline;...}, none" + bits + ")");
}

bool SetBits(std::string_view text, RewritePolicy* policy) {
  double bits;
  if (!support::ParseDouble(text, &bits) || !filter::IsAllowed(policy->format, bits)) return false;
  policy->bits_per_key = bits;
  return true;
}

// One of the options of {id=bloomline;...}, once the format is set.
bool SetOption(const std::string& name, const std::string& value, RewritePolicy* policy) {
  if (name == "id" || name == "format") return true;
  if (name == "bits_per_key") return SetBits(value, policy);
  if (name == "bits_by_level") {
    policy->by_level = value == "auto";
    return policy->by_level || value == "uniform";
  }
  // Other options that advise prints or that OPTIONS files contain.
  const filter::PolicyOption* const option = filter::FindOption(name);
  return option != nullptr && (!option->changes_files || value == option->default_value);
}

// What an option that SetOption refuses should be.
std::string AllowedOptions(const std::string& name, const RewritePolicy& policy) {
  if (name == "bits_per_key") {
    return "; allowed: " + filter::AllowedBitsText(policy.format) + " in format " +
           FormatName(policy.format);
  }
  if (name == "bits_by_level") return "; allowed: uniform, auto";
  const Names names = {"format", "bits_per_key", "bits_by_level"};
  return MeantOrAllowed(name, names, "format, bits_per_key, bits_by_level");
}

// Sets the options of {id=bloomline;...}, without format=compact. Returns false with *wrong: the
// option, and what is allowed.
bool SetOptions(const tree::OptionTexts& options, std::optional<std::string_view> id_bits,
                RewritePolicy* policy, std::string* wrong) {
  policy->format = Format::kBlocked;
  const auto format = options.find("format");
  if (format != options.end() &&
      !SetFormat(format->second, &filter::FormatRow::in_rocksdb, &policy->format)) {
    Names names;
    for (const filter::FormatRow& row : filter::kFormats) {
      if (row.in_rocksdb) names.push_back(row.name);
    }
    return Refuse(wrong, "format=", format->second,
                  MeantOrAllowed(format->second, names,
                                 filter::NamesOfFormats(&filter::FormatRow::in_rocksdb)));
  }
  for (const auto& [name, value] : options) {
    if (SetOption(name, value, policy)) continue;
    return Refuse(wrong, name, "=", value, AllowedOptions(name, *policy));
  }
  if (id_bits && options.count("bits_per_key") == 0 && !SetBits(*id_bits, policy)) {
    return Refuse(wrong, "bits_per_key=", *id_bits, AllowedOptions("bits_per_key", *policy));
  }
  if (!policy->by_level && !policy->bits_per_key) policy->bits_per_key = 10;
  return true;
}

// "bloomfilter:10:false" is RocksDB's Bloom filter with 10 bits.
bool SetNamed(const filter::PolicyId& id, tables::Engine engine, RewritePolicy* policy) {
  if (!id.bits) return false;
  if (engine == tables::Engine::kLevelDB) {
    return !id.suffix && SetFormat(id.name, &filter::FormatRow::in_leveldb, &policy->format) &&
           SetBits(*id.bits, policy);
  }
  // The suffix is about new files: a level for Ribbon, here without effect up to 0.
  const std::string_view level = id.suffix.value_or("-1");
  if (id.policy_class == filter::PolicyClass::kRibbon && level != "-1" && level != "0") {
    return false;
  }
  policy->format = id.format;
  return id.policy_class != filter::PolicyClass::kOther && SetBits(*id.bits, policy);
}

}  // namespace

bool ParseRewritePolicy(const std::string& text, tables::Engine engine, RewritePolicy* policy,
                        std::string* error) {
  policy->without_filter = text == "none";
  if (policy->without_filter) return true;
  const std::string given_twice = support::GivenTwice(text);
  if (!given_twice.empty()) return Refuse(error, "in --policy, ", given_twice);
  const std::string id_text = tree::OptionId(text);
  const filter::PolicyId id = filter::ParsePolicyId(id_text);
  std::string wrong = support::Quoted(text) + AllowedPolicies(id.name, engine);
  const std::string compact = engine == tables::Engine::kRocksDB ? WhyNoCompact(text) : "";
  if (!compact.empty()) return Refuse(error, "in --policy, ", compact);
  const tree::OptionTexts options = tree::ParsePolicyOptions(text);
  const bool has_options = engine == tables::Engine::kRocksDB &&
                           id.policy_class == filter::PolicyClass::kBloomline &&
                           options.count("id") != 0;
  const bool is_set = has_options ? id.is_valid && SetOptions(options, id.bits, policy, &wrong)
                                  : SetNamed(id, engine, policy);
  return is_set || Refuse(error, "--policy has ", wrong);
}

bool FamilyBits::Choose(const RewritePolicy* policy, const Inputs& inputs,
                        const FamilyGroups& groups, std::string* error) {
  without_filter_ = policy != nullptr && policy->without_filter;
  if (without_filter_) return true;
  const model::Situation situation = SituationOf(inputs, groups);
  const bool is_chosen =
      policy == nullptr ? ChooseByAdvice(situation, groups.all, error)
                        : ChooseAsked(*policy, groups.all.key_bytes() + situation.missing_bytes(),
                                      situation, error);
  if (!is_chosen) return false;
  if (policy == nullptr || !policy->bits_per_key) missing_bytes_ = situation.missing_bytes();
  by_level_ = by_level_ && !situation.levels.empty();
  if (!by_level_) return true;
  if (situation.compaction == model::Compaction::kOther) {
    return Refuse(error, "compaction is not by level; allowed: bits_by_level=uniform");
  }
  bits_of_level_ = model::BitsByLevel(situation, format_, bits_per_key_);
  return true;
}

bool FamilyBits::ChooseByAdvice(const model::Situation& situation, const Group& all,
                                std::string* error) {
  const auto is_stock = [](const model::Choice& choice) { return choice.is_stock(); };
  if (TakeAdvice(situation, {}, error, is_stock)) return true;
  if (all.layouts.count(engine_filters::FilterLayout::kFormerCompact) != 0) {
    // They match every key. Files that few Gets read get others, too, in the same memory.
    model::Request request;
    request.memory_bytes = std::max<uint64_t>(1, all.key_bytes() + situation.missing_bytes());
    if (TakeAdvice(situation, request, error, is_stock)) return true;
  }
  return Refuse(error, "advise knows no better filters of RocksDB's own; name some with --policy");
}

bool FamilyBits::ChooseAsked(const RewritePolicy& policy, uint64_t bytes_now,
                             model::Situation situation, std::string* error) {
  format_ = policy.format;
  by_level_ = policy.by_level;
  if (policy.bits_per_key) {
    bits_per_key_ = *policy.bits_per_key;
    return true;
  }
  // By level, in the memory that the filters take now.
  if (filter::IsStock(format_)) situation.stock_format = format_;
  model::Request request;
  request.memory_bytes = std::max<uint64_t>(1, bytes_now);
  return TakeAdvice(situation, request, error,
                    [&](const model::Choice& choice) {
                      return choice.format == policy.format && choice.by_level;
                    }) ||
         Refuse(error, "bits by level gain nothing in this tree; allowed: bits_per_key");
}

template <typename IsFit>
bool FamilyBits::TakeAdvice(const model::Situation& situation, const model::Request& request,
                            std::string* error, IsFit is_fit) {
  model::Advice advice;
  model::Advise(situation, request, &advice, error);  // without it, there is no choice
  for (const model::Choice& choice : advice.choices) {
    if (choice.filters_last_level || !is_fit(choice)) continue;  // OPTIONS say otherwise
    format_ = choice.format;
    by_level_ = choice.by_level;
    bits_per_key_ = choice.bits_per_key;
    return true;
  }
  return false;
}

double FamilyBits::BitsOf(int level) const {
  const auto number = static_cast<size_t>(level);  // of a file on its own: out of range
  return number < bits_of_level_.size() ? bits_of_level_[number] : bits_per_key_;
}

std::string FamilyBits::OptionString() const {
  return model::PolicyText(format_, bits_per_key_, by_level_);
}

std::string FamilyBits::Text() const {
  if (without_filter_) return "none";
  if (!filter::RowOf(format_).bits_are_memory) {
    return support::StrCat(
        model::KindName(format_), by_level_ ? " by level" : "", ", bits_per_key=", bits_per_key_,
        " (memory: ", support::NumberText(filter::MemoryBits(format_, bits_per_key_), 1), ")");
  }
  return support::StrCat(model::KindName(format_), ", ", bits_per_key_, " bits per key",
                         by_level_ ? " by level" : "");
}

}  // namespace bloomline::db

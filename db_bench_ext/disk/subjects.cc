#include "db_bench_ext/disk/subjects.h"

#include <stdexcept>

#include "bloomline/level_sizing.h"
#include "bloomline/rocksdb.h"
#include "bloomline/sizing.h"
#include "rocksdb/convenience.h"
#include "src/tool/quantity.h"

namespace bloomline::bench {
namespace {

constexpr double kBits = 10;
// A Ribbon filter of Bloom's rate at this many bits takes 10.
constexpr double kRibbonBloomBits = 14.6;

Subject Compact(const std::string& name, double bits_per_key) {
  return {name,
          "{id=bloomline;format=compact;bits_per_key=" + tool::NumberText(bits_per_key, 2) + ";}",
          Rate::kCompact, bits_per_key};
}

Subject ByLevel(const std::string& name, double bits_per_key) {
  return {name,
          "{id=bloomline;format=compact;bits_per_key=" + tool::NumberText(bits_per_key, 2) +
              ";bits_by_level=auto;}",
          Rate::kCompact, bits_per_key, true};
}

Subject BuiltinBloom() { return {kBuiltinBloom, "bloomfilter:10:false", Rate::kBloom, kBits}; }

// Keys of the levels from level 1 on.
std::array<double, kNumLevels> LevelKeys() {
  std::array<double, kNumLevels> keys;
  KeysOfLevels(kNumLevels, kLevelSizeRatio, keys.data());
  return keys;
}

}  // namespace

std::vector<Subject> AllSubjects() {
  const double rate = FalsePositiveRate(Format::kBlocked, kBits);
  const double same_fpr = BitsPerKeyForFalsePositiveRate(Format::kCompact, rate);
  const double same_waste = BitsPerKeyForWastedReads(Format::kCompact, kNumLevels * rate,
                                                     LevelKeys().data(), nullptr, kNumLevels);
  return {
      {kNone, "", Rate::kNoFilter},
      BuiltinBloom(),
      {kBuiltinRibbon, "ribbonfilter:10:-1", Rate::kRibbon, kBits},
      {"builtin-ribbon-10bits", "ribbonfilter:" + tool::NumberText(kRibbonBloomBits, 1) + ":-1",
       Rate::kRibbon, kRibbonBloomBits},
      {"blocked", "{id=bloomline;format=blocked;bits_per_key=10;}", Rate::kBloom, kBits},
      Compact("compact", kBits),
      Compact("compact-same-fpr", same_fpr),
      ByLevel("by-level", kBits),
      ByLevel("by-level-7bits", same_fpr),
      ByLevel("by-level-same-waste", same_waste),
  };
}

std::vector<Subject> SweepSubjects(const std::vector<double>& bits_per_key) {
  std::vector<Subject> subjects = {BuiltinBloom()};
  for (const double bits : bits_per_key)
    subjects.push_back(Compact("compact-" + tool::NumberText(bits, 1), bits));
  for (const double bits : bits_per_key)
    subjects.push_back(ByLevel("by-level-" + tool::NumberText(bits, 1), bits));
  return subjects;
}

std::shared_ptr<const rocksdb::FilterPolicy> NewPolicy(const Subject& subject) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  if (!subject.HasFilter()) return policy;
  if (!RegisterBloomline()) throw std::runtime_error("bloomline does not fit this RocksDB");
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.input_strings_escaped = false;  // so that RocksDB returns the factory's error
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(config, subject.filter_policy, &policy);
  if (!status.ok() || policy == nullptr)
    throw std::runtime_error(subject.filter_policy + ": " + status.ToString());
  return policy;
}

std::array<double, kNumLevels> ModelRates(const Subject& subject) {
  std::array<double, kNumLevels> rates;
  rates.fill(1);
  if (!subject.HasFilter()) return rates;
  // Built-in Bloom has the rate of a blocked filter.
  const Format format = subject.rate == Rate::kCompact ? Format::kCompact : Format::kBlocked;
  std::array<double, kNumLevels> bits;
  bits.fill(subject.bits_per_key);
  if (subject.by_level)
    SpreadBitsByLevel(format, subject.bits_per_key, LevelKeys().data(), kNumLevels, bits.data());
  for (size_t i = 0; i < kNumLevels; ++i)
    rates[i] = bits[i] == 0 ? 1 : FalsePositiveRate(format, bits[i]);
  return rates;
}

}  // namespace bloomline::bench

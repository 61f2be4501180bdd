#include "db_bench_ext/disk/subjects.h"

#include <algorithm>
#include <stdexcept>

#include "bloomline/rocksdb.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/disk/keys.h"
#include "rocksdb/convenience.h"
#include "src/tool/quantity.h"

namespace bloomline::bench {
namespace {

constexpr double kBits = 10;
// A Ribbon filter of Bloom's rate at this many bits takes 10.
constexpr double kRibbonBloomBits = 14.6;

std::string Compact(double bits_per_key) {
  return "{id=bloomline;format=compact;bits_per_key=" + tool::NumberText(bits_per_key, 2) + ";}";
}

}  // namespace

std::vector<Subject> AllSubjects() {
  const double same_fpr = BitsPerKeyForFalsePositiveRate(Format::kCompact,
                                                         FalsePositiveRate(Format::kBlocked, kBits));
  return {
      {kNone, "", Rate::kNoFilter, 0},
      {kBuiltinBloom, "bloomfilter:10:false", Rate::kBloom, 0},
      {kBuiltinRibbon, "ribbonfilter:10:-1", Rate::kRibbon, kBits},
      {"builtin-ribbon-10bits", "ribbonfilter:" + tool::NumberText(kRibbonBloomBits, 1) + ":-1",
       Rate::kRibbon, kRibbonBloomBits},
      {"blocked", "{id=bloomline;format=blocked;bits_per_key=10;}", Rate::kBloom, 0},
      {"compact", Compact(kBits), Rate::kCompact, 0},
      {"compact-same-fpr", Compact(same_fpr), Rate::kCompact, 0},
  };
}

std::vector<Subject> SweepSubjects(const std::vector<double>& bits_per_key) {
  std::vector<Subject> subjects = {{kBuiltinBloom, "bloomfilter:10:false", Rate::kBloom, 0}};
  for (const double bits : bits_per_key)
    subjects.push_back({"compact-" + tool::NumberText(bits, 1), Compact(bits), Rate::kCompact, 0});
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

double ModelRate(const Subject& subject, double bits_per_key) {
  switch (subject.rate) {
    case Rate::kNoFilter:
      return 1;
    case Rate::kBloom:
      return FalsePositiveRate(Format::kBlocked, bits_per_key);
    case Rate::kRibbon:
      return FalsePositiveRate(Format::kBlocked, subject.bloom_bits);
    case Rate::kCompact:
      return FalsePositiveRate(Format::kCompact, bits_per_key);
  }
  return 1;
}

}  // namespace bloomline::bench

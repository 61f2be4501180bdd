// Takes the place of LevelDB's Bloom filter in LevelDB's own tests: an object file that defines
// NewBloomFilterPolicy and the constructor of Options comes before the archive that defines them
// too. Compiled with LevelDB's flags.
//
// Environment:
//   BLOOMLINE_CONFORMANCE_DEFAULT yes: Options have the policy unless the test sets another
//   BLOOMLINE_CONFORMANCE_FORMAT  classic, blocked or compact
//   BLOOMLINE_CONFORMANCE_COUNTS  a file; when the program ends, it gets a line with the numbers of
//                                 policies, filters and queries
//   BLOOMLINE_CONFORMANCE_DEFECT  lose-key: each filter lacks its last key; match-all: every query
//                                 matches. Both must make tests fail.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "bloomline/leveldb.h"
#include "leveldb/comparator.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"

namespace {

std::atomic<unsigned long> num_policies{0};
std::atomic<unsigned long> num_filters{0};
std::atomic<unsigned long> num_queries{0};

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void Stop(const std::string& reason) {
  std::fprintf(stderr, "conformance: %s\n", reason.c_str());
  std::_Exit(3);
}

bloomline::Format FormatSetting() {
  const std::string format = Setting("BLOOMLINE_CONFORMANCE_FORMAT");
  if (format == "classic") return bloomline::Format::kClassic;
  if (format == "blocked") return bloomline::Format::kBlocked;
  if (format == "compact") return bloomline::Format::kCompact;
  Stop("BLOOMLINE_CONFORMANCE_FORMAT is '" + format + "'; allowed: classic, blocked, compact");
}

enum class Defect { kNone, kLoseKey, kMatchAll };

Defect DefectSetting() {
  const std::string defect = Setting("BLOOMLINE_CONFORMANCE_DEFECT");
  if (defect.empty()) return Defect::kNone;
  if (defect == "lose-key") return Defect::kLoseKey;
  if (defect == "match-all") return Defect::kMatchAll;
  Stop("BLOOMLINE_CONFORMANCE_DEFECT is '" + defect + "'; allowed: lose-key, match-all");
}

void WriteCounts() {
  const std::string path = Setting("BLOOMLINE_CONFORMANCE_COUNTS");
  if (path.empty()) return;
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) Stop("cannot write " + path);
  std::fprintf(file, "%lu %lu %lu\n", num_policies.load(), num_filters.load(), num_queries.load());
  std::fclose(file);
}

class InjectedPolicy : public leveldb::FilterPolicy {
 public:
  explicit InjectedPolicy(double bits_per_key) {
    std::string error;
    policy_.reset(bloomline::NewLevelDBFilterPolicy({FormatSetting(), bits_per_key},
                                                    bloomline::kLevelDBBuiltinName, &error));
    if (policy_ == nullptr) Stop(error);
    if (num_policies++ == 0) std::atexit(WriteCounts);
  }

  const char* Name() const override { return policy_->Name(); }

  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    ++num_filters;
    if (defect_ == Defect::kLoseKey && n > 0) --n;
    policy_->CreateFilter(keys, n, dst);
  }

  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    ++num_queries;
    return defect_ == Defect::kMatchAll || policy_->KeyMayMatch(key, filter);
  }

 private:
  const Defect defect_ = DefectSetting();
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

}  // namespace

namespace leveldb {

const FilterPolicy* NewBloomFilterPolicy(int bits_per_key) {
  return new InjectedPolicy(bits_per_key);
}

Options::Options() : comparator(BytewiseComparator()), env(Env::Default()) {
  if (Setting("BLOOMLINE_CONFORMANCE_DEFAULT") != "yes") return;
  static const FilterPolicy* const policy = new InjectedPolicy(10);
  filter_policy = policy;
}

}  // namespace leveldb

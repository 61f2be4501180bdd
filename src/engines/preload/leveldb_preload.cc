// libbloomline_leveldb_preload.so: preloaded, it replaces leveldb::NewBloomFilterPolicy. Programs
// that ask LevelDB for its Bloom filter then read bloomline's, too, and write the one that the
// settings name.
//
// It does not need libleveldb: many programs contain a copy of LevelDB, for example Node.js's
// classic-level, and libleveldb beside it would take over its functions.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "bloomline/cpu.h"
#include "bloomline/leveldb.h"
#include "src/engines/preload/environment.h"
#include "src/engines/preload/metrics_file.h"
#include "src/engines/preload/next_function.h"
#include "src/engines/preload/old_string_policy.h"
#include "src/engines/preload/settings.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/support/set_error.h"

namespace leveldb {
// LevelDB defines it in a library that this one must not need. This definition is not exported.
FilterPolicy::~FilterPolicy() = default;
}  // namespace leveldb

namespace bloomline::preload {
namespace {

constexpr char kFunction[] = "_ZN7leveldb20NewBloomFilterPolicyEi";
using Function = const leveldb::FilterPolicy* (*)(int bits_per_key);

// leveldb::DB::Open has a std::string of GNU's C++ library among its parameters, of today or before
// GCC 5. Filters are returned in one, so a LevelDB with LLVM's std::string must be left alone.
constexpr char kOpen[] =
    "_ZN7leveldb2DB4OpenERKNS_7OptionsERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPPS0_";
constexpr char kOldOpen[] = "_ZN7leveldb2DB4OpenERKNS_7OptionsERKSsPPS0_";

// Only Basho's LevelDB has leveldb::NewBloomFilterPolicy2.
constexpr char kBashoFunction[] = "_ZN7leveldb21NewBloomFilterPolicy2Ei";

// A seed needs a policy name other than LevelDB's own.
constexpr char kSeededName[] = "bloomline";

const Environment& StartEnvironment() {
  static const Environment environment = CaptureEnvironment();
  return environment;
}
__attribute__((constructor)) void AtStart() { StartEnvironment(); }

// Returns an empty string, or why bloomline must not be used with the LevelDB that has `function`.
const char* ReasonAgainst(void* function, bool* old_string) {
  const link_map* const file = FileWith(function);
  void* const handle = file == nullptr ? nullptr : dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  const auto has = [=](const char* name) {
    void* const found = dlsym(handle, name);
    return found != nullptr && FileWith(found) == file;
  };
  const char* reason = "";
  *old_string = has(kOldOpen);
  if (!*old_string && !has(kOpen)) {
    reason = "this LevelDB was compiled with another std::string than bloomline";
  } else if (has(kBashoFunction)) {
    reason = "this is Basho's LevelDB, which has other filters under the name of LevelDB's";
  }
  dlclose(handle);  // the program is using it, so it stays
  return reason;
}

// One policy writes, another reads. The name is the reader's. If LevelDB is the writer, `dst` is
// the std::string that it knows, and is not looked at.
class ReadingPolicy final : public leveldb::FilterPolicy {
 public:
  ReadingPolicy(std::unique_ptr<const leveldb::FilterPolicy> writer,
                std::unique_ptr<const leveldb::FilterPolicy> reader)
      : writer_(std::move(writer)), reader_(std::move(reader)) {}

  const char* Name() const override { return reader_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    writer_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return reader_->KeyMayMatch(key, filter);
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> writer_;
  const std::unique_ptr<const leveldb::FilterPolicy> reader_;
};

std::unique_ptr<const leveldb::FilterPolicy> NewNamedPolicy(const FilterOptions& options,
                                                            std::string* error) {
  const char* const name = options.seed == 0 ? kLevelDBBuiltinName : kSeededName;
  return std::unique_ptr<const leveldb::FilterPolicy>(NewLevelDBFilterPolicy(options, name, error));
}

// LevelDB's own policy, with bloomline's queries. Returns null, with the reason, if its filters
// have another name than those of LevelDB 1.23: their hash differs, and queries would miss keys.
std::unique_ptr<const leveldb::FilterPolicy> NewReadingPolicy(
    std::unique_ptr<const leveldb::FilterPolicy> own, FilterOptions options, std::string* error) {
  if (std::strcmp(own->Name(), kLevelDBBuiltinName) != 0) {
    *error = std::string("this LevelDB's filters have another name: ") + own->Name();
    return nullptr;
  }
  // Queries use only the seed of these options. The others must be valid.
  if (options.seed != 0) options.format = Format::kBlocked;
  const BitsPerKeyRange allowed = AllowedBitsPerKey(options.format);
  options.bits_per_key = std::clamp(options.bits_per_key, allowed.min, allowed.max);
  std::unique_ptr<const leveldb::FilterPolicy> reader = NewNamedPolicy(options, error);
  if (reader == nullptr) return nullptr;
  return std::make_unique<ReadingPolicy>(std::move(own), std::move(reader));
}

// `own` is LevelDB's function. Returns null, with the reason, if the program keeps its own policy.
const leveldb::FilterPolicy* NewPolicy(int bits_per_key, Function own, bool old_string,
                                       std::string* error) {
  Settings settings = Settings::Parse(StartEnvironment(), Engine::kLevelDB);
  PrepareMetricsFile(settings);
  filter::SetMetricsStart(StartMetricsFile);
  SayRemarksOnce(settings);
  if (!settings.has_bits_per_key) settings.options.bits_per_key = bits_per_key;
  std::unique_ptr<const leveldb::FilterPolicy> policy;
  if (!settings.WritesOwnFilters()) {
    policy = NewNamedPolicy(settings.options, &settings.wrong);
    if (policy != nullptr && old_string) policy.reset(NewOldStringPolicy(policy.release()));
    if (policy == nullptr) {
      settings.wrong = "the program asks for " + std::to_string(bits_per_key) +
                       " bits per key: " + settings.wrong +
                       " (BLOOMLINE_BITS_PER_KEY replaces the program's number)";
    }
  }
  if (policy == nullptr) {
    settings.KeepOwnFilters();
    policy = NewReadingPolicy(std::unique_ptr<const leveldb::FilterPolicy>(own(bits_per_key)),
                              settings.options, error);
    if (policy == nullptr) return nullptr;
  }
  filter::SetSettingsWrong(!settings.wrong.empty());
  if (!settings.wrong.empty()) {
    SayOnceThatOwnFiltersStay(Engine::kLevelDB, settings.wrong.c_str(), settings.queried);
  }
  if (settings.verbose) {
    const std::string text = Describe(settings.options) + ", policy " + policy->Name() +
                             ", kernel " + ActiveKernelName();
    SayOnceWhatIsActive(Engine::kLevelDB, text.c_str());
  }
  return policy.release();
}

}  // namespace

void AppendFilter(const leveldb::FilterPolicy& policy, const leveldb::Slice* keys, int n,
                  AppendFunction append, void* string) noexcept {
  std::string filter;
  policy.CreateFilter(keys, n, &filter);
  append(string, filter.data(), filter.size());
}

}  // namespace bloomline::preload

namespace leveldb {

// Throws nothing: code that can throw is in OrError.
const FilterPolicy* NewBloomFilterPolicy(int bits_per_key) {
  using namespace bloomline;
  using namespace bloomline::preload;
  void* const next = NextFunction(kFunction, __builtin_return_address(0), IfSeveral::kNone);
  if (next == nullptr) {  // its std::string is not known
    SayOnceThatNoneIsFound("LevelDB");
    return nullptr;  // LevelDB takes it as "no filters"
  }
  const auto own = reinterpret_cast<Function>(next);
  bool old_string = false;
  const char* const reason_against = ReasonAgainst(next, &old_string);
  std::string error;
  const FilterPolicy* const policy =
      support::OrError(&error, [&](std::string* reason) -> const FilterPolicy* {
        *reason = reason_against;
        return reason->empty() ? preload::NewPolicy(bits_per_key, own, old_string, reason)
                               : nullptr;
      });
  if (policy != nullptr) return policy;
  SayOnceThatOwnFiltersStay(Engine::kLevelDB, error.c_str(), Queried::kEnginesOwn);
  return own(bits_per_key);
}

}  // namespace leveldb

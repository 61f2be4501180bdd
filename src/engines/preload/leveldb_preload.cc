// libbloomline_leveldb_preload.so: preloaded, it replaces leveldb::NewBloomFilterPolicy. Programs
// that ask LevelDB for its Bloom filter then write bloomline's, and read both.
//
// It does not need libleveldb: many programs contain a copy of LevelDB, for example Node.js's
// classic-level, and libleveldb beside it would take over its functions.
#include <string>

#include "bloomline/cpu.h"
#include "bloomline/leveldb.h"
#include "src/engines/preload/environment.h"
#include "src/engines/preload/metrics_file.h"
#include "src/engines/preload/next_function.h"
#include "src/engines/preload/settings.h"
#include "src/support/set_error.h"

namespace leveldb {
// LevelDB defines it in a library that this one must not need. This definition is not exported.
FilterPolicy::~FilterPolicy() = default;
}  // namespace leveldb

namespace bloomline::preload {
namespace {

constexpr char kEngine[] = "LevelDB";
constexpr char kFunction[] = "_ZN7leveldb20NewBloomFilterPolicyEi";
using Function = const leveldb::FilterPolicy* (*)(int bits_per_key);

// leveldb::DB::Open, which has a std::string of GNU's C++ library among its parameters. Filters are
// returned in one, so a LevelDB with that of LLVM's library must be left alone.
constexpr char kOpen[] =
    "_ZN7leveldb2DB4OpenERKNS_7OptionsERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPPS0_";

// leveldb::NewBloomFilterPolicy2, which only Basho's LevelDB has.
constexpr char kBashoFunction[] = "_ZN7leveldb21NewBloomFilterPolicy2Ei";

// A seed needs a policy name other than LevelDB's own.
constexpr char kSeededName[] = "bloomline";

const Environment& StartEnvironment() {
  static const Environment environment = CaptureEnvironment();
  return environment;
}
__attribute__((constructor)) void AtStart() { StartEnvironment(); }

// Returns an empty string, or why bloomline must not be used with the LevelDB that has `function`.
const char* ReasonAgainst(void* function) {
  const link_map* const file = FileWith(function);
  void* const handle = file == nullptr ? nullptr : dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  const auto has = [=](const char* name) {
    void* const found = dlsym(handle, name);
    return found != nullptr && FileWith(found) == file;
  };
  const char* reason = "";
  if (!has(kOpen)) {
    reason = "this LevelDB was compiled with another std::string than bloomline";
  } else if (has(kBashoFunction)) {
    reason = "this is Basho's LevelDB, which has other filters under the name of LevelDB's";
  }
  dlclose(handle);  // the program is using it, so it stays
  return reason;
}

// Returns null, with the reason, if the program keeps its own filters.
const leveldb::FilterPolicy* NewPolicy(int bits_per_key, std::string* error) {
  Settings settings;
  *error = Settings::Parse(StartEnvironment(), Engine::kLevelDB, &settings);
  if (!error->empty()) return nullptr;
  StartMetricsFile(settings);
  FilterOptions& options = settings.options;
  if (!settings.has_bits_per_key) options.bits_per_key = bits_per_key;
  const char* const name = options.seed == 0 ? kLevelDBBuiltinName : kSeededName;
  const auto* const policy = NewLevelDBFilterPolicy(options, name, error);
  if (policy == nullptr && !settings.has_bits_per_key) {
    *error = "the program asks for " + std::to_string(bits_per_key) + " bits per key: " + *error +
             " (BLOOMLINE_BITS_PER_KEY replaces the program's number)";
  }
  if (policy != nullptr && settings.verbose) {
    const std::string text =
        Describe(options) + ", policy " + policy->Name() + ", kernel " + ActiveKernelName();
    SayOnceWhatIsActive(kEngine, text.c_str());
  }
  return policy;
}

}  // namespace
}  // namespace bloomline::preload

namespace leveldb {

// Throws nothing: code that can throw is in OrError.
const FilterPolicy* NewBloomFilterPolicy(int bits_per_key) {
  using namespace bloomline;
  using namespace bloomline::preload;
  void* const next = NextFunction(kFunction, __builtin_return_address(0));
  if (next == nullptr) {  // its std::string is not known
    SayOnceThatNoneIsFound(kEngine);
    return nullptr;  // LevelDB takes it as "no filters"
  }
  const char* const reason_against = ReasonAgainst(next);
  std::string error;
  const FilterPolicy* const policy =
      support::OrError(&error, [&](std::string* reason) -> const FilterPolicy* {
        *reason = reason_against;
        return reason->empty() ? preload::NewPolicy(bits_per_key, reason) : nullptr;
      });
  if (policy != nullptr) return policy;
  SayOnceThatOwnFiltersStay(kEngine, error.c_str());
  return reinterpret_cast<Function>(next)(bits_per_key);
}

}  // namespace leveldb

// libbloomline_rocksdb_preload.so: preloaded, it replaces rocksdb::NewBloomFilterPolicy,
// NewRibbonFilterPolicy and DB::Open, and makes bloomline known to RocksDB by name.
//
// This library comes into every process that the program starts, shells included. So it needs only
// libc. The policy is in a second library beside it. This one opens it only if the RocksDB that
// bloomline was compiled for is loaded. For another RocksDB, it opens the policy library of its
// interface (program_rocksdb.h). If there is none, the program keeps its own filters.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "src/engines/preload/environment.h"
#include "src/engines/preload/next_function.h"
#include "src/engines/preload/private_scope.h"
#include "src/engines/preload/program_rocksdb.h"
#include "src/engines/preload/rocksdb_policy.h"
#ifndef BLOOMLINE_ROCKSDB_SONAME  // the tests set it
#include "rocksdb_soname.h"
#endif

// As far as DB::Open has these: this library must not need RocksDB.
namespace rocksdb {

class ColumnFamilyHandle;
struct ColumnFamilyDescriptor;
struct DBOptions;
struct Options;

// It has a destructor, so functions return it into memory of their caller, and may pass on what
// another one returns without knowing its size.
struct Status {
  Status(const Status&) = delete;
  ~Status();
};

class DB {
 public:
  using Families = std::vector<ColumnFamilyDescriptor>;
  using Handles = std::vector<ColumnFamilyHandle*>;

  static Status Open(const Options& options, const std::string& name, DB** db);
  static Status Open(const DBOptions& options, const std::string& name, const Families& families,
                     Handles* handles, DB** db);
  // Of RocksDB 10 and later, where the two above are inline functions that call these.
  static Status Open(const Options& options, const std::string& name, std::unique_ptr<DB>* db);
  static Status Open(const DBOptions& options, const std::string& name, const Families& families,
                     Handles* handles, std::unique_ptr<DB>* db);
};

}  // namespace rocksdb

namespace bloomline::preload {
namespace {

#define BLOOMLINE_STRING "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define BLOOMLINE_OPEN "_ZN7rocksdb2DB4OpenERKNS_7OptionsE" BLOOMLINE_STRING
#define BLOOMLINE_OPEN_FAMILIES                           \
  "_ZN7rocksdb2DB4OpenERKNS_9DBOptionsE" BLOOMLINE_STRING \
  "RKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFamilyHandleESaISJ_EE"
#define BLOOMLINE_POINTER "PPS0_"
#define BLOOMLINE_UNIQUE_PTR "PSt10unique_ptrIS0_St14default_deleteIS0_EE"
// The functions of RocksDB that this library replaces.
enum Replaced { kBloom, kRibbon, kOpen, kOpenFamilies, kOpenUnique, kOpenFamiliesUnique };
constexpr const char* kNames[] = {
    "_ZN7rocksdb20NewBloomFilterPolicyEdb", "_ZN7rocksdb21NewRibbonFilterPolicyEdi",
    BLOOMLINE_OPEN BLOOMLINE_POINTER,       BLOOMLINE_OPEN_FAMILIES BLOOMLINE_POINTER,
    BLOOMLINE_OPEN BLOOMLINE_UNIQUE_PTR,    BLOOMLINE_OPEN_FAMILIES BLOOMLINE_UNIQUE_PTR};
constexpr int kNumReplaced = sizeof(kNames) / sizeof(*kNames);
constexpr char kRocksDB[] = BLOOMLINE_ROCKSDB_SONAME;
// The dynamic linker replaces $ORIGIN by the folder of this library.
constexpr char kOrigin[] = "$ORIGIN";
constexpr char kPolicyLibrary[] = "$ORIGIN/" BLOOMLINE_PRELOAD_POLICY_LIBRARY;

// Atomic; null until the second library is open.
NewPolicyFunction new_policy = nullptr;

// Atomic; kOpenFunctions of the second library, if that is open and was not built for another
// RocksDB.
void** open_with_account = nullptr;

struct NextFunctionOfRocksDB {
  void* function;  // null if there is none
  bool is_known;   // whether it lies in the RocksDB that bloomline was compiled for
};

// Those of a RocksDB that the program was started with.
NextFunctionOfRocksDB next_at_start[kNumReplaced];

// A library's initializer can ask for a policy before AtStart is called, in the same thread. The
// flag is plain: a local static that calls a function would need the C++ library.
const Environment* StartEnvironment() {
  static Environment environment;
  static bool captured = false;
  if (!captured) environment = CaptureEnvironment();
  captured = true;
  return &environment;
}

// Prints "bloomline: REASON; PROGRAM queries ..." at the first call.
void SayOnceThatOwnFiltersStay(std::initializer_list<const char*> reason) {
  static bool said = false;
  if (__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) return;
  char text[2 * PATH_MAX];
  text[0] = '\0';
  for (const char* const part : reason) {
    std::strncat(text, part, sizeof(text) - 1 - std::strlen(text));
  }
  std::fprintf(stderr,
               "bloomline: %s; %s queries no existing filters of bloomline, and new files get "
               "its own RocksDB filters\n",
               text, program_invocation_short_name);
}

// Whether `function` lies in the RocksDB that bloomline was compiled for.
bool IsOfKnownRocksDB(const void* function) {
  void* const handle = dlopen(kRocksDB, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  link_map* known = nullptr;
  const bool found = dlinfo(handle, RTLD_DI_LINKMAP, &known) == 0;
  dlclose(handle);
  return found && FileWith(function) == known;
}

// A policy library, and how to get it, if it cannot be opened.
struct PolicyLibrary {
  const char* path;                  // may begin with $ORIGIN
  const char* other_path = nullptr;  // of the same library under its earlier name
  const char* start = "";            // the beginning and the end of the sentence that says why
  const char* end = "";
  const ProgramRocksDB* program = nullptr;  // the RocksDB that it is for; null: any
};

// dlerror names the second library by the argument of dlopen. A reader needs its real path. If
// dlerror has nothing to say, the library at `opened` does not fit.
void SayOnceThatPolicyIsMissing(const PolicyLibrary& library, const char* opened) {
  const char* reason = dlerror();
  if (reason == nullptr) reason = opened;
  const link_map* const self = FileWith(kPolicyLibrary);
  char* const folder = self == nullptr ? nullptr : strdup(self->l_name);
  char* const end = folder == nullptr ? nullptr : std::strrchr(folder, '/');
  constexpr size_t kOriginBytes = sizeof(kOrigin) - 1;
  if (end == nullptr || std::strncmp(reason, kOrigin, kOriginBytes) != 0) {
    SayOnceThatOwnFiltersStay({library.start, reason, library.end});
  } else {
    *end = '\0';
    SayOnceThatOwnFiltersStay({library.start, folder, reason + kOriginBytes, library.end});
  }
  std::free(folder);
}

// Sets *opened to the path of the library. If neither name can be opened, dlerror has the reason,
// of the earlier name only if that exists.
void* OpenUnderEitherName(const PolicyLibrary& library, const char** opened) {
  *opened = library.path;
  void* handle = dlopen(library.path, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr || library.other_path == nullptr) return handle;
  handle = dlopen(library.other_path, RTLD_NOW | RTLD_LOCAL);
  const char* const reason = handle == nullptr ? dlerror() : nullptr;
  if (reason != nullptr && std::strstr(reason, std::strerror(ENOENT)) != nullptr) {
    return dlopen(library.path, RTLD_NOW | RTLD_LOCAL);  // for dlerror
  }
  *opened = library.other_path;
  return handle != nullptr ? handle : dlopen(library.other_path, RTLD_NOW | RTLD_LOCAL);
}

// Opens a policy library. All functions of RocksDB that it needs are looked up before the first of
// its own is called. They may be another RocksDB's if a library stays open that did not fit.
NewPolicyFunction OpenPolicy(const PolicyLibrary& library) {
  const char* opened = nullptr;
  void* const handle = OpenUnderEitherName(library, &opened);
  const auto find = [handle](const char* name) {
    return handle == nullptr ? nullptr : dlsym(handle, name);
  };
  const auto* const version = static_cast<const char*>(find(kVersionOfPolicy));
  void* const found = find(kNewPolicyFunction);
  void* const start = find(kStartFunction);
  const bool fits = library.program == nullptr ||
                    (version != nullptr && std::strcmp(version, BLOOMLINE_PRELOAD_VERSION) == 0 &&
                     FileWith(find(library.program->version_function)) == library.program->file);
  if (start == nullptr || found == nullptr || !fits) {
    SayOnceThatPolicyIsMissing(library, opened);
    return nullptr;
  }
  reinterpret_cast<StartFunction>(start)(StartEnvironment());
  if (library.program == nullptr) {
    __atomic_store_n(&open_with_account, static_cast<void**>(find(kOpenFunctions)),
                     __ATOMIC_RELEASE);
  }
  return reinterpret_cast<NewPolicyFunction>(found);
}

// Opens the policy library that was built for the program's RocksDB.
NewPolicyFunction OpenPolicyForProgram(const link_map* file) {
  ProgramRocksDB rocksdb;
  char path[PATH_MAX];
  char minor_path[PATH_MAX];
  const char* const folder = StartEnvironment()->values[kPolicyDir];
  const char* error = FindProgramRocksDB(file, &rocksdb);
  if (error == nullptr) error = PolicyPath(rocksdb, rocksdb.interface, folder, path);
  if (error == nullptr) error = PolicyPath(rocksdb, rocksdb.minor, folder, minor_path);
  void* const scope = error == nullptr ? OpenPrivateScope(file, &error) : nullptr;
  if (scope == nullptr) {
    SayOnceThatOwnFiltersStay({"compiled for " BLOOMLINE_ROCKSDB_SONAME ", but RocksDB is in ",
                               file->l_name, ": ", error});
    return nullptr;
  }
  char begin[PATH_MAX + 64];
  std::snprintf(begin, sizeof(begin), "RocksDB %s is in %s: ", rocksdb.version, file->l_name);
  char end[160];
  constexpr char kHow[] =
      " (in bloomline's source, packaging/policy_for%s%s HEADERS builds this library of bloomline "
      "%s "
      "from RocksDB %s)";
  std::snprintf(end, sizeof(end), kHow, *rocksdb.string == '\0' ? "" : " --old-string",
                *rocksdb.rtti == '\0' ? "" : " --no-rtti", BLOOMLINE_PRELOAD_VERSION,
                rocksdb.minor);
  const NewPolicyFunction opened = OpenPolicy({path, minor_path, begin, end, &rocksdb});
  if (opened == nullptr) dlclose(scope);
  return opened;
}

// Opens the second library, if `function` shows that it can be used. Takes no lock: a thread that
// holds one while it waits for the dynamic linker could wait for a thread that does the reverse.
// Opening twice does no harm.
//
// Only one RocksDB of a process gets policies: a second library would share the first one's names.
NewPolicyFunction PolicyFor(const void* function) {
  static const link_map* policy_file = nullptr;
  const link_map* const file = FileWith(function);
  if (file == nullptr) {
    SayOnceThatOwnFiltersStay({"RocksDB is in an unknown file"});
    return nullptr;
  }
  const link_map* first = nullptr;
  if (!__atomic_compare_exchange_n(&policy_file, &first, file, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE) &&
      first != file) {
    SayOnceThatOwnFiltersStay({"RocksDB is in ", file->l_name, " and ", first->l_name,
                               " of one process, and only the latter gets other filters"});
    return nullptr;
  }
  if (const NewPolicyFunction known = __atomic_load_n(&new_policy, __ATOMIC_ACQUIRE)) return known;
  const NewPolicyFunction opened =
      IsOfKnownRocksDB(function) ? OpenPolicy({kPolicyLibrary}) : OpenPolicyForProgram(file);
  if (opened == nullptr) {
    __atomic_store_n(&policy_file, nullptr, __ATOMIC_RELEASE);
    return nullptr;
  }
  __atomic_store_n(&new_policy, opened, __ATOMIC_RELEASE);
  return opened;
}

// Option strings are parsed without a call of NewBloomFilterPolicy, so the name must be known
// before.
__attribute__((constructor)) void AtStart() {
  StartEnvironment();  // a RocksDB that is opened later gets the settings of now, too
  const void* const first = dlsym(RTLD_DEFAULT, kNames[kBloom]);
  if (CopyWith(first) != nullptr && FileWith(first) != FileWith(kPolicyLibrary)) return;
  for (int i = 0; i < kNumReplaced; ++i) {
    void* const next = NextBehindCopies(kNames[i]);
    next_at_start[i] = {next, next != nullptr && IsOfKnownRocksDB(next)};
  }
  const void* const bloom = next_at_start[kBloom].function;
  if (bloom != nullptr) PolicyFor(bloom);
}

NextFunctionOfRocksDB Next(Replaced replaced, const void* caller, IfSeveral if_several) {
  if (next_at_start[replaced].function != nullptr) return next_at_start[replaced];
  void* const next = NextFunction(kNames[replaced], caller, if_several);
  return {next, next != nullptr && IsOfKnownRocksDB(next)};
}

const rocksdb::FilterPolicy* NewPolicy(const void* next, const Asked& asked) {
  if (next == nullptr) {
    SayOnceThatNoneIsFound("RocksDB");
    return nullptr;  // RocksDB takes it as "no filters"
  }
  const NewPolicyFunction make = PolicyFor(next);
  return make == nullptr ? nullptr : make(asked);
}

// The function that opens a database as code at `caller` would without this library. Of several,
// any will do: each module may have a copy of an inline function of RocksDB 10. The caller of two
// RocksDBs is in neither only if it needs neither, and the dynamic linker, too, would take the
// first that it finds. If there is none, the program ends as it would have without this library.
NextFunctionOfRocksDB NextOpen(Replaced open, const void* caller) {
  const NextFunctionOfRocksDB next = Next(open, caller, IfSeveral::kFirst);
  if (next.function != nullptr) return next;
  std::fprintf(stderr, "%s: symbol lookup error: undefined symbol: %s\n", program_invocation_name,
               kNames[open]);
  _exit(127);
}

// Calls the next DB::Open, or the function of the policy library that calls it. The arguments are
// pointers in place of references, which are the same to a function. Takes no lock if the program
// was started with its RocksDB: a thread may hold the dynamic linker's lock, and wait for this one.
template <typename... Arguments>
rocksdb::Status Open(Replaced open, const void* caller, Arguments... arguments) {
  using Function = rocksdb::Status (*)(Arguments...);
  const NextFunctionOfRocksDB next = NextOpen(open, caller);
  const auto function = reinterpret_cast<Function>(next.function);
  void** with_account = __atomic_load_n(&open_with_account, __ATOMIC_ACQUIRE);
  if (with_account == nullptr && next.is_known && StartEnvironment()->values[kFormat] != nullptr) {
    PolicyFor(next.function);  // the program has asked for no policy yet, and perhaps never does
    with_account = __atomic_load_n(&open_with_account, __ATOMIC_ACQUIRE);
  }
  if (with_account == nullptr || !next.is_known) return function(arguments...);
  using WithAccount = rocksdb::Status (*)(Function, Arguments...);
  constexpr bool kHasFamilies = sizeof...(Arguments) == 5;
  return reinterpret_cast<WithAccount>(with_account[kHasFamilies])(function, arguments...);
}

}  // namespace
}  // namespace bloomline::preload

namespace rocksdb {

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool unused) {
  using namespace bloomline::preload;
  void* const next = Next(kBloom, __builtin_return_address(0), IfSeveral::kNone).function;
  const FilterPolicy* const policy = NewPolicy(next, {/*is_ribbon=*/false, bits_per_key, 0});
  if (policy != nullptr || next == nullptr) return policy;
  return reinterpret_cast<const FilterPolicy* (*)(double, bool)>(next)(bits_per_key, unused);
}

const FilterPolicy* NewRibbonFilterPolicy(double bits_per_key, int bloom_before_level) {
  using namespace bloomline::preload;
  void* const next = Next(kRibbon, __builtin_return_address(0), IfSeveral::kNone).function;
  const FilterPolicy* const policy =
      NewPolicy(next, {/*is_ribbon=*/true, bits_per_key, bloom_before_level});
  if (policy != nullptr || next == nullptr) return policy;
  return reinterpret_cast<const FilterPolicy* (*)(double, int)>(next)(bits_per_key,
                                                                      bloom_before_level);
}

namespace preload = bloomline::preload;

Status DB::Open(const Options& options, const std::string& name, DB** db) {
  return preload::Open(preload::kOpen, __builtin_return_address(0), &options, &name, db);
}

Status DB::Open(const DBOptions& options, const std::string& name, const Families& families,
                Handles* handles, DB** db) {
  return preload::Open(preload::kOpenFamilies, __builtin_return_address(0), &options, &name,
                       &families, handles, db);
}

Status DB::Open(const Options& options, const std::string& name, std::unique_ptr<DB>* db) {
  return preload::Open(preload::kOpenUnique, __builtin_return_address(0), &options, &name, db);
}

Status DB::Open(const DBOptions& options, const std::string& name, const Families& families,
                Handles* handles, std::unique_ptr<DB>* db) {
  return preload::Open(preload::kOpenFamiliesUnique, __builtin_return_address(0), &options, &name,
                       &families, handles, db);
}

}  // namespace rocksdb

// libbloomline_rocksdb_preload.so: preloaded, it replaces rocksdb::NewBloomFilterPolicy and
// NewRibbonFilterPolicy, and makes bloomline known to RocksDB by name. With BLOOMLINE_REWRITE it
// also learns which databases the program opens and closes.
//
// It comes into every process that the program starts, shells included. So it needs nothing but
// libc. The policy is in a second library beside it, which it opens only where the RocksDB that
// bloomline was compiled for is loaded. Elsewhere the program keeps its own filters.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "src/engines/preload/database_watch.h"
#include "src/engines/preload/environment.h"
#include "src/engines/preload/next_function.h"
#include "src/engines/preload/rocksdb_policy.h"
#ifndef BLOOMLINE_ROCKSDB_SONAME  // the tests set it
#include "rocksdb_soname.h"
#endif

namespace bloomline::preload {
namespace {

constexpr char kBloomFunction[] = "_ZN7rocksdb20NewBloomFilterPolicyEdb";
constexpr char kRibbonFunction[] = "_ZN7rocksdb21NewRibbonFilterPolicyEdi";
// Functions of rocksdb::DBImpl, the same in 7.8, 9.10 and 11.9: one that opens a database calls
// when it has opened it, and two virtual ones. RocksDB's own table of virtual functions gets those
// of this library from the dynamic linker.
constexpr char kOpenedFunction[] = "_ZN7rocksdb6DBImpl26StartPeriodicTaskSchedulerEv";
constexpr char kCloseFunction[] = "_ZN7rocksdb6DBImpl5CloseEv";
constexpr char kDeleteFunction[] = "_ZN7rocksdb6DBImplD0Ev";
constexpr char kDatabaseClass[] = "_ZTVN7rocksdb6DBImplE";
constexpr char kRocksDB[] = BLOOMLINE_ROCKSDB_SONAME;
// The dynamic linker replaces $ORIGIN by the folder of this library.
constexpr char kOrigin[] = "$ORIGIN";
constexpr char kPolicyLibrary[] = "$ORIGIN/" BLOOMLINE_PRELOAD_POLICY_LIBRARY;

// Atomic; null until the second library is open.
NewPolicyFunction new_policy = nullptr;
WatchFunction watch = nullptr;
UnwatchFunction unwatch = nullptr;

// A library's initializer can ask for a policy before AtStart is called, in the same thread. Plain
// flag: a local static that calls a function would need the C++ library.
const Environment* StartEnvironment() {
  static Environment environment;
  static bool captured = false;
  if (!captured) environment = CaptureEnvironment();
  captured = true;
  return &environment;
}

// Prints "bloomline: START VALUE; PROGRAM keeps ..." at the first call.
void SayOnceThatOwnFiltersStay(const char* start, const char* value) {
  static bool said = false;
  if (__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) return;
  std::fprintf(stderr, "bloomline: %s%s; %s keeps its own RocksDB filters\n", start, value,
               program_invocation_short_name);
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

// dlerror names the second library as dlopen was asked for it. A reader needs its real path.
void SayOnceThatPolicyIsMissing() {
  const char* reason = dlerror();
  if (reason == nullptr) reason = kPolicyLibrary;
  const link_map* const self = FileWith(kPolicyLibrary);
  char* const folder = self == nullptr ? nullptr : strdup(self->l_name);
  char* const end = folder == nullptr ? nullptr : std::strrchr(folder, '/');
  constexpr size_t kOriginBytes = sizeof(kOrigin) - 1;
  if (end == nullptr || std::strncmp(reason, kOrigin, kOriginBytes) != 0) {
    SayOnceThatOwnFiltersStay("", reason);
  } else {
    *end = '\0';
    SayOnceThatOwnFiltersStay(folder, reason + kOriginBytes);
  }
  std::free(folder);
}

// Opens the second library, if `function` shows that it can be used. No lock: a thread that holds
// one while it waits for the dynamic linker could wait for another that does the reverse. Opening
// twice does no harm.
NewPolicyFunction PolicyFor(const void* function) {
  if (!IsOfKnownRocksDB(function)) {
    const link_map* const file = FileWith(function);
    SayOnceThatOwnFiltersStay("compiled for " BLOOMLINE_ROCKSDB_SONAME ", but RocksDB is in ",
                              file == nullptr ? "an unknown file" : file->l_name);
    return nullptr;
  }
  if (const NewPolicyFunction known = __atomic_load_n(&new_policy, __ATOMIC_ACQUIRE)) return known;
  void* const library = dlopen(kPolicyLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const start = library == nullptr ? nullptr : dlsym(library, kStartFunction);
  void* const found = library == nullptr ? nullptr : dlsym(library, kNewPolicyFunction);
  void* const opened = library == nullptr ? nullptr : dlsym(library, kWatchFunction);
  void* const closes = library == nullptr ? nullptr : dlsym(library, kUnwatchFunction);
  if (start == nullptr || found == nullptr || opened == nullptr || closes == nullptr) {
    SayOnceThatPolicyIsMissing();
    return nullptr;
  }
  reinterpret_cast<StartFunction>(start)(StartEnvironment());
  __atomic_store_n(&watch, reinterpret_cast<WatchFunction>(opened), __ATOMIC_RELAXED);
  __atomic_store_n(&unwatch, reinterpret_cast<UnwatchFunction>(closes), __ATOMIC_RELEASE);
  const auto result = reinterpret_cast<NewPolicyFunction>(found);
  __atomic_store_n(&new_policy, result, __ATOMIC_RELEASE);
  return result;
}

bool IsOwn(const void* function) { return FileWith(function) == FileWith(kPolicyLibrary); }

// Whether `table`, of virtual functions, has those two of this library that see when a database is
// closed or destroyed. Prints one line at the first call if not.
bool SeesClosing(const void* table) {
  Dl_info info;
  ElfW(Sym)* symbol = nullptr;
  int found = 0;
  if (table != nullptr &&
      dladdr1(table, &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) != 0 &&
      symbol != nullptr && info.dli_saddr != nullptr) {
    const auto* const slots = static_cast<const void* const*>(info.dli_saddr);
    for (size_t i = 0; i < symbol->st_size / sizeof(*slots); ++i) found += IsOwn(slots[i]);
  }
  if (found == 2) return true;
  static bool said = false;
  if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) {
    std::fprintf(stderr,
                 "bloomline: cannot see when RocksDB closes a database; %s takes no requests to "
                 "rewrite filters\n",
                 program_invocation_short_name);
  }
  return false;
}

// Option strings are parsed without a call of NewBloomFilterPolicy, so the name must be known
// before.
__attribute__((constructor)) void AtStart() {
  const bool must_watch = StartEnvironment()->rewrite != nullptr;
  const void* const next = dlsym(RTLD_NEXT, kBloomFunction);
  if (next == nullptr || PolicyFor(next) == nullptr || !must_watch) return;
  // A second copy of this library is not called.
  if (IsOwn(dlsym(RTLD_DEFAULT, kBloomFunction))) SeesClosing(dlsym(RTLD_NEXT, kDatabaseClass));
}

// A rocksdb::DBImpl is open. Classes derived from it are for reading alone.
void NoteOpened(void* database, const void* next) {
  if (StartEnvironment()->rewrite == nullptr) return;
  const void* const table = *static_cast<const void* const*>(database);
  Dl_info info;
  if (dladdr(table, &info) == 0 || info.dli_sname == nullptr ||
      std::strcmp(info.dli_sname, kDatabaseClass) != 0) {
    return;
  }
  if (PolicyFor(next) == nullptr || !SeesClosing(table)) return;
  __atomic_load_n(&watch, __ATOMIC_RELAXED)(database, StartEnvironment());
}

void NoteCloses(void* database) {
  const UnwatchFunction note = __atomic_load_n(&unwatch, __ATOMIC_ACQUIRE);
  if (note != nullptr) note(database);
}

// Where a call of the database's function would have gone. It is there: without it in RocksDB's
// file, the call would not have come here.
void* OwnFunction(const char* name, const void* database) {
  void* const next = NextMethod(name, database);
  if (next == nullptr) {
    std::fprintf(stderr, "bloomline: %s is not found\n", name);
    std::abort();
  }
  return next;
}

const rocksdb::FilterPolicy* NewPolicy(const void* next, const Asked& asked) {
  if (next == nullptr) {
    SayOnceThatNoneIsFound("RocksDB");
    return nullptr;  // RocksDB takes it as "no filters"
  }
  const NewPolicyFunction make = PolicyFor(next);
  return make == nullptr ? nullptr : make(asked);
}

}  // namespace
}  // namespace bloomline::preload

namespace rocksdb {

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool unused) {
  using namespace bloomline::preload;
  void* const next = NextFunction(kBloomFunction, __builtin_return_address(0));
  const FilterPolicy* const policy = NewPolicy(next, {Asked::Kind::kBloom, bits_per_key, 0});
  if (policy != nullptr || next == nullptr) return policy;
  return reinterpret_cast<const FilterPolicy* (*)(double, bool)>(next)(bits_per_key, unused);
}

const FilterPolicy* NewRibbonFilterPolicy(double bits_per_key, int bloom_before_level) {
  using namespace bloomline::preload;
  void* const next = NextFunction(kRibbonFunction, __builtin_return_address(0));
  const FilterPolicy* const policy =
      NewPolicy(next, {Asked::Kind::kRibbon, bits_per_key, bloom_before_level});
  if (policy != nullptr || next == nullptr) return policy;
  return reinterpret_cast<const FilterPolicy* (*)(double, int)>(next)(bits_per_key,
                                                                      bloom_before_level);
}

// Passed on without a copy, as the caller's own.
class Status {
 public:
  Status(const Status&);
  ~Status();
};

class DBImpl {
 public:
  Status StartPeriodicTaskScheduler();
  Status Close();
};

Status DBImpl::StartPeriodicTaskScheduler() {
  using namespace bloomline::preload;
  void* const next = OwnFunction(kOpenedFunction, this);
  NoteOpened(this, next);
  return reinterpret_cast<Status (*)(DBImpl*)>(next)(this);
}

// RocksDB refuses it while snapshots are held. Then the database stays open, unwatched.
Status DBImpl::Close() {
  using namespace bloomline::preload;
  NoteCloses(this);
  return reinterpret_cast<Status (*)(DBImpl*)>(OwnFunction(kCloseFunction, this))(this);
}

}  // namespace rocksdb

// The destructor of rocksdb::DBImpl that `delete` calls.
extern "C" void bloomline_preload_delete_database(void* database) __asm__("_ZN7rocksdb6DBImplD0Ev");
extern "C" void bloomline_preload_delete_database(void* database) {
  using namespace bloomline::preload;
  NoteCloses(database);
  reinterpret_cast<void (*)(void*)>(OwnFunction(kDeleteFunction, database))(database);
}

// Registers the policy, so that RocksDB finds it by name, and has the functions that make objects
// for C++ and C. Every option string begins here: AddFactory gets the name, and RocksDB then passes
// the options to the policy (options/mutable_settings.h).
#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/c_rocksdb.h"
#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "bloomline/rocksdb_range_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/object_registry.h"
#include "src/engines/rocksdb/budget/account_listener.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"
#include "src/engines/rocksdb/options/mutable_settings.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/ranges/range_collector.h"
#include "src/filter/options/policy_id.h"
#include "src/support/c_error.h"
#include "src/support/number_text.h"
#include "src/support/option_text.h"
#include "src/support/quoted.h"
#include "src/support/set_error.h"
#include "src/support/taken_errors.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::TablePropertiesCollectorFactory;

// What to write in place of ribbonfilter:BITS:LEVEL, or nothing if LEVEL is not a number.
std::string InPlaceOfRibbon(const filter::PolicyId& id) {
  const std::string bits(*id.bits);
  const std::string_view level = *id.suffix;
  const bool is_negative = level.substr(0, 1) == "-";
  uint64_t number;
  if (!support::ParseUint64(level.substr(is_negative ? 1 : 0), &number)) return "";
  std::string text = "; in place of ribbonfilter:" + bits + ":" + std::string(level) +
                     " write {id=bloomline;format=ribbon;bits_per_key=" + bits;
  if (is_negative) return text + "}";
  const uint64_t allowed = std::min<uint64_t>(number, kMaxLevels);
  return text + ";bloom_before_level=" + std::to_string(allowed) + "}";
}

// Returns what is wrong with the suffix of an id, or an empty string. Many configurations have that
// of "bloomline:10:false". Until RocksDB 7.0, it chose a Bloom filter's layout; RocksDB now ignores
// it, too.
std::string CheckSuffix(const std::string& text, const filter::PolicyId& id) {
  if (!id.suffix || id.has_flag()) return "";
  return "the name is " + support::Quoted(text) +
         "; allowed: bloomline:BITS_PER_KEY, and ':false' or ':true' behind it, which means "
         "nothing" +
         InPlaceOfRibbon(id);
}

// Returns the number of factories added.
int AddFactory(ObjectLibrary* library) {
  library->AddFactory<const FilterPolicy>(
      ObjectLibrary::PatternEntry(engine::kRocksDBPolicyName).AddSeparator(":", false),
      // A name that is refused makes a policy, too: without one, RocksDB would drop the error and
      // write no filters.
      [](const std::string& id, std::unique_ptr<const FilterPolicy>* guard, std::string* error) {
        *error = engine::RocksDBMismatch();
        if (!error->empty()) {
          // RocksDB drops the error, so stderr gets it.
          support::TakenErrors::Print("no RocksDB filter policy for " + support::Quoted(id) + ": " +
                                      *error);
          return guard->get();
        }
        const filter::PolicyId parsed = filter::ParsePolicyId(id);
        *guard = engine::MakeNamedRocksDBFilterPolicy(id, parsed.bits, CheckSuffix(id, parsed));
        return guard->get();
      });
  // A program's RocksDB may have other listeners and collectors than these headers: both changed
  // between versions of one interface.
  if (engine::kIsForProgram) return 1;
  library->AddFactory<EventListener>(
      FilterAccount::kClassName(),
      [](const std::string&, std::unique_ptr<EventListener>* guard, std::string*) {
        *guard = engine::MakeFilterAccount();
        return guard->get();
      });
  library->AddFactory<TablePropertiesCollectorFactory>(
      RangeFilter::kClassName(),
      [](const std::string&, std::unique_ptr<TablePropertiesCollectorFactory>* guard,
         std::string*) {
        guard->reset(new engine::RangeCollectors({}));
        return guard->get();
      });
  return 3;
}

// The same, or 0 if RocksDB cannot be used, which stderr then says.
int AddFactoryUnless(const std::string& mismatch, ObjectLibrary* library) {
  if (mismatch.empty()) return AddFactory(library);
  std::fprintf(stderr, "bloomline: not registered: %s\n", mismatch.c_str());
  return 0;
}

// Makes a policy from the text after `filter_policy=` in option strings.
std::unique_ptr<FilterPolicy> NewFromText(const std::string& text, std::string* error) {
  const ROCKSDB_NAMESPACE::ConfigOptions config;
  std::string id_text;
  engine::OptionMap changes;
  FilterPolicy::GetOptionsMap(config, nullptr, text, &id_text, &changes).PermitUncheckedError();
  const filter::PolicyId id = filter::ParsePolicyId(id_text);
  if (id.policy_class != filter::PolicyClass::kBloomline) {
    *error = "filter policy is " + support::Quoted(text) +
             "; allowed: bloomline, bloomline:BITS_PER_KEY, {id=bloomline;OPTION=VALUE;...}" +
             filter::MeantPolicy(text);
    return nullptr;
  }
  RocksDBFilterOptions options;
  *error = support::GivenTwice(text);
  if (error->empty()) *error = CheckSuffix(id_text, id);
  if (error->empty() && id.bits) {
    *error = engine::SetOption("bits_per_key", std::string(*id.bits), &options);
  }
  if (!error->empty()) return nullptr;
  std::unique_ptr<FilterPolicy> policy = engine::MakeRocksDBFilterPolicy(options, error);
  if (policy == nullptr) return nullptr;
  const ROCKSDB_NAMESPACE::Status status = policy->ConfigureFromMap(config, changes);
  if (status.ok()) return policy;
  *error = status.ToString();
  return nullptr;
}

// Returns what is wrong with the text of column-family options whose filter policy has an option
// twice; otherwise an empty string. RocksDB merges the two before the policy sees them.
std::string GivenTwiceInPolicy(std::string_view options) {
  constexpr std::string_view kPolicy = "filter_policy";
  std::string wrong;
  support::ForEachOption(options, [&](std::string_view name, std::string_view value) {
    if (!wrong.empty()) return;
    // In a table's options, which may be named block_based_table_factory.filter_policy.
    const bool is_policy =
        name.size() >= kPolicy.size() && name.substr(name.size() - kPolicy.size()) == kPolicy;
    const std::string_view inner = support::WithoutBraces(value);
    wrong = is_policy ? support::GivenTwice(inner) : GivenTwiceInPolicy(inner);
  });
  return wrong;
}

// Returns the result of f(std::string* reason) after registration, or null with the reason in
// *errptr.
template <typename F>
auto RegisterAndMake(char** errptr, F f) -> decltype(f(nullptr)) {
  return support::OrSetError(errptr, [&](std::string* reason) -> decltype(f(nullptr)) {
    *reason = engine::RocksDBMismatch();
    if (!reason->empty() || !RegisterBloomline()) return {};
    return f(reason);
  });
}

}  // namespace

// RocksDB calls this for its plugins while it makes its registry, which the comparison of structs
// needs. Registration is inline code of RocksDB's headers, so it needs the right version.
int RegisterBloomline(ObjectLibrary& library, const std::string&) {
  return AddFactoryUnless(engine::RocksDBVersionMismatch(), &library);
}

bool RegisterBloomline() {
  static std::mutex mutex;
  static bool registered = false;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!registered) {
    const std::string mismatch = engine::RocksDBMismatch();
    registered = AddFactoryUnless(mismatch, ObjectLibrary::Default().get()) != 0;
  }
  return registered;
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const FilterOptions& options,
                                                           std::string* error) {
  return NewRocksDBFilterPolicy(RocksDBFilterOptions(options), error);
}

std::shared_ptr<const FilterPolicy> NewRocksDBFilterPolicy(const RocksDBFilterOptions& options,
                                                           std::string* error) {
  return support::OrReport("RocksDB filter policy", error,
                           [&](std::string* reason) -> std::shared_ptr<const FilterPolicy> {
                             *reason = engine::RocksDBMismatch();
                             if (!reason->empty() || !RegisterBloomline()) return nullptr;
                             return engine::MakeRocksDBFilterPolicy(options, reason);
                           });
}

std::shared_ptr<RangeFilter> NewRangeFilter(const RangeFilterOptions& options, std::string* error) {
  return support::OrReport("range filter", error,
                           [&](std::string* reason) -> std::shared_ptr<RangeFilter> {
                             *reason = engine::RocksDBMismatch();
                             if (!reason->empty() || !RegisterBloomline()) return nullptr;
                             auto made = std::make_shared<engine::RangeCollectors>(options);
                             *reason = made->error();
                             return reason->empty() ? made : nullptr;
                           });
}

}  // namespace bloomline

using bloomline::RegisterAndMake;

extern "C" uint8_t bloomline_rocksdb_register(char** errptr) {
  return RegisterAndMake(errptr, [](std::string*) { return true; });
}

// RocksDB's C functions declare their handles as classes with one base, the C++ class, and pass
// them on as pointers to the base (db/c.cc, read in 7.8 to 11.9). So a handle may be any object of
// that base.
extern "C" rocksdb_filterpolicy_t* bloomline_rocksdb_filterpolicy_create(const char* options,
                                                                         char** errptr) {
  std::optional<bloomline::support::TakenErrors> taken;
  if (errptr != nullptr) taken.emplace();
  auto policy = RegisterAndMake(errptr, [&](std::string* reason) {
    return bloomline::support::IsNullText(options, "options", reason)
               ? nullptr
               : bloomline::NewFromText(options, reason);
  });
  return reinterpret_cast<rocksdb_filterpolicy_t*>(policy.release());
}

extern "C" uint8_t bloomline_rocksdb_validate_family_options(const char* options, char** errptr) {
  std::optional<bloomline::support::TakenErrors> taken;
  if (errptr != nullptr) taken.emplace();
  return RegisterAndMake(errptr, [&](std::string* reason) {
    if (bloomline::support::IsNullText(options, "options", reason)) return false;
    *reason = bloomline::GivenTwiceInPolicy(options);
    if (!reason->empty()) return false;
    ROCKSDB_NAMESPACE::ConfigOptions config;
    config.ignore_unsupported_options = false;  // an object of a name that is not registered
    config.input_strings_escaped = false;       // otherwise RocksDB drops such errors of a table
    ROCKSDB_NAMESPACE::ColumnFamilyOptions parsed;
    const ROCKSDB_NAMESPACE::Status status =
        GetColumnFamilyOptionsFromString(config, parsed, options, &parsed);
    const bool is_dropped = status.ok() && taken.has_value() && !taken->first().empty();
    if (status.ok() && !is_dropped) return true;
    *reason = "RocksDB refuses the options: " +  // without a seed in them
              (is_dropped ? taken->first() : status.ToString());
    return false;
  });
}

extern "C" int bloomline_rocksdb_plugin(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                        const std::string& arg) {
  return bloomline::RegisterBloomline(library, arg);
}

#include "db_bench_ext/support/policies.h"

#include <cmath>
#include <stdexcept>

#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "src/tool/quantity.h"

namespace bloomline::bench {
namespace {

std::string BitsText(double bits) {
  return tool::NumberText(bits, bits == std::floor(bits) ? 0 : 2);
}

Policy Ours(const std::string& name, const std::string& format, double bits,
            const std::string& options) {
  return {
      name, bits,
      "{id=bloomline;format=" + format + ";bits_per_key=" + BitsText(bits) + ";" + options + "}"};
}

}  // namespace

Policy BuiltinBloom(double bits) {
  return {kBuiltinBloom, bits, "bloomfilter:" + BitsText(bits) + ":false"};
}
Policy BuiltinRibbon(double bits) {
  // -1: at every level, for flushed files, too
  return {"builtin-ribbon", bits, "ribbonfilter:" + BitsText(bits) + ":-1"};
}
Policy Blocked(double bits) { return Ours("blocked", "blocked", bits, ""); }
Policy Compact(double bits) { return {"compact", bits, "compact"}; }
Policy RibbonByLevel(const std::string& name, double bits) {
  return Ours(name, "ribbon", bits, "bits_by_level=auto;stock_id=true;");
}

std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBPolicy(const Policy& policy) {
  if (!RegisterBloomline()) throw std::runtime_error("bloomline does not fit this RocksDB");
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.input_strings_escaped = false;  // so that RocksDB returns the factory's error
  std::shared_ptr<const rocksdb::FilterPolicy> made;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(config, policy.option, &made);
  if (!status.ok() || made == nullptr)
    throw std::runtime_error(policy.option + ": " + status.ToString());
  return made;
}

}  // namespace bloomline::bench

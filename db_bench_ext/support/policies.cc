#include "db_bench_ext/support/policies.h"

#include <cmath>
#include <map>
#include <stdexcept>

#include "bloomline/rocksdb.h"
#include "bloomline/sizing.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/version.h"
#include "src/cli/shared/quantity.h"

namespace bloomline::bench {
namespace {

std::string BitsText(double bits) {
  return cli::NumberText(bits, bits == std::floor(bits) ? 0 : 2);
}

std::string Ours(const char* format, const Policy& policy) {
  return std::string("{id=bloomline;format=") + format +
         ";bits_per_key=" + BitsText(policy.bits_per_key) + ";" +
         (policy.by_level ? "bits_by_level=auto;" : "") +
         (policy.IsStock() ? "stock_id=true;" : "") +
         (policy.has_ranges ? "range_prefixes=auto;}" : "}");
}

}  // namespace

std::string Policy::FilterPolicy() const {
  const std::string bits = BitsText(bits_per_key);
  switch (filter) {
    case Filter::kNone:
      return "";
    case Filter::kBloom:
      if (by_level) return Ours("bloom", *this);
      return "bloomfilter:" + bits + ":false";
    case Filter::kRibbon:
      if (by_level) return Ours("ribbon", *this);
      // -1: at every level, for flushed files, too
      return "ribbonfilter:" + bits + ":-1";
    case Filter::kBlocked:
      return Ours("blocked", *this);
    case Filter::kCompact:
      return Ours("compact", *this);
  }
  return "";
}

Policy NoFilter() { return {kNone}; }
Policy BuiltinBloom(double bits) { return {kBuiltinBloom, Filter::kBloom, bits}; }
Policy BuiltinRibbon(double bits) { return {kBuiltinRibbon, Filter::kRibbon, bits}; }
Policy BloomByLevel(double bits) { return {"bloom-by-level", Filter::kBloom, bits, true}; }
Policy RibbonByLevel(double bits) { return {"ribbon-by-level", Filter::kRibbon, bits, true}; }
Policy Blocked(double bits) { return {"blocked", Filter::kBlocked, bits}; }
Policy Compact(double bits) { return {"compact", Filter::kCompact, bits}; }
Policy CompactOfSameRate(double bits) {
  return {"compact-same-fpr", Filter::kCompact, CompactBitsOfBloomsRate(bits)};
}

double CompactBitsOfBloomsRate(double bloom_bits_per_key) {
  static std::map<double, double> known;  // computing one takes a good part of a second
  const auto [at, is_new] = known.try_emplace(bloom_bits_per_key);
  if (is_new) {
    const double rate = FalsePositiveRate(Format::kBlocked, bloom_bits_per_key);
    at->second = BitsPerKeyForFalsePositiveRate(Format::kCompact, rate);
  }
  return at->second;
}

std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBPolicy(const Policy& policy) {
  std::shared_ptr<const rocksdb::FilterPolicy> made;
  if (!policy.HasFilter()) return made;
  if (!RegisterBloomline()) throw std::runtime_error("bloomline does not fit this RocksDB");
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.input_strings_escaped = false;  // so that RocksDB returns the factory's error
  const std::string text = policy.FilterPolicy();
  const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(config, text, &made);
  if (!status.ok() || made == nullptr) throw std::runtime_error(text + ": " + status.ToString());
  return made;
}

void Check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("RocksDB: " + status.ToString());
}

std::unique_ptr<rocksdb::DB> OpenRocksDB(const rocksdb::Options& options,
                                         const std::string& directory) {
  std::unique_ptr<rocksdb::DB> opened;
#if ROCKSDB_MAJOR >= 11
  Check(rocksdb::DB::Open(options, directory, &opened));
#else
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, directory, &db));
  opened.reset(db);
#endif
  return opened;
}

}  // namespace bloomline::bench

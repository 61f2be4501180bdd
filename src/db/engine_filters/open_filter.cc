// Opens the filters of tables: the facts that their bytes show, and their queries
// (engine_filter.h).
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/filter.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/leveldb_codes.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/view/hash_query.h"

namespace bloomline::engine_filters {
namespace {

// Queries through a reader of src/filter/stock/readers.h.
template <typename Reader>
EngineFilter OpenReader(FilterFacts facts, const Reader& reader) {
  Query query = [reader](size_t n, const std::string_view* keys, bool* answers) {
    constexpr size_t kBatchKeys = 32;
    uint64_t hashes[kBatchKeys];
    for (size_t start = 0; start < n; start += kBatchKeys) {
      const size_t count = std::min(kBatchKeys, n - start);
      for (size_t i = 0; i < count; ++i) {
        hashes[i] = reader.Hash(keys[start + i]);
        reader.Prefetch(hashes[i]);
      }
      reader.MayMatchMany(count, hashes, answers + start);
    }
  };
  return EngineFilter(std::move(facts), std::move(query));
}

// Answers the same to every key.
EngineFilter OpenConstant(FilterFacts facts, bool answer) {
  return EngineFilter(std::move(facts), [answer](size_t n, const std::string_view*, bool* answers) {
    std::fill_n(answers, n, answer);
  });
}

EngineFilter OpenConstant(FilterFacts facts, Kind kind) {
  facts.kind = kind;
  facts.num_probes = 0;
  return OpenConstant(std::move(facts), kind != Kind::kNoKeys);
}

// Matches every key.
EngineFilter NotUnderstood(FilterFacts facts, std::string why) {
  facts.why = std::move(why);
  return OpenConstant(std::move(facts), Kind::kUnknown);
}

EngineFilter UnknownPolicy(FilterFacts facts, std::string_view name) {
  return NotUnderstood(std::move(facts),
                       "the filter policy " + std::string(name) + " is not known");
}

FilterFacts FactsOf(const filter::Payload& payload) {
  FilterFacts facts;
  if (!payload.always_matches()) facts.kind = KindOf(payload.layout);
  facts.num_probes = payload.num_probes;
  facts.data = payload.data;
  facts.payload_bytes = payload.payload_bytes();
  facts.num_blocks = payload.num_blocks;
  facts.block_bytes = payload.block_bytes;
  facts.shape = payload;
  return facts;
}

// ---- LevelDB's filters, one for each range of 2 KiB of data. The last byte is k, at most 30;
// bloomline's codes (docs/format.md, section 4) are above.

// LevelDB stores the policy's name once for all filters of a table. Names that are known:
//   leveldb.BuiltinBloomFilter2  LevelDB since 1.18, and bloomline
//   leveldb.BuiltinBloomFilter   LevelDB before 1.18, whose hash takes bytes as signed; goleveldb,
//                                whose hash does not. A key matches if one of its hashes does.
//   *bloomline*, *.seed-<32 hex digits>    bloomline, but for *.canonicalizer-*: it holds no keys
struct PolicyName {
  explicit PolicyName(std::string_view name) {
    constexpr std::string_view kSeedMark = ".seed-";
    constexpr size_t kCheckDigits = 32;
    constexpr size_t kSeedBytes = kSeedMark.size() + kCheckDigits;
    is_old = name == "leveldb.BuiltinBloomFilter";
    if (name.size() >= kSeedBytes &&
        name.substr(name.size() - kSeedBytes, kSeedMark.size()) == kSeedMark &&
        name.find_last_not_of("0123456789abcdef") == name.size() - kCheckDigits - 1) {
      has_seed = true;
      name.remove_suffix(kSeedBytes);
    }
    is_bloomline = name.find(".canonicalizer-") == name.npos &&
                   (has_seed || name.find("bloomline") != name.npos);
  }

  bool is_old = false;
  bool is_bloomline = false;
  bool has_seed = false;
};

// LevelDB's own layout, and bloomline's without a seed.
struct PayloadReader {
  filter::Payload payload;
  const kernels::Kernel* kernel;

  uint64_t Hash(std::string_view key) const { return filter::LayoutHash(payload.layout, key, 0); }
  void Prefetch(uint64_t) const {}  // small
  bool MayMatch(uint64_t hash) const { return filter::HashMayMatch(payload, *kernel, hash); }
};

// Filters of the old name.
struct OldReader : PayloadReader {
  static uint64_t Hash(std::string_view key) {
    return filter::LevelDBHash32(key) | uint64_t{filter::RocksDBHash32(key)} << 32;
  }
  bool MayMatch(uint64_t hashes) const {
    return PayloadReader::MayMatch(static_cast<uint32_t>(hashes)) ||
           PayloadReader::MayMatch(hashes >> 32);
  }
};

EngineFilter OpenPayload(const PolicyName& name, std::string_view bytes) {
  const filter::Payload payload = filter::DecodeLevelDB(bytes);
  const int code = static_cast<unsigned char>(bytes.back());
  FilterFacts facts = FactsOf(payload);
  if (payload.always_matches() || (name.is_old && code > kMaxProbes)) {
    facts.payload_bytes = bytes.size();
    if (code == 0 || (!name.is_old && bytes.back() == filter::kLevelDBAlwaysMatch.back())) {
      return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    }
    return NotUnderstood(
        std::move(facts),
        "a filter of " + std::to_string(bytes.size()) + " bytes with code " + std::to_string(code) +
            (name.is_old ? ", which is reserved" : ", which bloomline does not write"));
  }
  const PayloadReader reader{payload, &kernels::ActiveKernel()};
  if (name.is_old) return OpenReader(std::move(facts), stock::OneByOne(OldReader{reader}));
  if (name.has_seed && facts.kind != Kind::kClassic) {
    facts.can_query = false;
    facts.why = "its hashes have a seed, which the policy's name does not tell";
    return OpenConstant(std::move(facts), true);
  }
  return OpenReader(std::move(facts), stock::OneByOne(reader));
}

EngineFilter OpenLevelDB(std::string_view name, std::string_view bytes) {
  const PolicyName policy(name);
  FilterFacts facts;
  facts.payload_bytes = bytes.size();
  if (!name.empty() && name != kLevelDBName && !policy.is_old && !policy.is_bloomline) {
    return UnknownPolicy(std::move(facts), name);
  }
  // LevelDB does not query a filter without bytes, and takes one byte for a filter without keys;
  // bloomline under another name than LevelDB's takes it for damage.
  const size_t least = policy.is_bloomline ? 1 : 2;
  if (bytes.size() < least) return OpenConstant(std::move(facts), Kind::kNoKeys);
  return OpenPayload(policy, bytes);
}

// ---- RocksDB's full filters and partitions: bloomline's, by their trailer, and RocksDB's own.

EngineFilter OpenBloomline(std::string_view bytes) {
  std::string why;
  filter::Extension fields;
  const filter::Payload payload = filter::DecodeTrailer(bytes, &why, &fields);
  FilterFacts facts = FactsOf(payload);
  facts.entry_bytes = fields.second.payload_bytes();
  if (payload.always_matches()) {
    if (filter::SaysAlwaysMatch(bytes)) return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    return NotUnderstood(std::move(facts), std::move(why));
  }
  if (payload.num_blocks == 0) return OpenConstant(std::move(facts), Kind::kNoKeys);
  RangeQuery range_query;
  const auto ranges = filter::OpenedRanges(payload, fields, kernels::ActiveKernel());
  if (ranges.is_understood) {
    facts.ranges = ranges.field;
    range_query = [ranges](std::string_view begin, std::string_view end) {
      return filter::RangeMayMatch(ranges, begin, end);
    };
  }
  return EngineFilter(
      std::move(facts),
      [view = FilterView::Open(bytes)](size_t n, const std::string_view* keys, bool* may_match) {
        view.MayMatch(n, keys, may_match);
      },
      std::move(range_query));
}

EngineFilter OpenRocksDB(std::string_view name, std::string_view bytes) {
  FilterFacts facts;
  facts.payload_bytes = bytes.size();
  if (!name.empty() && name != kRocksDBName) return UnknownPolicy(std::move(facts), name);
  if (filter::HasTrailer(bytes)) return OpenBloomline(bytes);
  std::string why;
  const stock::StockFilter stock = stock::DecodeStockFilter(bytes, &why);
  facts.kind = static_cast<Kind>(stock.kind);
  facts.data = stock.data;
  facts.payload_bytes = stock.payload_bytes;
  facts.num_blocks = stock.num_blocks;
  facts.block_bytes = stock.block_bytes;
  facts.num_probes = stock.num_probes;
  if (facts.kind == Kind::kUnknown) return NotUnderstood(std::move(facts), std::move(why));
  if (!stock.has_reader()) return OpenConstant(std::move(facts), facts.kind);
  if (facts.kind == Kind::kRocksDBRibbon) facts.ribbon = stock.ribbon;
  return stock::WithReader(stock, kernels::ActiveKernel().stock, [&](const auto& reader) {
    return OpenReader(std::move(facts), reader);
  });
}

}  // namespace

EngineFilter EngineFilter::Open(Container container, std::string_view name,
                                std::string_view bytes) {
  return container == Container::kLevelDB ? OpenLevelDB(name, bytes) : OpenRocksDB(name, bytes);
}

bool EngineFilter::MayMatch(std::string_view key) const {
  bool may_match;
  return MayMatch(1, &key, &may_match) == 1;
}

size_t EngineFilter::MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
  query_(n, keys, may_match);
  return static_cast<size_t>(std::count(may_match, may_match + n, true));
}

}  // namespace bloomline::engine_filters

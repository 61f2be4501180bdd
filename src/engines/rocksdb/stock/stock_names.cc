#include "src/engines/rocksdb/stock/stock_names.h"

#include <cstdlib>
#include <string>

#include "rocksdb/utilities/object_registry.h"
#include "src/filter/options/policy_id.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using PatternEntry = ObjectLibrary::PatternEntry;

// "NAME:10" and "NICKNAME:10.5". RocksDB's function for them is FilterPatternEntryWithBits.
PatternEntry WithBits(const char* name, const char* nickname) {
  return PatternEntry(name, false).AddNumber(":", false).AnotherName(nickname);
}

// Parses what a pattern has matched, as RocksDB does.
StockName ParseName(StockKind kind, const std::string& text) {
  const filter::PolicyId id = filter::ParsePolicyId(text);
  // Behind each is a colon or the end of `text`, and a suffix may be a flag.
  return {kind, id.bits ? std::atof(id.bits->data()) : 0,
          id.suffix ? std::atoi(id.suffix->data()) : 0};
}

void Add(const PatternEntry& pattern, StockKind kind, MakeNamedPolicy make,
         ObjectLibrary* library) {
  library->AddFactory<const FilterPolicy>(
      pattern, [kind, make](const std::string& id, std::unique_ptr<const FilterPolicy>* guard,
                            std::string*) {
        *guard = make(ParseName(kind, id));
        return guard->get();
      });
}

}  // namespace

void MakeStockNamesWith(MakeNamedPolicy make) {
  ObjectLibrary* const library = ObjectRegistry::Default()->AddLibrary("bloomline").get();
  const PatternEntry bloom = WithBits("bloomfilter", "rocksdb.BloomFilter");
  const PatternEntry ribbon = WithBits("ribbonfilter", "rocksdb.RibbonFilter");
  Add(bloom, StockKind::kBloom, make, library);
  for (const char* const suffix : {":false", ":true"}) {
    Add(PatternEntry(bloom).AddSuffix(suffix), StockKind::kBloom, make, library);
  }
  Add(ribbon, StockKind::kRibbon, make, library);
  Add(PatternEntry(ribbon).AddNumber(":", true), StockKind::kRibbon, make, library);
  Add(PatternEntry(kStockReaderName), StockKind::kReader, make, library);
}

}  // namespace bloomline::engine

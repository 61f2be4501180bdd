#include "db_bench_ext/ranges/query_filters.h"

#include <rocksdb/version.h>

#include <functional>
#include <stdexcept>
#include <string>

#if ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 10)
#include <rocksdb/experimental.h>
#define BLOOMLINE_HAS_QUERY_FILTERS
#endif

namespace bloomline::bench::ranges {

#if defined(BLOOMLINE_HAS_QUERY_FILTERS)
namespace {

using rocksdb::Slice;
using rocksdb::experimental::KeySegmentsExtractor;
using rocksdb::experimental::SelectKeySegment;
using rocksdb::experimental::SstQueryFilterConfigsManager;

// Both parts end with the key if it is shorter, as the "segment maximal prefix property" asks.
class TwoParts : public KeySegmentsExtractor {
 public:
  explicit TwoParts(size_t prefix_bytes) : prefix_bytes_(prefix_bytes) {}

  const char* Name() const override { return "bloomline.bench.TwoParts"; }
  std::string GetId() const override { return Name() + std::to_string(prefix_bytes_); }
  void Extract(const Slice& key, KeyKind /* kind */, Result* result) const override {
    const size_t end = key.size() < prefix_bytes_ ? key.size() : prefix_bytes_;
    result->segment_ends = {static_cast<uint32_t>(end), static_cast<uint32_t>(key.size())};
  }

 private:
  const size_t prefix_bytes_;
};

using TableFilter = std::function<bool(const rocksdb::TableProperties&)>;

// ReadOptions have a function, or in later versions a pointer to one.
[[maybe_unused]] void Set(const TableFilter& filter, TableFilter* member) { *member = filter; }
[[maybe_unused]] void Set(const TableFilter& filter, const TableFilter** member) {
  *member = &filter;
}

void Check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("RocksDB's query filters: " + status.ToString());
}

}  // namespace

struct QueryFilters::Factory {
  std::shared_ptr<SstQueryFilterConfigsManager::Factory> of_tables;
  TableFilter filter;  // of the last range
};

bool QueryFilters::Exist() { return true; }

QueryFilters::QueryFilters(size_t prefix_bytes) : factory_(std::make_unique<Factory>()) {
  using rocksdb::experimental::MakeSharedBytewiseMinMaxSQFC;
  const rocksdb::experimental::SstQueryFilterConfigs configs = {
      {MakeSharedBytewiseMinMaxSQFC(SelectKeySegment(0)),
       MakeSharedBytewiseMinMaxSQFC(SelectKeySegment(1))},
      std::make_shared<TwoParts>(prefix_bytes)};
  const SstQueryFilterConfigsManager::Data data = {{1, {{"parts", configs}}}};
  std::shared_ptr<SstQueryFilterConfigsManager> manager;
  Check(SstQueryFilterConfigsManager::MakeShared(data, &manager));
  Check(manager->MakeSharedFactory("parts", 1, &factory_->of_tables));
}

void QueryFilters::AddTo(rocksdb::Options* options) const {
  options->table_properties_collector_factories.push_back(factory_->of_tables);
}

void QueryFilters::AddTo(const Range& range, rocksdb::ReadOptions* options) const {
  factory_->filter = factory_->of_tables->GetTableFilterForRangeQuery(range.begin, range.end);
  Set(factory_->filter, &options->table_filter);
}

#else

struct QueryFilters::Factory {};
bool QueryFilters::Exist() { return false; }
QueryFilters::QueryFilters(size_t /* prefix_bytes */) {}
void QueryFilters::AddTo(rocksdb::Options* /* options */) const {}
void QueryFilters::AddTo(const Range& /* range */, rocksdb::ReadOptions* /* options */) const {}

#endif

QueryFilters::~QueryFilters() = default;

}  // namespace bloomline::bench::ranges

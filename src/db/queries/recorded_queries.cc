#include "src/db/queries/recorded_queries.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bloomline::db {
namespace {

// Besides its bytes.
constexpr size_t kBytesOfQuery = sizeof(RecordedQuery);

size_t BytesOf(const RecordedQuery& query) {
  return kBytesOfQuery + query.key.size() + query.end.size();
}

void Unite(std::vector<RecordedQuery>* queries) {
  const auto bounds = [](const RecordedQuery& query) { return std::tie(query.key, query.end); };
  std::sort(queries->begin(), queries->end(),
            [&](const auto& a, const auto& b) { return bounds(a) < bounds(b); });
  size_t united = 0;
  for (size_t i = 0; i < queries->size(); ++i) {
    RecordedQuery& query = (*queries)[i];
    if (united != 0 && bounds((*queries)[united - 1]) == bounds(query)) {
      (*queries)[united - 1].count += query.count;
    } else if (united++ != i) {
      (*queries)[united - 1] = std::move(query);
    }
  }
  queries->resize(united);
}

}  // namespace

QueryCollector::QueryCollector(uint64_t seed, size_t max_bytes)
    : random_(seed), max_bytes_(max_bytes) {}

FamilyQueries* QueryCollector::Family(uint32_t family) {
  constexpr size_t kMaxFamilies = 65536;
  auto& families = queries_.families;
  if (families.size() == kMaxFamilies && families.count(family) == 0) return nullptr;
  return &families[family];
}

void QueryCollector::Add(uint32_t family, std::string_view key, std::string_view end) {
  ++num_queries_;
  if (random_.Next() % queries_.sampled_one_of != 0) return;
  FamilyQueries* const of_family = Family(family);
  if (of_family == nullptr) return;
  std::vector<RecordedQuery>& kind = end.empty() ? of_family->gets : of_family->scans;
  kind.push_back({std::string(key), std::string(end)});
  bytes_ += BytesOf(kind.back());
  while (bytes_ > max_bytes_) KeepHalf();
}

// One query each counts once until Finish, so a frequent one is thinned out like all others.
void QueryCollector::KeepHalf() {
  queries_.sampled_one_of *= 2;
  bytes_ = 0;
  for (auto& [id, family] : queries_.families) {
    for (std::vector<RecordedQuery>* kind : {&family.gets, &family.scans}) {
      kind->erase(std::remove_if(kind->begin(), kind->end(),
                                 [&](const RecordedQuery&) { return random_.Next() % 2 != 0; }),
                  kind->end());
      for (const RecordedQuery& query : *kind) bytes_ += BytesOf(query);
    }
  }
}

RecordedQueries QueryCollector::Finish() {
  for (auto& [id, family] : queries_.families) {
    Unite(&family.gets);
    Unite(&family.scans);
  }
  return std::move(queries_);
}

}  // namespace bloomline::db

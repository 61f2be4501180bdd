#include "src/engines/rocksdb/ranges/self_test.h"

#include <memory>
#include <string_view>
#include <utility>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "src/engines/rocksdb/ranges/self_test_database.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using Family = SelfTestFamily;

// How an iterator is made. An empty bound is none.
struct Mode {
  std::string_view lower, upper;
  bool auto_prefix_mode = false;
  bool total_order = false;
};

// An iterator and what it points at.
class Scan {
 public:
  Scan(DB* db, const Family& family, const Mode& mode)
      : family_(family), mode_(mode), lower_(mode.lower), upper_(mode.upper) {
    ReadOptions read;
    if (!mode.lower.empty()) read.iterate_lower_bound = &lower_;
    if (!mode.upper.empty()) read.iterate_upper_bound = &upper_;
    if (family.has_timestamps) read.timestamp = &timestamp_;
    read.auto_prefix_mode = mode.auto_prefix_mode;
    read.total_order_seek = mode.total_order;
    iterator_.reset(db->NewIterator(read, family.handle));
  }
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  const Family& family() const { return family_; }
  Iterator* iterator() const { return iterator_.get(); }

  // From where the iterator stands; joined by spaces.
  std::string Keys(bool backward) const {
    constexpr size_t kMaxText = 1000;  // all keys are shorter
    std::string all;
    while (iterator_->Valid() && all.size() < kMaxText) {
      all.append(iterator_->key().ToStringView()).append(" ");
      backward ? iterator_->Prev() : iterator_->Next();
    }
    if (!iterator_->status().ok()) all.append(iterator_->status().ToString());
    return all;
  }
  // "family, auto_prefix_mode, upper bound kc".
  std::string Name() const {
    std::string name = family_.name;
    if (mode_.auto_prefix_mode) name += ", auto_prefix_mode";
    if (mode_.total_order) name += ", total_order_seek";
    if (!mode_.lower.empty()) name.append(", lower bound ").append(mode_.lower);
    if (!mode_.upper.empty()) name.append(", upper bound ").append(mode_.upper);
    return name;
  }

 private:
  const Family& family_;
  const Mode mode_;
  const Slice lower_;
  const Slice upper_;
  const Slice timestamp_{SelfTestDatabase::kTimestamp};
  std::unique_ptr<Iterator> iterator_;
};

// A key that RocksDB passed on, which may be one of its internal keys.
std::string Shown(std::string key) {
  for (char& c : key) {
    if (c < '0' || c > 'z') c = '?';
  }
  return "'" + key + "'";
}

// Whether a filter may be queried from `queried` on by a Seek at `begin`: below a deleted range,
// RocksDB looks for the keys behind it.
bool IsBegin(const Family& family, std::string_view queried, std::string_view begin) {
  using Database = SelfTestDatabase;
  if (queried == begin) return true;
  return !family.has_timestamps && queried == Database::kDeletedEnd &&
         begin >= Database::kDeletedBegin && begin < Database::kDeletedEnd;
}

class SelfTest {
 public:
  std::string Run(bool* has_database) {
    const Status status = database_.Make();
    *has_database = status.ok();
    if (!status.ok()) return "no database in memory: " + status.ToString();
    for (const Family& family : database_.families()) {
      for (const bool auto_prefix_mode : {false, true}) TestForward(family, auto_prefix_mode);
      TestWithoutQueries(family);
    }
    return difference_;
  }

 private:
  void TestForward(const Family& family, bool auto_prefix_mode);
  void TestWithoutQueries(const Family& family);
  Scan NewScan(const Family& family, const Mode& mode) { return {database_.db(), family, mode}; }
  // Where the scan's iterator moves to, by move(iterator): filters must be queried for the range
  // from `begin` to `end`, or none if num_queries is 0, and then the range's keys must follow.
  template <typename Move>
  void Expect(const Scan& scan, const char* call, Move move, std::string_view begin,
              std::string_view end, size_t num_queries, bool backward = false);

  SelfTestDatabase database_;
  std::string difference_;  // the first
};

void SelfTest::TestForward(const Family& family, bool auto_prefix_mode) {
  const auto seek = [&](const Scan& scan, std::string_view begin, std::string_view end) {
    const auto move = [&](Iterator* iterator) { iterator->Seek(Slice(begin)); };
    Expect(scan, "Seek", move, begin, end, family.num_files());
  };
  constexpr std::pair<std::string_view, std::string_view> kRanges[] = {
      {"ka", "kb"}, {"kb", "kc"}, {"kc", "kd"},   {"kd", "ke"},
      {"ke", "kf"}, {"kc", "kf"}, {"kab", "kac"}, {"ka", "kf"}};
  for (const auto& [begin, end] : kRanges) {
    seek(NewScan(family, {"", end, auto_prefix_mode}), begin, end);
    const auto to_first = [](Iterator* iterator) { iterator->SeekToFirst(); };
    const Scan scan = NewScan(family, {begin, end, auto_prefix_mode});
    Expect(scan, "SeekToFirst", to_first, begin, end, family.num_files());
  }
  // Two iterators take turns, and each seeks forward and back.
  const Scan first = NewScan(family, {"", "kd", auto_prefix_mode});
  const Scan second = NewScan(family, {"", "ke", auto_prefix_mode});
  for (const std::string_view begin : {"kcc", "kb", "kc", "ka"}) {
    seek(first, begin, "kd");
    seek(second, begin, "ke");
  }
}

// Without an upper bound, the filter would not know where the range ends.
void SelfTest::TestWithoutQueries(const Family& family) {
  for (const std::string_view begin : {"kb", "kd", "ka"}) {
    const auto seek = [&](Iterator* iterator) { iterator->Seek(Slice(begin)); };
    for (const bool auto_prefix_mode : {false, true}) {
      Expect(NewScan(family, {"", "", auto_prefix_mode}), "Seek", seek, begin, "", 0);
      const Scan scan = NewScan(family, {begin, "kf", auto_prefix_mode});
      const auto seek_back = [](Iterator* iterator) { iterator->SeekForPrev("kdz"); };
      Expect(scan, "SeekForPrev", seek_back, begin, "kdz", 0, true);
      const auto seek_last = [](Iterator* iterator) { iterator->SeekToLast(); };
      Expect(scan, "SeekToLast", seek_last, begin, "kf", 0, true);
    }
    Expect(NewScan(family, {"", "kf", false, true}), "Seek", seek, begin, "kf", 0);
  }
}

template <typename Move>
void SelfTest::Expect(const Scan& scan, const char* call, Move move, std::string_view begin,
                      std::string_view end, size_t num_queries, bool backward) {
  if (!difference_.empty()) return;
  Queries& queries = database_.queries();
  queries.count = 0;
  move(scan.iterator());
  std::string text;
  if (queries.count != num_queries) {
    text = "queries " + std::to_string(queries.count) + " filters and not " +
           std::to_string(num_queries);
  }
  for (size_t i = 0; i < queries.count && text.empty(); ++i) {
    const Query& query = queries.kept[i];
    if (!query.has_range) {
      text = "queries a filter without a range";
    } else if (!IsBegin(scan.family(), query.begin, begin) || query.end != end) {
      text =
          "queries a filter for the range from " + Shown(query.begin) + " to " + Shown(query.end);
    }
  }
  const std::string keys = scan.Keys(backward);
  const std::string expected = scan.family().Keys(begin, end, backward);
  if (text.empty() && keys != expected) text = "finds '" + keys + "' and not '" + expected + "'";
  if (text.empty()) return;
  difference_.append(call).append(" at ").append(begin).append(", ").append(scan.Name());
  difference_.append(", ").append(text);
}

}  // namespace

std::string TestCallsForRanges(bool* has_database) { return SelfTest().Run(has_database); }

}  // namespace bloomline

#include "tests/rocksdb_matrix/point_reads.h"

#include <algorithm>
#include <array>

namespace bloomline::matrix {
namespace {

// RocksDB passes at most 32 keys at a time to a filter.
constexpr size_t kMaxMultiGet = 40;

std::string Answer(const rocksdb::Status& status, const rocksdb::PinnableSlice& value) {
  if (!status.ok()) return status.ToString();
  return "another value, of " + std::to_string(value.size()) + " bytes";
}

class PointReader {
 public:
  PointReader(const View& view, Random* random, Report* report)
      : view_(view), random_(random), report_(report) {
    read_.snapshot = view.snapshot;
  }

  void Get() {
    const size_t i = random_->Below(view_.universe.keys.size());
    rocksdb::PinnableSlice& value = values_[0];
    value.Reset();
    const rocksdb::Status status =
        view_.db->Get(read_, view_.db->DefaultColumnFamily(), view_.universe.keys[i], &value);
    Check("Get", i, status, value);
  }

  // Returns the number of keys.
  size_t MultiGet() {
    const size_t n = 1 + random_->Below(kMaxMultiGet);
    const bool sorted = random_->OneIn(2);
    // Half of the batches are of neighbours, which share prefixes and partitions.
    const size_t all = view_.universe.keys.size();
    const size_t range = random_->OneIn(2) ? std::min(all, 2 * n) : all;
    const size_t first = random_->Below(all - range + 1);
    for (size_t k = 0; k < n; ++k) places_[k] = first + random_->Below(range);
    if (sorted) std::sort(places_.begin(), places_.begin() + n);
    for (size_t k = 0; k < n; ++k) {
      slices_[k] = view_.universe.keys[places_[k]];
      values_[k].Reset();
    }
    view_.db->MultiGet(read_, view_.db->DefaultColumnFamily(), n, slices_.data(), values_.data(),
                       statuses_.data(), sorted);
    for (size_t k = 0; k < n; ++k) {
      Check(sorted ? "MultiGet-sorted" : "MultiGet", places_[k], statuses_[k], values_[k]);
    }
    return n;
  }

 private:
  void Check(const char* kind, size_t i, const rocksdb::Status& status,
             const rocksdb::PinnableSlice& value) {
    const Version version = view_.model.version(i);
    ++report_->gets;
    if (version == 0) {
      ++report_->missing_gets;
      if (status.IsNotFound()) return;
    } else if (status.ok() && IsValueOf(version, value.ToStringView())) {
      return;
    }
    report_->wrong.emplace(view_.phase + " " + kind + " " + Printable(view_.universe.keys[i]),
                           (version == 0 ? "is not there: " : "lost: ") + Answer(status, value));
  }

  const View& view_;
  Random* const random_;
  Report* const report_;
  rocksdb::ReadOptions read_;
  std::array<size_t, kMaxMultiGet> places_;
  std::array<rocksdb::Slice, kMaxMultiGet> slices_;
  std::array<rocksdb::PinnableSlice, kMaxMultiGet> values_;
  std::array<rocksdb::Status, kMaxMultiGet> statuses_;
};

}  // namespace

void ReadPoints(const View& view, uint64_t gets, Random* random, Report* report) {
  const FilterWatch watch;
  PointReader reader(view, random, report);
  for (uint64_t done = 0; done < gets;) {
    const size_t n = reader.MultiGet();
    for (size_t i = 0; i < n; ++i) reader.Get();
    done += 2 * n;
  }
  report->consulted[view.phase + " points"] += watch.Count();
}

}  // namespace bloomline::matrix

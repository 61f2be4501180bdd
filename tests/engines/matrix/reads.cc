#include "tests/engines/matrix/reads.h"

#include <rocksdb/iterator.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

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
  report->by_gets += watch.Count();
}

namespace {

using rocksdb::Slice;
using rocksdb::SliceTransform;

constexpr size_t kTargetsPerIterator = 4;
constexpr size_t kSteps = 4;

class RangeReader {
 public:
  RangeReader(const View& view, const SliceTransform* extractor, Mode mode, Random* random,
              Report* report)
      : view_(view),
        extractor_(extractor),
        mode_(mode),
        random_(random),
        report_(report),
        present_(view.model.Present()),
        bound_(keys().size()) {}

  void UseNewIterator() {
    const std::vector<size_t>& missing = view_.universe.missing_prefixes;
    const size_t first = !missing.empty() && random_->Percent(40)
                             ? missing[random_->Below(missing.size())]
                             : random_->Below(keys().size());
    ChooseBound(first);
    MakeIterator();
    for (size_t i = 0; i < kTargetsPerIterator; ++i) {
      const size_t target = std::min(first + random_->Below(12), keys().size() - 1);
      random_->OneIn(2) ? Seek(target) : SeekForPrev(target);
    }
  }

  void ScanAll() {
    upper_.reset();
    bound_ = keys().size();
    MakeIterator();
    for (const bool forward : {true, false}) {
      ++report_->seeks;
      forward ? iterator_->SeekToFirst() : iterator_->SeekToLast();
      where_ = Name(mode_) + std::string(forward ? " SeekToFirst" : " SeekToLast");
      // Filters know nothing of these two, so even without total_order_seek all keys come.
      prefix_.reset();
      size_t place = forward ? 0 : present_.size() - 1;
      if (mode_ == Mode::kSamePrefix && !present_.empty()) SetPrefix(key_at(place));
      while (Check(place)) Step(forward, &place);
    }
  }

 private:
  const std::vector<std::string>& keys() const { return view_.universe.keys; }
  const std::string& key_at(size_t place) const { return keys()[present_[place]]; }
  // Before the first key it is past the end, too.
  bool Exists(size_t place) const { return place < present_.size() && present_[place] < bound_; }

  void ChooseBound(size_t first) {
    upper_.reset();
    bound_ = keys().size();
    const std::string& key = keys()[first];
    std::string upper;
    switch (random_->Below(6)) {
      case 0:
        upper = keys()[first + random_->Below(keys().size() - first)];
        break;
      case 1:
        upper = keys()[std::min(first + random_->Below(20), keys().size() - 1)];
        break;
      case 2:  // all keys of the prefix
        if (extractor_ == nullptr || !extractor_->InDomain(key)) return;
        upper = extractor_->Transform(key).ToString();
        if (upper.empty() || upper.back() == '\xff') return;
        ++upper.back();
        break;
      case 3:
        upper = key.substr(0, 4) + "\xff\xff";
        break;
      default:
        return;
    }
    const rocksdb::Comparator* const comparator = view_.db->DefaultColumnFamily()->GetComparator();
    upper_ = upper;
    bound_ = static_cast<size_t>(std::lower_bound(keys().begin(), keys().end(), upper,
                                                  [=](const std::string& a, const std::string& b) {
                                                    return comparator->Compare(a, b) < 0;
                                                  }) -
                                 keys().begin());
  }

  void MakeIterator() {
    rocksdb::ReadOptions read;
    read.snapshot = view_.snapshot;
    read.prefix_same_as_start = mode_ == Mode::kSamePrefix;
    read.total_order_seek = mode_ == Mode::kTotalOrder;
    read.auto_prefix_mode = mode_ == Mode::kAutoPrefix;
    if (upper_) {
      upper_slice_ = *upper_;
      read.iterate_upper_bound = &upper_slice_;
    }
    iterator_.reset(view_.db->NewIterator(read));
  }

  bool is_prefix_mode() const {
    return extractor_ != nullptr && (mode_ == Mode::kDefault || mode_ == Mode::kSamePrefix);
  }

  void SetPrefix(const std::string& target) {
    prefix_.reset();
    if (is_prefix_mode() && extractor_->InDomain(target)) {
      prefix_ = extractor_->Transform(target).ToString();
    }
  }

  void Start(const char* operation, size_t target) {
    ++report_->seeks;
    SetPrefix(keys()[target]);
    where_ = std::string(Name(mode_)) + " " + operation + " " + Printable(keys()[target]);
    if (upper_) where_ += " below " + Printable(*upper_);
  }

  void Seek(size_t target) {
    Start("Seek", target);
    iterator_->Seek(keys()[target]);
    const auto found = std::lower_bound(present_.begin(), present_.end(), target);
    Walk(true, static_cast<size_t>(found - present_.begin()));
  }

  void SeekForPrev(size_t target) {
    Start("SeekForPrev", target);
    // RocksDB then looks for the upper bound, within the prefix that this one has.
    if (is_prefix_mode() && !prefix_ && target >= bound_) return;
    iterator_->SeekForPrev(keys()[target]);
    const auto found =
        std::lower_bound(present_.begin(), present_.end(), target < bound_ ? target + 1 : bound_);
    Walk(false, static_cast<size_t>(found - present_.begin()) - 1);
  }

  void Step(bool forward, size_t* place) {
    forward ? iterator_->Next() : iterator_->Prev();
    forward ? ++*place : --*place;
  }

  void Walk(bool forward, size_t place) {
    for (size_t step = 0; step < kSteps; ++step) {
      if (!Check(place)) return;
      Step(forward, &place);
    }
    if (!Check(place)) return;
    // To turn round, RocksDB looks for the key at which the iterator is, within its prefix.
    if (is_prefix_mode() && !prefix_) return;
    where_ += " and back";
    Step(!forward, &place);
    Check(place);
  }

  // Compares the iterator with the key at `place`. Returns false if nothing is known of the next
  // one.
  bool Check(size_t place) {
    const bool exists = Exists(place);
    bool wanted = exists;
    if (prefix_) {
      wanted = exists && extractor_->InDomain(key_at(place)) &&
               extractor_->Transform(key_at(place)) == *prefix_;
      if (!wanted && mode_ == Mode::kDefault) return false;
    }
    std::string answer;
    if (!iterator_->status().ok()) {
      answer = iterator_->status().ToString();
    } else if (iterator_->Valid() != wanted) {
      answer = wanted ? "lost " + Printable(key_at(place))
                      : "at " + Printable(iterator_->key().ToStringView()) + ", not at the end";
    } else if (wanted && iterator_->key() != key_at(place)) {
      answer = "at " + Printable(iterator_->key().ToStringView()) + ", not at " +
               Printable(key_at(place));
    } else if (wanted && !IsValueOf(view_.model.version(present_[place]),
                                    iterator_->value().ToStringView())) {
      answer = "another value of " + Printable(key_at(place));
    }
    if (answer.empty()) return wanted;
    report_->wrong.emplace(view_.phase + " " + where_, answer);
    return false;
  }

  const View& view_;
  const SliceTransform* const extractor_;
  const Mode mode_;
  Random* const random_;
  Report* const report_;
  const std::vector<size_t> present_;
  std::optional<std::string> upper_;
  Slice upper_slice_;
  size_t bound_;                       // the place in the universe where the upper bound is
  std::optional<std::string> prefix_;  // of keys that are compared; none: all are
  std::string where_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

const char* Name(Mode mode) {
  constexpr const char* kNames[] = {"default", "same-prefix", "total-order", "auto-prefix"};
  return kNames[static_cast<int>(mode)];
}

bool IsAllowed(Mode mode, const SliceTransform* extractor, const Universe& universe) {
  if (mode != Mode::kSamePrefix || extractor == nullptr) return true;
  return std::all_of(universe.keys.begin(), universe.keys.end(),
                     [=](const std::string& key) { return extractor->InDomain(key); });
}

void ReadRanges(const View& view, const SliceTransform* extractor, Mode mode, uint64_t seeks,
                Random* random, Report* report) {
  const FilterWatch watch;
  RangeReader reader(view, extractor, mode, random, report);
  for (uint64_t done = 0; done < seeks; done += kTargetsPerIterator) reader.UseNewIterator();
  report->by_seeks += watch.Count();
  reader.ScanAll();
}

}  // namespace bloomline::matrix

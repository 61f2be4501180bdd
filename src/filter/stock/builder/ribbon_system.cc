#include "src/filter/stock/builder/ribbon_system.h"

#include <algorithm>
#include <cstring>

#include "src/filter/bits/bytes.h"

namespace bloomline::stock {
namespace {

constexpr uint32_t kRowsPerBlock = RibbonShape::kRowsPerBlock;
constexpr size_t kRowBytes = sizeof(RibbonCoefficients) + sizeof(uint32_t);

// A group has some 2,000 keys, so larger units would be half empty.
constexpr size_t kUnitWords = 127;

// Groups of more keys are of many equal ones.
constexpr size_t kMaxGroupKeys = 16 * kGroupRows;

// Starts of a bin, which may be in any order.
constexpr int kLog2BinStarts = 3;
constexpr uint32_t kNumBins = kGroupRows >> kLog2BinStarts;

// The group of a key's start.
struct StartGroups {
  uint64_t raw_seed;
  uint32_t num_starts;
  size_t operator()(uint64_t hash) const {
    return RibbonKey::Start(RibbonKey::Seeded(hash, raw_seed), num_starts) >> kLog2GroupRows;
  }
};

// The 128 coefficients from a start on, not yet at their places.
struct Shifted {
  explicit Shifted(const RibbonCoefficients& c) : low(c.low), high(c.high) {}
  bool is_zero() const { return (low | high) == 0; }
  int FirstRow() const { return low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high); }
  void ShiftDown(int by) {
    if (by >= 64) {
      low = high >> (by - 64);
      high = 0;
    } else if (by != 0) {
      low = low >> by | high << (64 - by);
      high >>= by;
    }
  }
  uint64_t low;
  uint64_t high;
};

}  // namespace

RibbonSystem::RibbonSystem(const RibbonSolver& solver, uint32_t num_rows)
    : solver_(solver),
      num_rows_(num_rows),
      num_starts_(num_rows - kRowsPerBlock + 1),
      groups_(((num_rows - 1) >> kLog2GroupRows) + 1) {}

RibbonRows RibbonSystem::RowsFrom(uint32_t row) const {
  return {coefficients_.get() + row, results_.get() + row};
}

void RibbonSystem::AllocateRows(uint32_t num_rows) {
  coefficients_.reset(new RibbonCoefficients[num_rows]);
  results_.reset(new uint32_t[num_rows]);
}

bool RibbonSystem::Solve(filter::HashList* hashes, uint8_t first_seed) {
  seed_ = first_seed;
  groups_.TakeInUnits(hashes, kUnitWords, StartGroups{raw_seed(), num_starts_});
  while (!SolveWithSeed()) {
    ++seed_;
    if (seed_ == first_seed) return false;
    groups_.Regroup(StartGroups{raw_seed(), num_starts_});
  }
  return true;
}

// ---- Pass 1.

bool RibbonSystem::SolveWithSeed() {
  keeps_rows_ = num_rows_ * kRowBytes <= solver_.keep_rows_bytes;
  if (keeps_rows_) AllocateRows(num_rows_);
  saved_.clear();
  saved_from_.clear();
  WaitingEquations waiting;
  for (size_t group = 0; group < groups_.num_groups(); ++group) {
    saved_from_.push_back(saved_.size());
    if (!keeps_rows_) {
      saved_.insert(saved_.end(), waiting.equations, waiting.equations + waiting.size);
    }
    if (!LoadKeys(group, Order::kSort)) return InsertOneByOne();
    const RibbonRows rows = keeps_rows_ ? RowsFrom(FirstRow(group)) : RibbonRows();
    const RibbonSolved solved = solver_.solve(LoadedGroup(group), &waiting, rows);
    if (solved == RibbonSolved::kTooMany) return InsertOneByOne();
    if (solved == RibbonSolved::kNo) return false;
  }
  saved_from_.push_back(saved_.size());
  return true;
}

// Loads the keys of a group, and sorts them, in the group's memory too. Returns false if there are
// too many.
bool RibbonSystem::LoadKeys(size_t group, Order order) {
  const size_t n = groups_.GroupSize(group);
  if (n > kMaxGroupKeys) return false;
  if (starts_.size() < n + kReadAheadKeys) {
    starts_.resize(n + n / 16 + kReadAheadKeys);
    unsorted_starts_.resize(starts_.size());
    sorted_hashes_.Reserve(starts_.size());
  }
  num_loaded_ = n;
  uint64_t* const sorted = sorted_hashes_.data();
  const uint64_t raw = raw_seed();
  const uint32_t num_starts = num_starts_;
  const auto start_in_group = [=](uint64_t hash) {
    const uint32_t start = RibbonKey::Start(RibbonKey::Seeded(hash, raw), num_starts);
    return static_cast<uint16_t>(start % kGroupRows);
  };
  size_t i = 0;
  if (order == Order::kIsSorted) {
    uint16_t* const starts = starts_.data();
    groups_.ForEachRun(group, [&](const uint64_t* hashes, size_t count) {
      std::copy_n(hashes, count, sorted + i);
      for (size_t j = 0; j < count; ++j) starts[i + j] = start_in_group(hashes[j]);
      i += count;
    });
    return true;
  }
  uint32_t ends[kNumBins] = {};
  uint16_t* const unsorted = unsorted_starts_.data();
  groups_.ForEachRun(group, [&](const uint64_t* hashes, size_t count) {
    for (size_t j = 0; j < count; ++j) {
      unsorted[i + j] = start_in_group(hashes[j]);
      ++ends[unsorted[i + j] >> kLog2BinStarts];
    }
    i += count;
  });
  uint32_t sum = 0;
  for (uint32_t& end : ends) {
    const uint32_t count = end;
    end = sum;
    sum += count;
  }
  i = 0;
  uint16_t* const starts = starts_.data();
  groups_.ForEachRun(group, [&](const uint64_t* hashes, size_t count) {
    for (size_t j = 0; j < count; ++j) {
      const uint16_t start = unsorted[i + j];
      const uint32_t to = ends[start >> kLog2BinStarts]++;
      sorted[to] = hashes[j];
      starts[to] = start;
    }
    i += count;
  });
  if (keeps_rows_) return true;
  i = 0;
  groups_.ForEachRun(group, [&](uint64_t* hashes, size_t count) {
    std::copy_n(sorted + i, count, hashes);
    i += count;
  });
  return true;
}

RibbonGroup RibbonSystem::LoadedGroup(size_t group) const {
  RibbonGroup loaded;
  loaded.hashes = sorted_hashes_.data();
  loaded.starts = starts_.data();
  loaded.num_keys = static_cast<uint32_t>(num_loaded_);
  loaded.raw_seed = raw_seed();
  loaded.num_rows = std::min(num_rows_ - FirstRow(group), kGroupRows);
  return loaded;
}

// ---- The last resort, for many equal keys: one key after the other, as RocksDB does. Rows have
// their coefficients from the row on until all are inserted.

bool RibbonSystem::InsertOneByOne() {
  keeps_rows_ = true;
  AllocateRows(num_rows_);
  std::fill_n(coefficients_.get(), num_rows_, RibbonCoefficients());
  std::fill_n(results_.get(), num_rows_, 0u);
  bool is_solved = true;
  ForEachRun([&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n && is_solved; ++i) is_solved = Insert(hashes[i]);
  });
  for (uint32_t row = 0; row < num_rows_; ++row) {
    coefficients_[row].low |= RibbonKey::kFirstCoefficient;  // also of rows without a pivot
    coefficients_[row] = AtPlaces(coefficients_[row], row);
  }
  return is_solved;
}

bool RibbonSystem::Insert(uint64_t hash) {
  const RibbonEquation key = EquationFromStart(hash, raw_seed());
  Shifted left(key.coefficients);
  uint32_t result = key.result;
  for (uint32_t row = StartOf(hash);;) {
    RibbonCoefficients& of_row = coefficients_[row];
    if ((of_row.low | of_row.high) == 0) {
      of_row = {left.low, left.high};
      results_[row] = result;
      return true;
    }
    left.low ^= of_row.low;
    left.high ^= of_row.high;
    result ^= results_[row];
    if (left.is_zero()) return result == 0;
    const int by = left.FirstRow();
    left.ShiftDown(by);
    row += static_cast<uint32_t>(by);
  }
}

// ---- Pass 2.

void RibbonSystem::WritePayload(uint64_t payload_bytes, char* payload) {
  const uint32_t num_blocks = num_rows_ / kRowsPerBlock;
  const RibbonShape shape(num_blocks, payload_bytes);
  // With more than 32 columns, bytes are left over.
  const uint64_t num_segments = uint64_t{num_blocks} * shape.columns - shape.upper_start;
  char* to = payload + num_segments * RibbonShape::kSegmentBytes;
  if (!keeps_rows_) AllocateRows(kGroupRows);
  WaitingEquations waiting;
  RibbonSegments segments;
  for (size_t group = groups_.num_groups(); group-- != 0;) {
    const uint32_t first_row = FirstRow(group);
    const uint32_t end_row = std::min(num_rows_, first_row + kGroupRows);
    if (!keeps_rows_) {
      waiting.size = static_cast<uint32_t>(saved_from_[group + 1] - saved_from_[group]);
      std::copy_n(saved_.data() + saved_from_[group], waiting.size, waiting.equations);
      LoadKeys(group, Order::kIsSorted);
      solver_.solve(LoadedGroup(group), &waiting, RowsFrom(0));
    }
    for (uint32_t row = end_row; row != first_row;) {
      row -= kRowsPerBlock;
      solver_.substitute(RowsFrom(keeps_rows_ ? row : row - first_row), shape.columns, &segments);
      const uint32_t columns = shape.columns - (row / kRowsPerBlock < shape.upper_start ? 1 : 0);
      to -= columns * RibbonShape::kSegmentBytes;
      for (uint32_t c = 0; c < columns; ++c) {
        kernels::StoreLittleEndian64(segments.low[c], to + c * RibbonShape::kSegmentBytes);
        kernels::StoreLittleEndian64(segments.high[c], to + c * RibbonShape::kSegmentBytes + 8);
      }
    }
  }
}

}  // namespace bloomline::stock

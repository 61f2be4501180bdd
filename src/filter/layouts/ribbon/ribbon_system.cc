#include "src/filter/layouts/ribbon/ribbon_system.h"

#include <algorithm>
#include <utility>

#include "src/filter/bits/bytes.h"

namespace bloomline::stock {
namespace {

constexpr uint32_t kRowsPerBlock = RibbonShape::kRowsPerBlock;

// A group has some 2,000 keys, so larger units would be half empty.
constexpr size_t kUnitWords = 127;

// Groups of more keys contain many equal ones.
constexpr size_t kMaxGroupKeys = 16 * kGroupRows;

// The group of a key's start.
struct StartGroups {
  uint64_t raw_seed;
  uint32_t num_starts;
  size_t operator()(uint64_t hash) const {
    return RibbonKey::Start(RibbonKey::Seeded(hash, raw_seed), num_starts) >> kLog2GroupRows;
  }
};

uint32_t FirstRow(size_t group) { return static_cast<uint32_t>(group) << kLog2GroupRows; }

}  // namespace

RibbonSystem::RibbonSystem(const RibbonSolver& solver, uint32_t num_rows)
    : solver_(solver),
      num_rows_(num_rows),
      num_starts_(num_rows - kRowsPerBlock + 1),
      groups_(((num_rows - 1) >> kLog2GroupRows) + 1) {}

uint32_t RibbonSystem::NumRows(size_t group) const {
  return std::min(num_rows_ - FirstRow(group), kGroupRows);
}

bool RibbonSystem::Solve(filter::HashList* hashes, uint8_t first_seed, uint32_t num_seeds) {
  seed_ = first_seed;
  groups_.TakeInUnits(hashes, kUnitWords, StartGroups{raw_seed(), num_starts_});
  for (; !SolveWithSeed(); --num_seeds) {
    if (num_seeds == 1) return false;
    ++seed_;
    groups_.Regroup(StartGroups{raw_seed(), num_starts_});
  }
  return true;
}

// Pass 1.
bool RibbonSystem::SolveWithSeed() {
  keeps_rows_ = num_rows_ <= solver_.most_kept_rows;
  if (keeps_rows_) rows_.reset(new RibbonEquation[num_rows_]);
  waiting_.clear();
  WaitingEquations waiting;
  for (size_t group = 0; group < groups_.num_groups(); ++group) {
    if (!keeps_rows_) waiting_.push_back(waiting);
    RibbonEquation* const rows = keeps_rows_ ? rows_.get() + FirstRow(group) : nullptr;
    const RibbonSolved solved = SolveGroup(group, &waiting, rows);
    if (solved == RibbonSolved::kTooMany) return InsertOneByOne();
    if (solved == RibbonSolved::kNo) return false;
  }
  return true;
}

RibbonSolved RibbonSystem::SolveGroup(size_t group, WaitingEquations* waiting,
                                      RibbonEquation* rows) {
  const size_t num_keys = groups_.GroupSize(group);
  if (num_keys > kMaxGroupKeys) return RibbonSolved::kTooMany;
  if (starts_.size() < num_keys + kReadAheadKeys) {
    starts_.resize(num_keys + num_keys / 16 + kReadAheadKeys);
    sorted_starts_.resize(starts_.size());
    sorted_hashes_.Reserve(starts_.size());
  }
  // A counting sort. Copies: the compiler must assume that writing starts changes members.
  const uint64_t raw = raw_seed();
  const uint32_t num_starts = num_starts_;
  uint32_t ends[kGroupRows / kRowsPerStep] = {};
  uint16_t* start = starts_.data();
  groups_.ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i, ++start) {
      const uint64_t seeded = RibbonKey::Seeded(hashes[i], raw);
      *start = static_cast<uint16_t>(RibbonKey::Start(seeded, num_starts) % kGroupRows);
      ++ends[*start / kRowsPerStep];
    }
  });
  uint32_t sum = 0;
  for (uint32_t& end : ends) sum += std::exchange(end, sum);
  start = starts_.data();
  uint64_t* const sorted_hashes = sorted_hashes_.data();
  uint16_t* const sorted_starts = sorted_starts_.data();
  groups_.ForEachRun(group, [&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i, ++start) {
      const uint32_t to = ends[*start / kRowsPerStep]++;
      sorted_hashes[to] = hashes[i];
      sorted_starts[to] = *start;
    }
  });
  return solver_.solve({sorted_hashes, sorted_starts, ends, raw, NumRows(group)}, waiting, rows);
}

// ---- The last resort, for many equal keys: one key after the other, as RocksDB does.

bool RibbonSystem::InsertOneByOne() {
  keeps_rows_ = true;
  rows_.reset(new RibbonEquation[num_rows_]());
  bool is_solved = true;
  ForEachRun([&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n && is_solved; ++i) is_solved = Insert(hashes[i]);
  });
  for (uint32_t row = 0; row < num_rows_; ++row) {
    if (!rows_[row].has_rows()) rows_[row] = ZeroRow(row);
  }
  return is_solved;
}

bool RibbonSystem::Insert(uint64_t hash) {
  uint32_t row = RibbonKey::Start(RibbonKey::Seeded(hash, raw_seed()), num_starts_);
  RibbonEquation key = EquationOf(hash, raw_seed(), row);
  for (; key.has_rows(); ++row) {
    const RibbonEquation place = ZeroRow(row);
    if ((key.low & place.low) == 0 && (key.high & place.high) == 0) continue;
    RibbonEquation& of_row = rows_[row];
    if (!of_row.has_rows()) {
      of_row = key;
      return true;
    }
    key = {key.low ^ of_row.low, key.high ^ of_row.high, key.result ^ of_row.result};
  }
  return key.result == 0;
}

// ---- Pass 2.

void RibbonSystem::WritePayload(uint64_t payload_bytes, char* payload) {
  const uint32_t num_blocks = num_rows_ / kRowsPerBlock;
  const RibbonShape shape(num_blocks, payload_bytes);
  // With more than 32 columns, bytes are left over.
  const uint64_t num_segments = uint64_t{num_blocks} * shape.columns - shape.upper_start;
  char* to = payload + num_segments * RibbonShape::kSegmentBytes;
  if (!keeps_rows_) rows_.reset(new RibbonEquation[kGroupRows]);
  RibbonSegments segments;
  for (size_t group = groups_.num_groups(); group-- != 0;) {
    const uint32_t first_row = FirstRow(group);
    if (!keeps_rows_) SolveGroup(group, &waiting_[group], rows_.get());
    const RibbonEquation* const rows = rows_.get() + (keeps_rows_ ? first_row : 0);
    for (uint32_t row = NumRows(group); row != 0;) {
      row -= kRowsPerBlock;
      solver_.substitute(rows + row, shape.columns, &segments);
      const bool is_upper = (first_row + row) / kRowsPerBlock >= shape.upper_start;
      const uint32_t columns = shape.columns - (is_upper ? 0 : 1);
      to -= columns * RibbonShape::kSegmentBytes;
      for (uint32_t c = 0; c < columns; ++c) {
        kernels::StoreLittleEndian64(segments.low[c], to + c * RibbonShape::kSegmentBytes);
        kernels::StoreLittleEndian64(segments.high[c], to + c * RibbonShape::kSegmentBytes + 8);
      }
    }
  }
}

}  // namespace bloomline::stock

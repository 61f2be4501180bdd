// The places where ranges end that scans may ask for, and the entries that may answer.
#ifndef BLOOMLINE_FILTER_RANGES_ASKED_PLACES_H_
#define BLOOMLINE_FILTER_RANGES_ASKED_PLACES_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "src/filter/ranges/asked_ranges.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_memory.h"

namespace bloomline::filter {

constexpr size_t kCells = RangeCounts::kDelimiters.size();

// A place where ranges end: at an occurrence of a delimiter, or after a number of bits.
struct Place {
  size_t delimiter;  // an index of RangeCounts::kDelimiters, or kCells
  size_t depth;      // of a delimiter, else 0
  size_t bits;       // of cells, else 0
  double num_entries;
};

struct Asked {
  Place place;
  double weight;
};

struct Candidate {
  Place place;
  unsigned copies;
};

template <typename T, size_t kMaxSize>
struct List {
  std::array<T, kMaxSize> items;
  size_t size = 0;

  void Add(const T& item) {
    if (size < items.size()) items[size++] = item;
  }
  T* begin() { return items.data(); }
  T* end() { return items.data() + size; }
  const T* begin() const { return items.data(); }
  const T* end() const { return items.data() + size; }
};

// The queries that a filter may get, with weights: those of the sample that the counts have, or
// else those that the keys suggest. range_choice.h has the model.
class AskedPlaces {
 public:
  using Candidates = List<Candidate, 96>;
  using AskedList = List<Asked, 160>;

  AskedPlaces(const RangeCounts& counts, const RangeMemory& memory);

  // By place: cells by length, prefixes by delimiter and depth. Without copies.
  Candidates& candidates() { return candidates_; }
  const AskedList& asked() const { return asked_; }

 private:
  double num_cells(size_t bits) const { return num_cells_[std::min(bits, kMaxCellBits)]; }
  double num_keys() const { return static_cast<double>(counts_.num_keys()); }
  // The number of cells for each that is a byte shorter.
  double Times(size_t bits) const { return num_cells(bits) / num_cells(bits - 8); }
  double WeightOfFieldEnd(const Place& place) const;
  double WeightInText(const Place& place) const;
  void AddPrefixes();
  void AddCells();
  void AddSample();

  const RangeCounts& counts_;
  const RangeMemory& memory_;
  RangeCounts::NumCells num_cells_;
  Candidates candidates_;
  AskedList asked_;
  bool has_prefixes_ = false;
};

// Returns the ranges of a sample by the places where they end; an empty sample if they are too few.
// Thread-safe.
RangeCounts::Sample SampleOf(const AskedRanges& asked);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_ASKED_PLACES_H_

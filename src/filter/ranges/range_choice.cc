#include "src/filter/ranges/range_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "src/filter/stock/stock_size.h"

namespace bloomline::filter {
namespace {

// ---- Memory.

// More bits would be too many for a filter whose keys have 10.
constexpr double kMostBitsPerEntry = 10;

// ---- The places where ranges end that scans may ask for, and the entries that may answer.

constexpr size_t kCells = kDelimiters.size();

// A place where ranges end: at an occurrence of a delimiter, or after a number of bits.
struct Place {
  size_t delimiter;  // an index of kDelimiters, or kCells
  size_t depth;      // of a delimiter, else 0
  size_t bits;       // of cells, else 0
  double num_entries;

  // In sets of kinds.
  size_t kind() const {
    if (delimiter == kCells) return bits;
    return PrefixKind(static_cast<unsigned char>(kDelimiters[delimiter]), depth);
  }
};

struct AskedPlace {
  Place place;
  double weight;
  // The part of the empty ranges with a key beside them in one of their cells.
  double beside = 0;
};

struct Candidate {
  Place place;
  unsigned copies;
};

// Of those from `first` on, to the sum `weight`.
void Normalize(size_t first, double weight, std::vector<AskedPlace>* asked) {
  double sum = 0;
  for (size_t i = first; i < asked->size(); ++i) sum += (*asked)[i].weight;
  if (sum == 0) return;
  for (size_t i = first; i < asked->size(); ++i) (*asked)[i].weight *= weight / sum;
}

// Fields end at bytes. Text has no numbers that are cells.
size_t StepOfCells(const RangeCounts& counts) { return counts.is_text() ? 8 : 4; }

// For a sample of ranges: the lengths of cells that may answer.
enum UseOfCells : uint8_t { kNotUsed, kShorter, kAsked };
using UsesOfCells = std::array<uint8_t, kMaxCellBits + 1>;

// Adds those for ranges that end after this many bits: their cells, shorter ones and those of the
// next whole byte.
void AddUses(size_t range_bits, UsesOfCells* uses) {
  const size_t asked_bits = std::min(range_bits, kMaxCellBits);
  for (size_t bits = asked_bits; bits > 0; bits = (bits - 1) / 8 * 8) {
    (*uses)[bits] = std::max<uint8_t>((*uses)[bits], bits == asked_bits ? kAsked : kShorter);
  }
  (*uses)[8 * CellBytes(asked_bits)] = kAsked;
}

// All places whose entries may be chosen if more keys are counted.
std::vector<Place> PossiblePlaces(const RangeCounts& counts) {
  RangeCounts::NumCells num_cells;
  counts.CopyNumCells(&num_cells);
  UsesOfCells use = {};
  std::array<bool, kCells> is_asked = {};
  for (const RangeCounts::SampledRange& range : counts.sample()) {
    if (range.delimiter == kCells) {
      AddUses(range.bits, &use);
    } else {
      is_asked[range.delimiter] = true;
    }
  }
  const bool has_sample = counts.sample().size != 0;
  const size_t step = StepOfCells(counts);
  std::vector<Place> places;
  for (size_t bits = 1; bits <= counts.max_bits(); ++bits) {
    const bool may_answer = has_sample ? use[bits] != kNotUsed : bits % step == 0;
    if (may_answer) places.push_back({kCells, 0, bits, num_cells[bits]});
  }
  for (size_t delimiter = 0; delimiter < kCells; ++delimiter) {
    if (has_sample && !is_asked[delimiter]) continue;
    for (size_t depth = 1; depth <= counts.max_depth(delimiter); ++depth) {
      places.push_back({delimiter, depth, 0, counts.num_prefixes(delimiter, depth)});
    }
  }
  return places;
}

// The queries that a filter may get, with weights: those of the sample that the counts have, or
// else those that the keys suggest. range_choice.h has the model.
class AskedPlaces {
 public:
  AskedPlaces(const RangeCounts& counts, const RangeMemory& memory)
      : counts_(counts), constants_(counts.constants()), memory_(memory) {
    counts.CopyNumCells(&num_cells_);
    if (counts.sample().size != 0) {
      AddSample();
    } else {
      AddPrefixes();
      if (counts.is_text()) {
        AddTextRanges();
      } else {
        AddNumberRanges();
      }
    }
  }

  // They are sorted by place: cells by length, prefixes by delimiter and depth. None has copies.
  std::vector<Candidate>& candidates() { return candidates_; }
  const std::vector<AskedPlace>& asked() const { return asked_; }
  bool IsAsked(size_t delimiter) const { return is_asked_[delimiter]; }

 private:
  double num_cells(size_t bits) const { return num_cells_[std::min(bits, kMaxCellBits)]; }
  // The number of cells for each that is a byte shorter.
  double Times(size_t bits) const { return num_cells(bits) / num_cells(bits - 8); }
  // What the last byte of a cell distinguishes.
  double NewBits(size_t bits) const { return std::log2(Times(bits)); }

  void AddCandidate(const Place& place) {
    if (counts_.kept()[place.kind()]) candidates_.push_back({place, 0});
  }

  // A prefix that all keys have is among them: RocksDB also asks the first file of a level after
  // the range.
  void AddPrefixes() {
    const bool only_sure = counts_.num_sure_prefixes() != 0;
    const size_t first = asked_.size();
    for (size_t delimiter = 0; delimiter < kDelimiters.size(); ++delimiter) {
      if (only_sure && delimiter >= kNumSureDelimiters) break;
      if (!counts_.IsFrequent(delimiter)) continue;
      for (size_t depth = 1; depth <= counts_.max_depth(delimiter); ++depth) {
        const double entries = counts_.num_prefixes(delimiter, depth);
        if (entries == 0) continue;
        const Place place = {delimiter, depth, 0, entries};
        AddCandidate(place);
        asked_.push_back({place, std::log2(2 + counts_.num_siblings(delimiter, depth))});
        has_prefixes_ = is_asked_[delimiter] = true;
      }
    }
    Normalize(first, 1, &asked_);
  }

  // Cells that distinguish more keys than shorter ones.
  std::vector<Place> CandidateCells() const {
    std::vector<Place> cells;
    const size_t step = StepOfCells(counts_);
    double last = 1;
    for (size_t bits = step; bits <= counts_.max_bits(); bits += step) {
      if (num_cells(bits) == last) continue;
      last = num_cells(bits);
      cells.push_back({kCells, 0, bits, last});
    }
    return cells;
  }

  // The shortest cells that distinguish nearly all keys serve the most ranges.
  void AddTextRanges() {
    const std::vector<Place> cells = CandidateCells();
    const double nearly_all = constants_.nearly_all * counts_.num_keys();
    size_t size = cells.size();
    while (size > 1 && cells[size - 2].num_entries > nearly_all) --size;
    for (size_t i = 0; i < size; ++i) AddCandidate(cells[i]);
    AddAsked(cells, 8, FieldsWeight(), [&](const Place& cell) { return WeightInText(cell); });
  }

  void AddNumberRanges() {
    const std::vector<Place> cells = CandidateCells();
    for (const Place& cell : cells) AddCandidate(cell);
    AddAsked(cells, 8, FieldsWeight(), [&](const Place& cell) { return WeightOfFieldEnd(cell); });
    AddAsked(cells, 4, constants_.numbers, [](const Place&) { return 1.0; });
  }

  // Ranges of whole bytes, beside those of prefixes.
  double FieldsWeight() const { return has_prefixes_ ? constants_.beside_delimiters : 1; }

  // Adds ranges that end after multiples of `step` bits, with `weight` together.
  template <typename WeightOfCell>
  void AddAsked(const std::vector<Place>& cells, size_t step, double weight,
                WeightOfCell weight_of_cell) {
    const size_t first = asked_.size();
    for (const Place& cell : cells) {
      if (cell.bits % step == 0) asked_.push_back({cell, weight_of_cell(cell)});
    }
    Normalize(first, weight, &asked_);
  }

  // A byte that distinguishes many keys, before one that does not, ends a field. Once all keys are
  // distinguished, no further byte can distinguish them. The place may still end a field: a file of
  // an upper level has one key for each value of a field, where the last level has more.
  double WeightOfFieldEnd(const Place& place) const {
    const double weight =
        std::min(1.0, NewBits(place.bits)) / (constants_.next_byte + NewBits(place.bits + 8));
    if (place.num_entries < constants_.nearly_all * counts_.num_keys()) return weight;
    return memory_.is_last_level ? 0 : weight * constants_.nearly_all_in_upper_level;
  }

  // A full tree has all digits, or all letters, everywhere. We count the part of the tree that is
  // missing: absent prefixes that extend a present one.
  double WeightInText(const Place& place) const {
    constexpr double kDigits = 10;
    constexpr double kLetters = 26;
    const double times = Times(place.bits);
    const double all_times = times > kDigits ? kLetters : kDigits;
    const double absent = std::max(0.0, 1 - times / all_times);
    return absent * NewBits(place.bits) / (constants_.next_byte + NewBits(place.bits + 8));
  }

  // For ranges that end after this many bits, if keys are spread at random: a cell that is there
  // with probability d makes 1 + 7.5 d cells of one that is four bits shorter, for little d. Ranges
  // of keys in groups lie between them.
  double PartBeside(size_t bits) const {
    constexpr double kMostBeside = 0.25;
    if (bits < 4) return 0;
    return std::min(kMostBeside, (num_cells(bits) / num_cells(bits - 4) - 1) / 7.5);
  }

  void AddSample() {
    UsesOfCells use = {};
    std::array<size_t, kCells> max_depth = {};
    for (const RangeCounts::SampledRange& range : counts_.sample()) {
      Place place = {range.delimiter, range.depth, range.bits, 0};
      if (range.delimiter == kCells) {
        place.num_entries = num_cells(range.bits);
        if (place.num_entries < 2) continue;
        AddUses(range.bits, &use);
      } else {
        is_asked_[range.delimiter] = counts_.max_depth(range.delimiter) != 0;
        place.num_entries = counts_.num_prefixes(range.delimiter, range.depth);
        if (place.num_entries == 0) continue;
        max_depth[range.delimiter] = counts_.max_depth(range.delimiter);
      }
      const double beside = range.delimiter == kCells ? PartBeside(range.bits) : 0;
      asked_.push_back({place, range.weight, beside});
    }
    double last = 1;
    for (size_t bits = 1; bits <= std::min(counts_.max_bits(), kMaxCellBits); ++bits) {
      if (use[bits] == kNotUsed) continue;
      if (use[bits] == kShorter && num_cells(bits) == last) continue;
      last = num_cells(bits);
      AddCandidate({kCells, 0, bits, last});
    }
    for (size_t delimiter = 0; delimiter < kCells; ++delimiter) {
      for (size_t depth = 1; depth <= max_depth[delimiter]; ++depth) {
        const double entries = counts_.num_prefixes(delimiter, depth);
        if (entries != 0) AddCandidate({delimiter, depth, 0, entries});
      }
    }
  }

  const RangeCounts& counts_;
  const ChoiceConstants& constants_;
  const RangeMemory& memory_;
  RangeCounts::NumCells num_cells_;
  std::vector<Candidate> candidates_;
  std::vector<AskedPlace> asked_;
  bool has_prefixes_ = false;
  std::array<bool, kCells> is_asked_ = {};
};

// ---- The model.

using Rates = std::array<double, kMaxCopies + 1>;  // of an entry, by its copies

class Model {
 public:
  Model(const RangeCounts& counts, const RangeMemory& memory)
      : counts_(counts),
        constants_(counts.constants()),
        memory_(memory),
        places_(counts, memory),
        candidates_(places_.candidates()),
        asked_(places_.asked()) {}

  EntryChoice Choose() {
    double loss = 0;
    for (const AskedPlace& asked : asked_) {
      loss += asked.weight * Loss(1);
      least_gain_ += constants_.least_gain * asked.weight;
    }
    while (Improve(&loss)) {
    }
    return Chosen(std::min(BitsFor(entries_per_key_), kMostBitsPerEntry));
  }

 private:
  double BitsFor(double entries_per_key) const { return memory_.bits_per_key / entries_per_key; }

  void Change(Candidate* candidate, int copies) {
    candidate->copies = static_cast<unsigned>(static_cast<int>(candidate->copies) + copies);
    entries_per_key_ += copies * candidate->place.num_entries / counts_.num_keys();
  }

  // Adds a copy, or replaces another one by it, if that gains. *passing is the part of ranges that
  // passes.
  bool Improve(double* passing) {
    double best_passing = *passing - least_gain_;
    Candidate* added = nullptr;
    Candidate* removed = nullptr;
    const auto try_to_add = [&](Candidate* instead_of) {
      for (Candidate& candidate : candidates_) {
        if (&candidate == instead_of || !HasRoomFor(candidate)) continue;
        Change(&candidate, 1);
        const double now = Passing();
        Change(&candidate, -1);
        if (now >= best_passing) continue;
        best_passing = now;
        added = &candidate;
        removed = instead_of;
      }
    };
    try_to_add(nullptr);
    if (added == nullptr) {
      for (Candidate& candidate : candidates_) {
        if (candidate.copies == 0) continue;
        Change(&candidate, -1);
        try_to_add(&candidate);
        Change(&candidate, 1);
      }
    }
    if (added == nullptr) return false;
    Change(added, 1);
    if (removed != nullptr) Change(removed, -1);
    *passing = best_passing;
    return true;
  }

  bool HasRoomFor(const Candidate& added) const {
    if (added.copies != 0) return added.copies < kMaxCopies;
    const bool is_cell = added.place.bits != 0;
    const auto num = std::count_if(candidates_.begin(), candidates_.end(), [&](const auto& other) {
      return other.copies != 0 && (other.place.bits != 0) == is_cell;
    });
    return static_cast<size_t>(num) < (is_cell ? kMaxCellLengths : kMaxPrefixKinds);
  }

  // The part of the asked ranges that the entries let through.
  double Passing() const {
    const double bits_per_entry = std::min(BitsFor(entries_per_key_), kMostBitsPerEntry);
    if (bits_per_entry < kLeastBitsPerEntry) return HUGE_VAL;
    if (entries_per_key_ > memory_.max_entries_per_key) return HUGE_VAL;
    Rates rates = {1};
    for (size_t i = 1; i < rates.size(); ++i) {
      rates[i] = rates[i - 1] * EntryRate(bits_per_entry, memory_.is_ribbon);
    }
    chosen_.clear();
    for (const Candidate& candidate : candidates_) {
      if (candidate.copies != 0) chosen_.push_back(candidate);
    }
    double sum = 0;
    for (const AskedPlace& asked : asked_) {
      sum += asked.weight * Loss(PartThrough(asked, rates));
    }
    return sum;
  }

  // If ranges are known, the share of each kind is known, too, so only the total that passes
  // counts. If nothing is known, nearly all may be of one kind: then a likely kind, of which few
  // pass, must not pay for an unlikely one.
  double Loss(double part) const { return counts_.sample().size != 0 ? part : std::sqrt(part); }

  // Begins with the longest entry. `known` is the part of the ranges that the entries so far may
  // distinguish from keys; the entries let `rate` of this part through.
  double PartThrough(const AskedPlace& range, const Rates& rates) const {
    const Place& asked = range.place;
    double passing = 0;
    double rate = 1;
    double known = 1;
    double longer = 1;
    for (auto c = chosen_.rbegin(); c != chosen_.rend(); ++c) {
      if (c->place.delimiter != asked.delimiter || c->place.depth > asked.depth) continue;
      if (c->place.bits > asked.bits) {
        longer *= AnyPasses(rates[c->copies], c->place.bits - asked.bits);
        continue;
      }
      double part = std::min(known, c->place.num_entries / asked.num_entries);
      if (c->place.bits < asked.bits || c->place.depth < asked.depth) part *= constants_.of_shorter;
      passing += (known - part) * rate;
      known = part;
      rate *= rates[c->copies];
    }
    return (passing + known * (rate + (1 - rate) * range.beside)) * longer;
  }

  // Whether one of 2^bits lookups finds something.
  static double AnyPasses(double rate, size_t bits) {
    constexpr size_t kMostLonger = 5;  // more are not looked up
    return bits > kMostLonger ? 1 : 1 - std::pow(1 - rate, static_cast<double>(1U << bits));
  }

  EntryChoice Chosen(double bits_per_entry) const {
    EntryChoice choice;
    choice.bits_per_entry = bits_per_entry;
    choice.entries_per_key = entries_per_key_;
    EntryKinds& kinds = choice.kinds;
    for (const Candidate& candidate : candidates_) {
      const auto copies = static_cast<uint8_t>(candidate.copies);
      if (copies == 0) continue;
      const Place& place = candidate.place;
      if (place.delimiter == kCells) {
        kinds.cells[kinds.num_cells++] = {static_cast<uint16_t>(place.bits), copies};
      } else {
        kinds.prefixes[kinds.num_prefixes++] = {
            static_cast<unsigned char>(kDelimiters[place.delimiter]),
            static_cast<uint8_t>(place.depth), copies};
      }
    }
    // A depth that no key has takes no entries, and nearly all ranges that end there are rejected.
    // Without it, those below a directory that the keys have would match.
    for (size_t delimiter = 0; delimiter < kCells; ++delimiter) {
      for (uint8_t depth = 1; places_.IsAsked(delimiter) && depth <= kMaxDepth; ++depth) {
        if (counts_.num_prefixes(delimiter, depth) != 0) continue;
        if (kinds.num_prefixes == kMaxPrefixKinds) break;
        kinds.prefixes[kinds.num_prefixes++] = {static_cast<unsigned char>(kDelimiters[delimiter]),
                                                depth, kMaxCopies};
      }
    }
    const auto order = [](const EntryKinds::Prefix& prefix) {
      return prefix.delimiter * (kMaxDepth + 1) + prefix.depth;
    };
    std::sort(kinds.prefixes, kinds.prefixes + kinds.num_prefixes,
              [&](const auto& a, const auto& b) { return order(a) < order(b); });
    return choice;
  }

  const RangeCounts& counts_;
  const ChoiceConstants& constants_;
  const RangeMemory& memory_;
  AskedPlaces places_;
  std::vector<Candidate>& candidates_;
  const std::vector<AskedPlace>& asked_;
  mutable std::vector<Candidate> chosen_;
  double entries_per_key_ = 0;  // copies counted
  double least_gain_ = 0;
};

}  // namespace

double EntryRate(double bits_per_entry, bool is_ribbon) {
  constexpr uint64_t kTypicalEntries = 100000;
  return is_ribbon ? stock::RibbonRateOfMemory(bits_per_entry, kTypicalEntries)
                   : std::exp2(-0.693 * bits_per_entry);
}

double MostEntriesPerKey(const RangeMemory& memory) {
  return std::min(memory.bits_per_key / kLeastBitsPerEntry, memory.max_entries_per_key);
}

double BitsPerEntry(double entries_per_key, const RangeMemory& memory) {
  return std::clamp(memory.bits_per_key / entries_per_key, kLeastBitsPerEntry, kMostBitsPerEntry);
}

EntryChoice ChooseEntries(const RangeCounts& counts, const RangeMemory& memory) {
  return counts.num_keys() == 0 ? EntryChoice() : Model(counts, memory).Choose();
}

KeptKinds KindsToKeep(const RangeCounts& counts, const RangeMemory& memory, double max_entries) {
  KeptKinds kept;
  kept.kinds = KindsOf(ChooseEntries(counts, memory).kinds);
  std::vector<Place> others;
  for (const Place& place : PossiblePlaces(counts)) {
    if (kept.kinds[place.kind()]) {
      kept.num_entries += place.num_entries;
    } else if (counts.kept()[place.kind()]) {
      others.push_back(place);
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Place& a, const Place& b) { return a.num_entries < b.num_entries; });
  for (const Place& place : others) {
    if (kept.num_entries + place.num_entries > max_entries) break;
    kept.num_entries += place.num_entries;
    kept.kinds.set(place.kind());
  }
  return kept;
}

}  // namespace bloomline::filter

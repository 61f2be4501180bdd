#include "src/filter/ranges/range_choice.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/filter/ranges/asked_places.h"

namespace bloomline::filter {
namespace {

// Copies that gain less are not worth it.
constexpr double kLeastGain = 0.004;

// Missing numbers often lie beside stored ones. So this is the part that counts of what a shorter
// entry could distinguish if keys lay anywhere.
constexpr double kOfShorter = 0.5;

using Rates = std::array<double, kMaxCopies + 1>;  // of an entry, by its copies

class Model {
 public:
  Model(const RangeCounts& counts, const RangeMemory& memory)
      : counts_(counts),
        memory_(memory),
        places_(counts, memory),
        candidates_(places_.candidates()),
        asked_(places_.asked()) {}

  EntryChoice Choose() {
    if (candidates_.size == 0 || asked_.size == 0) return {};
    double loss = 0;
    for (const Asked& asked : asked_) {
      loss += asked.weight * Loss(1);
      least_gain_ += kLeastGain * asked.weight;
    }
    while (Improve(&loss)) {
    }
    return Chosen(std::min(BitsFor(entries_per_key_), kMostBitsPerEntry));
  }

 private:
  double num_keys() const { return static_cast<double>(counts_.num_keys()); }

  double BitsFor(double entries_per_key) const { return BitsPerKey(memory_) / entries_per_key; }

  void Change(Candidate* candidate, int copies) {
    candidate->copies = static_cast<unsigned>(static_cast<int>(candidate->copies) + copies);
    entries_per_key_ += copies * candidate->place.num_entries / num_keys();
  }

  // If that gains, adds a copy, or puts it in the place of another one. `passing`: the part that
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
    size_t num_cells = 0;
    size_t num_prefixes = 0;
    for (const Candidate& candidate : candidates_) {
      if (candidate.copies != 0) ++(candidate.place.bits != 0 ? num_cells : num_prefixes);
    }
    return added.place.bits != 0 ? num_cells < kMaxCellLengths : num_prefixes < kMaxPrefixKinds;
  }

  // The part of the asked ranges that the entries let through.
  double Passing() const {
    const double bits_per_entry = std::min(BitsFor(entries_per_key_), kMostBitsPerEntry);
    if (bits_per_entry < kLeastBitsPerEntry) return HUGE_VAL;
    Rates rates = {1};
    for (size_t i = 1; i < rates.size(); ++i) {
      rates[i] = rates[i - 1] * EntryRate(bits_per_entry, memory_.is_compact);
    }
    List<Candidate, kMaxCellLengths + kMaxPrefixKinds> chosen;
    for (const Candidate& candidate : candidates_) {
      if (candidate.copies != 0) chosen.Add(candidate);
    }
    double sum = 0;
    for (const Asked& asked : asked_) {
      sum += asked.weight * Loss(PartThrough(asked.place, chosen, rates));
    }
    return sum;
  }

  // If ranges are known, the share of each kind is known, too, so only the total that passes
  // counts. If nothing is known, nearly all may be of one kind: then a likely kind, of which few
  // pass, must not pay for an unlikely one.
  double Loss(double part) const { return counts_.sample().size != 0 ? part : std::sqrt(part); }

  // Begins with the longest entry. `known` is the part of the ranges that the entries so far may
  // distinguish from keys; they let `rate` of these through.
  template <typename Chosen>
  double PartThrough(const Place& asked, const Chosen& chosen, const Rates& rates) const {
    double passing = 0;
    double rate = 1;
    double known = 1;
    double longer = 1;
    for (const Candidate* c = chosen.end(); c-- != chosen.begin();) {
      if (c->place.delimiter != asked.delimiter || c->place.depth > asked.depth) continue;
      if (c->place.bits > asked.bits) {
        longer *= AnyPasses(rates[c->copies], c->place.bits - asked.bits);
        continue;
      }
      double part = std::min(known, c->place.num_entries / asked.num_entries);
      if (c->place.bits < asked.bits || c->place.depth < asked.depth) part *= kOfShorter;
      passing += (known - part) * rate;
      known = part;
      rate *= rates[c->copies];
    }
    if (asked.bits != 0 && memory_.key_bits > asked.bits) {
      constexpr double kKeyRate = 0.01;
      longer *= AnyPasses(kKeyRate, memory_.key_bits - asked.bits);
    }
    return (passing + known * rate) * longer;
  }

  // Whether one of 2^bits lookups finds something.
  static double AnyPasses(double rate, size_t bits) {
    constexpr size_t kMostLonger = 5;  // more are not looked up
    return bits > kMostLonger ? 1 : 1 - std::pow(1 - rate, static_cast<double>(1U << bits));
  }

  EntryChoice Chosen(double bits_per_entry) const {
    EntryChoice choice;
    choice.bits_per_entry = bits_per_entry;
    EntryKinds& kinds = choice.kinds;
    for (const Candidate& candidate : candidates_) {
      const auto copies = static_cast<uint8_t>(candidate.copies);
      if (copies == 0) continue;
      const Place& place = candidate.place;
      if (place.delimiter == kCells) {
        kinds.cells[kinds.num_cells++] = {static_cast<uint16_t>(place.bits), copies};
      } else {
        kinds.prefixes[kinds.num_prefixes++] = {
            static_cast<unsigned char>(RangeCounts::kDelimiters[place.delimiter]),
            static_cast<uint8_t>(place.depth), copies};
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
  const RangeMemory& memory_;
  AskedPlaces places_;
  AskedPlaces::Candidates& candidates_;
  const AskedPlaces::AskedList& asked_;
  double entries_per_key_ = 0;  // copies counted
  double least_gain_ = 0;
};

}  // namespace

EntryChoice ChooseEntries(const RangeCounts& counts, const RangeMemory& memory) {
  return counts.num_keys() == 0 ? EntryChoice() : Model(counts, memory).Choose();
}

}  // namespace bloomline::filter

// Random linear systems over GF(2): the probability that they have a solution.
#ifndef BLOOMLINE_SIZING_LINEAR_SYSTEMS_H_
#define BLOOMLINE_SIZING_LINEAR_SYSTEMS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace bloomline::core {

// Blocks of every layout have room for fewer different keys.
constexpr size_t kMaxEquations = 127;

using SystemProbabilities = std::array<double, kMaxEquations + 1>;

// P(n random equations in `unknowns` unknowns, with `columns` right-hand sides each, have a
// solution), for n = 0 to max_equations, at most kMaxEquations.
SystemProbabilities ConsistencyProbabilities(uint64_t max_equations, unsigned unknowns,
                                             unsigned columns);

// The same for the partial fingerprint bit, which each key has with probability threshold / 256; at
// most max_affected keys can have it.
double PartialColumnProbability(uint64_t num_keys, unsigned partial_slots, unsigned threshold,
                                uint64_t max_affected);

}  // namespace bloomline::core

#endif  // BLOOMLINE_SIZING_LINEAR_SYSTEMS_H_

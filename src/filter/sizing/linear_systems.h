// Random linear systems over GF(2): the probability that they have a solution.
#ifndef BLOOMLINE_FILTER_SIZING_LINEAR_SYSTEMS_H_
#define BLOOMLINE_FILTER_SIZING_LINEAR_SYSTEMS_H_

#include <cstdint>

namespace bloomline::filter {

// P(the equations of a partial column have a solution, and at most max_affected of num_keys keys,
// itself at most 127, use it). Each does with probability threshold / 256.
double PartialColumnProbability(uint64_t num_keys, unsigned partial_slots, unsigned threshold,
                                uint64_t max_affected);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_LINEAR_SYSTEMS_H_

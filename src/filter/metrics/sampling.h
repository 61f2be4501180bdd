// Chooses the queries to count: about one in 256 of each thread. It counts for all queries since
// the last sample.
//
// A counter that every query of every thread adds to would cost more than the query: the threads
// would wait for its cache line. So a query only counts down a number that belongs to its thread.
#ifndef BLOOMLINE_FILTER_METRICS_SAMPLING_H_
#define BLOOMLINE_FILTER_METRICS_SAMPLING_H_

#include <cstdint>

namespace bloomline::filter {

// Zero at the start of a thread, so it needs no constructor.
struct SamplingState {
  int32_t queries_left;  // before the next sample
  uint32_t weight;       // of the next sample
  uint64_t random;
};

// In a shared library, an access takes 1 to 3 ns, because it is a call; with the model initial-exec
// it costs nothing. But the loader refuses to open such a library at run time, as Java and Python
// do, if all its thread_local variables take more than some 1,000 bytes. So only the project's own
// libraries have this model (CMakeLists.txt). In executables the linker takes a faster model in any
// case. C libraries other than glibc have no room at all.
//
// __thread instead of thread_local: an extern variable of the latter kind is read through a
// function that would initialise it.
#if defined(BLOOMLINE_INITIAL_EXEC_TLS) && defined(__GLIBC__)
extern __thread SamplingState sampling_state __attribute__((tls_model("initial-exec")));
#else
extern __thread SamplingState sampling_state;
#endif

// Counts down for num_queries > 0 queries of this thread. If it returns true, TakeSample must be
// called to count one of them.
inline bool IsSampled(int32_t num_queries = 1) {
  return (sampling_state.queries_left -= num_queries) < 0;
}

struct Sample {
  uint32_t weight;       // how many queries it stands for; 0: none is to be counted yet
  int32_t index;         // which of num_queries it is, from 0 on
  bool has_random_hash;  // every fourth: the filter is to be queried for random_hash, too
  uint64_t random_hash;  // no key has it
};

// Returns the query to be counted, and chooses the next one. The steps are random: with a fixed
// step, the sample could always meet the same filter of several that take turns.
Sample TakeSample(int32_t num_queries = 1);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_METRICS_SAMPLING_H_

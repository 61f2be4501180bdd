// How often a test repeats something where a repetition takes ten times as long: under sanitizers
// and emulators, which look for other faults than the ordinary build with all repetitions.
#ifndef BLOOMLINE_TESTS_SUPPORT_REPETITIONS_H_
#define BLOOMLINE_TESTS_SUPPORT_REPETITIONS_H_

namespace bloomline::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(BLOOMLINE_EMULATED)
constexpr bool kIsSlow = true;
#else
constexpr bool kIsSlow = false;
#endif

// n, or a part of it where each takes long.
template <typename T>
constexpr T Repetitions(T n, T part = 5) {
  return kIsSlow ? n / part : n;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_REPETITIONS_H_

// The memory that the program has from `new` and, but on macOS, from mmap.
#ifndef BLOOMLINE_TESTS_FILTER_COUNTED_MEMORY_H_
#define BLOOMLINE_TESTS_FILTER_COUNTED_MEMORY_H_

#include <cstddef>

namespace bloomline::tests {

// The peak of the bytes since this was made, beside those at that time. Only one thread may have
// memory meanwhile.
class CountedMemory {
 public:
  CountedMemory();
  size_t peak() const;

 private:
  const size_t before_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FILTER_COUNTED_MEMORY_H_

// Tables of the compact kernels that are made by the first query that needs them.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_MADE_TABLE_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_MADE_TABLE_H_

#include <atomic>
#include <cstddef>

namespace bloomline::kernels {

// No thread ever waits for another one to make the table: in the child of a fork, the thread that
// had begun to does not exist. So this is no static variable of a function, whose guard waits.
//
// For variables with internal linkage, in an unnamed namespace. Others would become one object for
// all copies of the library in a process (STB_GNU_UNIQUE), even of different versions.
template <typename Row, size_t kRows>
class MadeTable {
 public:
  // Null until it is made.
  const Row* rows() const { return rows_.load(std::memory_order_acquire); }

  // Makes it: row(i) for each i. Null if another thread has begun to.
  template <typename RowOf>
  const Row* Make(RowOf row) {
    if (begun_.exchange(true, std::memory_order_relaxed)) return rows();
    for (size_t i = 0; i < kRows; ++i) memory_[i] = row(i);
    rows_.store(memory_, std::memory_order_release);
    return memory_;
  }

 private:
  std::atomic<const Row*> rows_{nullptr};
  std::atomic<bool> begun_{false};
  Row memory_[kRows] = {};
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_MADE_TABLE_H_

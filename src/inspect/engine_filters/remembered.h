// Results of slow functions, kept for the next call with the same arguments.
#ifndef BLOOMLINE_INSPECT_ENGINE_FILTERS_REMEMBERED_H_
#define BLOOMLINE_INSPECT_ENGINE_FILTERS_REMEMBERED_H_

#include <cstddef>
#include <map>
#include <mutex>

namespace bloomline::engine_filters {

// Thread-safe. Forgets everything when it has kMaxResults: a database has few sizes of filters.
template <typename Arguments, typename Result>
class Remembered {
 public:
  // May throw std::bad_alloc.
  template <typename Compute>
  Result Get(const Arguments& arguments, Compute compute) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = results_.find(arguments);
      if (found != results_.end()) return found->second;
    }
    const Result result = compute();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (results_.size() >= kMaxResults) results_.clear();
    results_.emplace(arguments, result);
    return result;
  }

 private:
  static constexpr size_t kMaxResults = 10000;

  std::mutex mutex_;
  std::map<Arguments, Result> results_;
};

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_INSPECT_ENGINE_FILTERS_REMEMBERED_H_

#ifndef BLOOMLINE_TESTS_ENGINES_KEPT_LOG_H_
#define BLOOMLINE_TESTS_ENGINES_KEPT_LOG_H_

#include <rocksdb/env.h>

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>

namespace bloomline::tests {

// Keeps what RocksDB and the policy write into LOG.
class KeptLog : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[4096];
    const int size = std::vsnprintf(line, sizeof(line), format, arguments);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (size > 0) text_ += std::string(line) + "\n";
  }
  bool Has(const std::string& part) const { return CountOf(part) != 0; }
  int CountOf(const std::string& part) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    int count = 0;
    for (size_t at = 0; (at = text_.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
  }

 private:
  mutable std::mutex mutex_;  // RocksDB's threads write
  std::string text_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_KEPT_LOG_H_

// A temporary folder, removed with all that is in it.
#ifndef BLOOMLINE_DB_BENCH_EXT_MACHINE_TEMPORARY_DIRECTORY_H_
#define BLOOMLINE_DB_BENCH_EXT_MACHINE_TEMPORARY_DIRECTORY_H_

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace bloomline::bench {

class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& parent) : path_(parent + "/bloomline-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error("cannot make a folder in " + parent);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_MACHINE_TEMPORARY_DIRECTORY_H_

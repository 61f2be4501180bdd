// A folder for one test's files, removed with everything in it.
#ifndef BLOOMLINE_TESTS_SUPPORT_TEMP_DIR_H_
#define BLOOMLINE_TESTS_SUPPORT_TEMP_DIR_H_

#include <string>

namespace bloomline::tests {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A file's bytes; none if it cannot be read.
std::string ReadFile(const std::string& path);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_TEMP_DIR_H_

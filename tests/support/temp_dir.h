// A folder for one test's databases, removed with everything in it.
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

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_TEMP_DIR_H_

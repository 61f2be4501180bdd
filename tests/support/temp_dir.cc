#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace bloomline::tests {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "bloomline_test_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bloomline::tests

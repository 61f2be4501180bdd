#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>

namespace bloomline::tests {

TempDir::TempDir() {
  namespace fs = std::filesystem;
  std::random_device random;
  std::error_code error;
  do {
    path_ = (fs::temp_directory_path() / ("bloomline_test_" + std::to_string(random()))).string();
  } while (!fs::create_directory(path_, error) && !error);
  if (error) std::abort();
  fs::permissions(path_, fs::perms::owner_all);
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace bloomline::tests

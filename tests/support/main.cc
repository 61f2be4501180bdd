// GoogleTest's main function, with two things more: a filter that is the name of a file stands for
// the tests of that file, for example --gtest_filter=kernel_test; and exit status 2 says that no
// test was selected.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::string& filter = testing::GTEST_FLAG(filter);
  const std::string name = filter.substr(0, filter.find('-'));
  std::string tests;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (std::filesystem::path(test.file()).stem() != name) continue;
      tests += std::string(suite.name()) + "." + test.name() + ":";
    }
  }
  if (!tests.empty()) {
    filter.replace(0, name.size(), tests);
  } else if (!name.empty() && name.find_first_of(".*?") == std::string::npos) {
    std::fprintf(stderr, "no file '%s' in this program\n", name.c_str());
    return 2;
  }
  const int status = RUN_ALL_TESTS();
  return all.test_to_run_count() == 0 ? 2 : status;
}

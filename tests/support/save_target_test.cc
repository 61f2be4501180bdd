// Which file Save replaces: what links, folders and the working directory make of a path; who may
// use the file afterwards; and what Load opens.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include "bloomline/bloom_filter.h"
#include "src/support/file_io.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::save_target_test {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<BloomFilter> NewFilter(const std::string& key) {
  auto filter = BloomFilter::Create({100}, nullptr);
  filter->AddKey(key);
  return filter;
}

class SaveTargetTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(old_->Save(path_, nullptr)); }

  // Saves the new filter there, then finds it and no other new file.
  void ExpectSaved(const std::string& path) {
    const size_t before = NumEntries();
    const bool existed = fs::exists(path);
    std::string error;
    ASSERT_TRUE(new_->Save(path, &error)) << error;
    const auto loaded = BloomFilter::Load(path, &error);
    ASSERT_NE(loaded, nullptr) << error;
    EXPECT_TRUE(*loaded == *new_);
    EXPECT_EQ(NumEntries(), before + (existed ? 0 : 1));
  }

  void ExpectNotWritten(const std::string& path, const std::string& why) {
    const size_t before = NumEntries();
    std::string error;
    EXPECT_FALSE(new_->Save(path, &error));
    EXPECT_NE(error.find(path), std::string::npos) << error;
    EXPECT_NE(error.find(why), std::string::npos) << error;
    EXPECT_EQ(NumEntries(), before);
  }

  void ExpectNotRead(const std::string& path, const std::string& why) {
    std::string errors[2];
    EXPECT_EQ(BloomFilter::Load(path, &errors[0]), nullptr);
    EXPECT_EQ(MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kHeader, &errors[1]),
              nullptr);
    for (const std::string& error : errors) {
      EXPECT_EQ(error.find(path), 0u) << error;
      EXPECT_NE(error.find(why), std::string::npos) << error;
    }
  }

  size_t NumEntries() const {
    const fs::recursive_directory_iterator all(dir_.Path(""));
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

  fs::perms Mode(const std::string& path) const { return fs::status(path).permissions(); }

  const TempDir dir_;
  const std::string path_ = dir_.Path("filter");
  const std::unique_ptr<BloomFilter> old_ = NewFilter("old");
  const std::unique_ptr<BloomFilter> new_ = NewFilter("new");
};

TEST_F(SaveTargetTest, LinksStayAndTheirTargetsAreReplaced) {
  fs::create_directories(dir_.Path("data/deep"));
  fs::rename(path_, dir_.Path("data/real"));
  fs::create_symlink("real", dir_.Path("data/relative"));
  fs::create_symlink("../relative", dir_.Path("data/deep/chain"));
  fs::create_directory_symlink("data", dir_.Path("folder"));
  for (const char* const name : {"data/relative", "data/deep/chain", "folder/relative"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(old_->Save(dir_.Path("data/real"), nullptr));
    ExpectSaved(dir_.Path(name));
    EXPECT_TRUE(*BloomFilter::Load(dir_.Path("data/real"), nullptr) == *new_);
    EXPECT_TRUE(fs::is_symlink(dir_.Path(name)));
  }
  // A link to nothing is replaced itself.
  fs::create_symlink("data/later", dir_.Path("dangling"));
  ASSERT_TRUE(new_->Save(dir_.Path("dangling"), nullptr));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(dir_.Path("dangling"))));
}

TEST_F(SaveTargetTest, RelativePathsStartAtTheWorkingDirectoryOfOpen) {
  const fs::path before = fs::current_path();
  fs::current_path(dir_.Path(""));
  ExpectSaved("./filter");
  std::string error;
  support::ReplacementFile file;
  ASSERT_TRUE(file.Open("relative", &error) && file.Append("abc", 3, &error)) << error;
  fs::current_path(before);
  ASSERT_TRUE(file.Commit(&error)) << error;
  EXPECT_EQ(ReadFile(dir_.Path("relative")), "abc");
}

// The system would read a path up to the first zero byte and open "filter" instead.
TEST_F(SaveTargetTest, OnlyRegularFilesAreReadAndReplaced) {
  fs::create_directory(dir_.Path("folder"));
  ASSERT_EQ(mkfifo(dir_.Path("pipe").c_str(), 0666), 0);
  for (const auto& [path, why] :
       {std::pair<std::string, const char*>(dir_.Path("folder"), "is not a regular file"),
        {dir_.Path("pipe"), "is not a regular file"},
        {"/dev/zero", "is not a regular file"},
        {dir_.Path("filter/below"), "Not a directory"},
        {"", "path is empty; allowed: the path of a file"},
        {path_ + std::string(1, '\0') + "2", "has a zero byte"}}) {
    SCOPED_TRACE(path);
    ExpectNotWritten(path, why);
    ExpectNotRead(path, why);
  }
  EXPECT_TRUE(fs::is_fifo(dir_.Path("pipe")));
  ExpectNotWritten(dir_.Path("new/"), "No such file");
}

TEST_F(SaveTargetTest, PermissionsStayAndNewFilesFollowTheUmask) {
  for (const unsigned mode : {0600u, 0640u, 0444u, 0777u}) {
    fs::permissions(path_, fs::perms{mode});
    ExpectSaved(path_);
    EXPECT_EQ(Mode(path_), fs::perms{mode});
  }
  const mode_t before = umask(027);
  ExpectSaved(dir_.Path("new"));
  umask(before);
  EXPECT_EQ(Mode(dir_.Path("new")), fs::perms{0640});
}

}  // namespace
}  // namespace bloomline::tests::save_target_test

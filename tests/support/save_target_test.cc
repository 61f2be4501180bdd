// Where Save writes, who may use the file afterwards, and what Load opens.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "src/support/file_io.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

namespace fs = std::filesystem;

// While it lives, the umask is `mask`.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

std::unique_ptr<BloomFilter> NewFilter(const std::string& key) {
  BloomFilterOptions options;
  options.capacity = 100;
  auto filter = BloomFilter::Create(options, nullptr);
  filter->AddKey(key);
  return filter;
}

struct stat StatusOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status;
}

mode_t ModeOf(const std::string& path) { return StatusOf(path).st_mode & 07777; }

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
    EXPECT_NE(error.find(fs::is_symlink(path) ? dir_.Path("") : path), std::string::npos) << error;
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

  const tests::TempDir dir_;
  const std::string path_ = dir_.Path("filter");
  const std::unique_ptr<BloomFilter> old_ = NewFilter("old");
  const std::unique_ptr<BloomFilter> new_ = NewFilter("new");
};

TEST_F(SaveTargetTest, LinksStayAndTheirTargetsAreReplaced) {
  fs::create_directories(dir_.Path("data/deep"));
  fs::rename(path_, dir_.Path("data/real"));
  fs::create_symlink("real", dir_.Path("data/relative"));
  fs::create_symlink("../relative", dir_.Path("data/deep/chain"));
  fs::create_symlink(dir_.Path("data/deep/chain"), dir_.Path("absolute"));
  fs::create_directory_symlink("data", dir_.Path("folder"));
  for (const char* const name :
       {"data/relative", "data/deep/chain", "absolute", "folder/relative", "folder/real"}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(old_->Save(dir_.Path("data/real"), nullptr));
    ExpectSaved(dir_.Path(name));
    EXPECT_TRUE(*BloomFilter::Load(dir_.Path("data/real"), nullptr) == *new_);
  }
  for (const char* const name : {"data/relative", "data/deep/chain", "absolute", "folder"}) {
    EXPECT_TRUE(fs::is_symlink(dir_.Path(name))) << name;
  }
}

TEST_F(SaveTargetTest, DanglingLinksAreReplaced) {
  fs::create_symlink("data/later", dir_.Path("link"));
  std::string error;
  ASSERT_TRUE(new_->Save(dir_.Path("link"), &error)) << error;
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(dir_.Path("link"))));
  EXPECT_TRUE(*BloomFilter::Load(dir_.Path("link"), nullptr) == *new_);
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
  EXPECT_EQ(tests::ReadFile(dir_.Path("relative")), "abc");
}

TEST_F(SaveTargetTest, PipesAndFoldersAreNeitherReadNorReplaced) {
  fs::create_directory(dir_.Path("folder"));
  ASSERT_EQ(mkfifo(dir_.Path("pipe").c_str(), 0666), 0);
  fs::create_symlink("pipe", dir_.Path("link"));
  for (const char* const name : {"folder", "pipe", "link"}) {
    const std::string path = dir_.Path(name);
    SCOPED_TRACE(name);
    const struct stat before = StatusOf(path);
    ExpectNotWritten(path, "is not a regular file");
    ExpectNotRead(path, "is not a regular file");
    EXPECT_EQ(StatusOf(path).st_ino, before.st_ino);
    EXPECT_EQ(StatusOf(path).st_mode, before.st_mode);
  }
  ExpectNotRead("/dev/zero", "is not a regular file");
  ExpectNotWritten("/dev/full", "is not a regular file");
  for (const std::string& path : {dir_.Path("filter/"), dir_.Path("filter/below")}) {
    ExpectNotWritten(path, "Not a directory");
  }
  ExpectNotWritten(dir_.Path("new/"), "No such file");
  ExpectNotWritten("", "path is empty; allowed: the path of a file");
  ExpectNotRead("", "path is empty; allowed: the path of a file");
}

// The system reads a path up to the first zero byte and would open "filter" instead. The search for
// an unused number for the temporary file would then never end.
TEST_F(SaveTargetTest, PathsWithAZeroByteAreErrors) {
  ExpectSaved(dir_.Path("filter"));
  const std::string path = dir_.Path("filter") + std::string(1, '\0') + "2";
  ExpectNotWritten(path, "has a zero byte");
  ExpectNotRead(path, "has a zero byte");
}

TEST_F(SaveTargetTest, PermissionsStay) {
  const Umask umask(022);
  for (const mode_t mode : {0600u, 0640u, 0400u, 0664u, 0444u, 0777u}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    ExpectSaved(path_);
    EXPECT_EQ(ModeOf(path_), mode);
  }
  fs::create_symlink(path_, dir_.Path("link"));
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  ExpectSaved(dir_.Path("link"));
  EXPECT_EQ(ModeOf(path_), 0600u);
}

TEST_F(SaveTargetTest, NewFilesFollowTheUmask) {
  for (const mode_t mask : {022u, 077u, 0u, 027u}) {
    const Umask umask(mask);
    const std::string path = dir_.Path("new" + std::to_string(mask));
    ExpectSaved(path);
    EXPECT_EQ(ModeOf(path), 0666u & ~mask);
  }
}

}  // namespace
}  // namespace bloomline

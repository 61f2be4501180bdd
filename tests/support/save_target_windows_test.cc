// Where Save writes on Windows, what it refuses, and who may use the file afterwards.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "src/support/file_io.h"
#include "src/support/windows_calls.h"
#include "tests/support/temp_dir.h"

namespace bloomline::support {
namespace {

bool Write(const std::string& path, const std::string& text, std::string* error) {
  ReplacementFile file;
  return file.Open(path, error) && file.Append(text.data(), text.size(), error) &&
         file.Commit(error);
}

TEST(SaveTargetWindowsTest, BothSlashesAndDrivesNameAFolder) {
  const tests::TempDir dir;
  std::string error;
  std::string path = dir.Path("file");
  ASSERT_TRUE(Write(path, "one", &error)) << error;
  for (char& c : path) c = c == '/' ? '\\' : c;
  ASSERT_TRUE(Write(path, "two", &error)) << error;
  EXPECT_EQ(tests::ReadFile(path), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.Path(".")), {}), 1);
  EXPECT_FALSE(Write(dir.Path("absent/file"), "", &error));
  EXPECT_EQ(error,
            dir.Path("absent/file") + ": its folder cannot be opened: No such file or directory");
  EXPECT_FALSE(Write(dir.Path("file/below"), "", &error));
  EXPECT_FALSE(Write(dir.Path("."), "", &error));
  EXPECT_NE(error.find("is not a regular file"), std::string::npos) << error;
  EXPECT_FALSE(Write(dir.Path("a\xff"), "", &error));
  EXPECT_NE(error.find("Invalid argument"), std::string::npos) << error;
}

// The old file stays, and no other file is left.
TEST(SaveTargetWindowsTest, AFileThatIsHeldOpenIsNotReplaced) {
  const tests::TempDir dir;
  const std::string path = dir.Path("file");
  std::string error;
  ASSERT_TRUE(Write(path, "old", &error)) << error;
  const HANDLE held = CreateFileW(ToUtf16(path).c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr,
                                  OPEN_EXISTING, 0, nullptr);
  ASSERT_NE(held, INVALID_HANDLE_VALUE);
  EXPECT_FALSE(Write(path, "new", &error));
  EXPECT_NE(error.find("cannot be renamed to " + path), std::string::npos) << error;
  CloseHandle(held);
  EXPECT_EQ(tests::ReadFile(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.Path(".")), {}), 1);
  EXPECT_TRUE(Write(path, "new", &error)) << error;
  EXPECT_EQ(tests::ReadFile(path), "new");
}

// Of the list that allows nobody but one account, the new file has as many entries.
TEST(SaveTargetWindowsTest, TheAccessControlListStays) {
  const tests::TempDir dir;
  const std::string path = dir.Path("file");
  std::string error;
  ASSERT_TRUE(Write(path, "old", &error)) << error;
  wchar_t everyone[] = L"EVERYONE";
  EXPLICIT_ACCESSW access = {};
  access.grfAccessPermissions = GENERIC_ALL;
  access.grfAccessMode = SET_ACCESS;
  access.Trustee.TrusteeForm = TRUSTEE_IS_NAME;
  access.Trustee.ptstrName = everyone;
  const auto num_entries = [&path] {
    PACL list = nullptr;
    PSECURITY_DESCRIPTOR memory = nullptr;
    EXPECT_EQ(GetNamedSecurityInfoW(ToUtf16(path).data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION,
                                    nullptr, nullptr, &list, nullptr, &memory),
              DWORD{ERROR_SUCCESS});
    const int count = list == nullptr ? -1 : list->AceCount;
    LocalFree(memory);
    return count;
  };
  PACL list = nullptr;
  if (SetEntriesInAclW(1, &access, nullptr, &list) != ERROR_SUCCESS ||
      SetNamedSecurityInfoW(ToUtf16(path).data(), SE_FILE_OBJECT,
                            DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                            nullptr, nullptr, list, nullptr) != ERROR_SUCCESS) {
    GTEST_SKIP() << "no access control lists here";
  }
  LocalFree(list);
  const int before = num_entries();
  ASSERT_TRUE(Write(path, "new", &error)) << error;
  EXPECT_EQ(num_entries(), before);
  ASSERT_TRUE(Write(dir.Path("other"), "new", &error)) << error;
}

}  // namespace
}  // namespace bloomline::support

// Where Save writes on Windows, what it refuses, and who may use the file afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "src/support/file_io.h"
#include "src/support/windows_calls.h"
#include "tests/support/temp_dir.h"
// Behind windows.h.
#include <sddl.h>

namespace {
bool is_memory_left = true;
}  // namespace

// Inlined, GCC would take them for another's.
__attribute__((noinline)) void* operator new(size_t bytes) {
  void* const memory = is_memory_left ? std::malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept { std::free(memory); }

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

// The accounts and groups that a file's list allows anything, as SIDs.
std::vector<std::string> AllowedBy(const std::string& path) {
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR memory = nullptr;
  EXPECT_EQ(GetNamedSecurityInfoW(ToUtf16(path).data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION,
                                  nullptr, nullptr, &list, nullptr, &memory),
            DWORD{ERROR_SUCCESS});
  EXPECT_NE(list, nullptr);
  std::vector<std::string> allowed;
  for (DWORD i = 0; list != nullptr && i < list->AceCount; ++i) {
    void* entry;
    EXPECT_TRUE(GetAce(list, i, &entry));
    char* text = nullptr;
    EXPECT_TRUE(ConvertSidToStringSidA(&static_cast<ACCESS_ALLOWED_ACE*>(entry)->SidStart, &text));
    allowed.emplace_back(text);
    LocalFree(text);
  }
  LocalFree(memory);
  return allowed;
}

// This process's account and the owner, whoever that is. Wine adds the system's account, which
// Windows asks for nothing.
void ExpectPrivate(const std::string& path) {
  alignas(TOKEN_USER) char user[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
  DWORD size;
  ASSERT_TRUE(GetTokenInformation(GetCurrentProcessToken(), TokenUser, user, sizeof(user), &size));
  char* account = nullptr;
  ASSERT_TRUE(ConvertSidToStringSidA(reinterpret_cast<TOKEN_USER*>(user)->User.Sid, &account));
  const std::vector<std::string> allowed = AllowedBy(path);
  EXPECT_NE(std::count(allowed.begin(), allowed.end(), account), 0);
  for (const std::string& sid : allowed) {
    EXPECT_TRUE(sid == account || sid == "S-1-3-4" || sid == "S-1-5-18") << sid;
  }
  LocalFree(account);
}

// The only file of a folder whose name has this part.
std::string FileWith(const std::string& part, const tests::TempDir& dir) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(dir.Path("."))) {
    if (entry.path().string().find(part) == std::string::npos) continue;
    EXPECT_EQ(found, "");
    found = entry.path().string();
  }
  EXPECT_NE(found, "") << part;
  return found;
}

TEST(SaveTargetWindowsTest, APrivateFileIsItsOwnersAlone) {
  const tests::TempDir dir;
  const std::string path = dir.Path("file");
  std::string error;
  ReplacementFile file;
  ASSERT_TRUE(file.Open(path, &error, NewFile::kPrivate)) << error;
  ASSERT_TRUE(file.Append("text", 4, &error)) << error;
  ExpectPrivate(FileWith("file.tmp", dir));
  ASSERT_TRUE(file.Commit(&error)) << error;
  ExpectPrivate(path);
  EXPECT_EQ(tests::ReadFile(path), "text");
}

// What replaces a file has its list at the end, and was its owner's alone before.
TEST(SaveTargetWindowsTest, AFileIsItsOwnersAloneWhileItIsWritten) {
  const tests::TempDir dir;
  const std::string path = dir.Path("file");
  std::string error;
  ASSERT_TRUE(Write(path, "old", &error)) << error;
  const std::vector<std::string> before = AllowedBy(path);
  ReplacementFile file;
  ASSERT_TRUE(file.Open(path, &error)) << error;
  ExpectPrivate(FileWith("file.tmp", dir));
  ASSERT_TRUE(file.Commit(&error)) << error;
  EXPECT_EQ(AllowedBy(path), before);
}

// The folder is found when the file is opened.
TEST(SaveTargetWindowsTest, AChangeOfDirectoryChangesNoTarget) {
  const tests::TempDir dir, other;
  const std::filesystem::path before = std::filesystem::current_path();
  std::string error;
  {
    ReplacementFile file, abandoned;
    std::filesystem::current_path(dir.Path("."));
    ASSERT_TRUE(file.Open("file", &error)) << error;
    ASSERT_TRUE(abandoned.Open("abandoned", &error)) << error;
    std::filesystem::current_path(other.Path("."));
    ASSERT_TRUE(file.Append("text", 4, &error)) << error;
    EXPECT_TRUE(file.Commit(&error)) << error;
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(tests::ReadFile(dir.Path("file")), "text");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.Path(".")), {}), 1);
  EXPECT_TRUE(std::filesystem::is_empty(other.Path(".")));
}

TEST(SaveTargetWindowsTest, AFileIsRemovedWithoutMemory) {
  const tests::TempDir dir;
  std::string error;
  auto file = std::make_unique<ReplacementFile>();
  ASSERT_TRUE(file->Open(dir.Path("file"), &error)) << error;
  is_memory_left = false;
  file.reset();
  is_memory_left = true;
  EXPECT_TRUE(std::filesystem::is_empty(dir.Path(".")));
}

}  // namespace
}  // namespace bloomline::support

// What reads of pipes and sockets return on Windows, and which paths the system gets.
#include <winsock2.h>
// Before windows.h, which would include an older one.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "src/support/file_calls.h"
#include "src/support/file_io.h"
#include "src/support/windows_calls.h"
#include "tests/support/temp_dir.h"

namespace bloomline::support {
namespace {

// What ReadSome returns until there is no more.
std::string ReadAll(int descriptor) {
  std::string all;
  for (;;) {
    char bytes[16];
    const int64_t count = ReadSome(descriptor, sizeof(bytes), bytes);
    EXPECT_GE(count, 0) << errno;
    if (count <= 0) return all;
    all.append(bytes, static_cast<size_t>(count));
  }
}

// A read brings 0 bytes then, as at the end of other files. Wine drops empty writes unless both
// ends take messages.
TEST(FileCallsWindowsTest, AnEmptyWriteDoesNotEndAPipe) {
  for (const DWORD mode :
       {PIPE_TYPE_BYTE | PIPE_READMODE_BYTE, PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE}) {
    const std::wstring name = L"\\\\.\\pipe\\bloomline_test_" + std::to_wstring(mode) + L"_" +
                              std::to_wstring(GetCurrentProcessId());
    const int reader = DescriptorOf(
        CreateNamedPipeW(name.c_str(), PIPE_ACCESS_INBOUND, mode, 1, 4096, 4096, 0, nullptr),
        _O_RDONLY);
    ASSERT_GE(reader, 0);
    const int writer = DescriptorOf(
        CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_EXISTING, 0, nullptr), _O_WRONLY);
    ASSERT_GE(writer, 0);
    for (const std::string written : {"", "a", "", "", "b", ""}) {
      EXPECT_EQ(WriteSome(writer, written.size(), written.data()),
                static_cast<int64_t>(written.size()));
    }
    EXPECT_EQ(CloseFile(writer), 0);
    EXPECT_EQ(ReadAll(reader), "ab") << mode;
    EXPECT_EQ(CloseFile(reader), 0);
  }
}

// The system says that a socket is a pipe, but 0 bytes are its end. Standard input can be one.
TEST(FileCallsWindowsTest, ASocketEnds) {
  WSADATA data;
  ASSERT_EQ(WSAStartup(MAKEWORD(2, 2), &data), 0);
  const SOCKET listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any_address = reinterpret_cast<sockaddr*>(&address);
  int size = sizeof(address);
  ASSERT_EQ(bind(listener, any_address, size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, any_address, &size), 0);
  // Without WSA_FLAG_OVERLAPPED, as ReadFile needs it.
  const SOCKET reader = WSASocketW(AF_INET, SOCK_STREAM, 0, nullptr, 0, 0);
  ASSERT_EQ(connect(reader, any_address, size), 0);
  const SOCKET writer = accept(listener, nullptr, nullptr);
  ASSERT_NE(writer, INVALID_SOCKET);
  ASSERT_EQ(send(writer, "ab", 2, 0), 2);
  closesocket(writer);
  closesocket(listener);
  const int descriptor = DescriptorOf(reinterpret_cast<HANDLE>(reader), _O_RDONLY);
  ASSERT_GE(descriptor, 0);
  FileStatus status;
  ASSERT_TRUE(Examine(descriptor, &status));
  EXPECT_EQ(status.kind, FileKind::kPipe);
  EXPECT_EQ(ReadAll(descriptor), "ab");
  CloseFile(descriptor);
  WSACleanup();
}

// Wine takes a path of any length, so this compares what the system gets.
TEST(FileCallsWindowsTest, LongPathsHaveThePrefixThatTheSystemWants) {
  const std::wstring long_name(300, L'n');
  EXPECT_EQ(WithLongPrefix(L"C:\\" + long_name), L"\\\\?\\C:\\" + long_name);
  EXPECT_EQ(WithLongPrefix(L"\\\\server\\share\\" + long_name),
            L"\\\\?\\UNC\\server\\share\\" + long_name);
  for (const wchar_t* const start : {L"\\\\?\\C:\\", L"\\\\?\\UNC\\server\\", L"\\\\.\\C:\\"}) {
    EXPECT_EQ(WithLongPrefix(start + long_name), start + long_name);
  }
  const std::wstring longest = L"C:\\" + std::wstring(256, L'n');  // 259 characters
  EXPECT_EQ(WithLongPrefix(longest), longest);
  EXPECT_EQ(WithLongPrefix(longest + L"n"), L"\\\\?\\" + longest + L"n");
}

TEST(FileCallsWindowsTest, APathBecomesFull) {
  const std::string long_name(300, 'n');
  const std::wstring wide_name(300, L'n');
  EXPECT_EQ(ToFullPath("C:/a/../b\\./\xc3\xbc"), L"C:\\b\\\u00fc");
  EXPECT_EQ(ToFullPath("//server/share/b"), L"\\\\server\\share\\b");
  EXPECT_EQ(ToFullPath("C:/b/" + long_name), L"\\\\?\\C:\\b\\" + wide_name);
  EXPECT_EQ(ToFullPath("//server/share/" + long_name), L"\\\\?\\UNC\\server\\share\\" + wide_name);
  EXPECT_EQ(ToFullPath("C:/" + long_name + "/../b"), L"C:\\b");
  EXPECT_EQ(ToFullPath("\\\\?\\C:\\a/b. "), L"\\\\?\\C:\\a\\b. ");
  const std::wstring here = std::filesystem::current_path().native();
  EXPECT_EQ(ToFullPath("b"), here + L"\\b");
  EXPECT_EQ(ToFullPath(long_name), L"\\\\?\\" + here + L"\\" + wide_name);
  for (const char* const no_path : {"", "a\xff"}) {
    errno = 0;
    EXPECT_EQ(ToFullPath(no_path), L"");
    EXPECT_EQ(errno, EINVAL);
  }
}

TEST(FileCallsWindowsTest, FilesHaveLongPaths) {
  const tests::TempDir dir;
  std::string folder = dir.Path(".");
  for (int i = 0; i < 6; ++i) {
    folder += "/" + std::string(50, 'f');
    ASSERT_TRUE(CreateDirectoryW(ToFullPath(folder).c_str(), nullptr));
  }
  std::string error;
  ReplacementFile written;
  ASSERT_TRUE(written.Open(folder + "/file", &error)) << error;
  ASSERT_TRUE(written.Append("text", 4, &error)) << error;
  ASSERT_TRUE(written.Commit(&error)) << error;
  InputFile read;
  ASSERT_TRUE(read.Open(folder + "/file", &error)) << error;
  EXPECT_EQ(read.size(), 4u);
}

}  // namespace
}  // namespace bloomline::support

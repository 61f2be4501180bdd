#ifdef _WIN32
#include "src/support/windows_calls.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace bloomline::support {
namespace {

bool StartsWith(std::wstring_view text, std::wstring_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

std::wstring ToUtf16(std::string_view text) {
  const auto length = static_cast<int>(text.size());
  const int size =
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), length, nullptr, 0);
  std::wstring wide(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), length, wide.data(), size);
  if (wide.empty()) errno = EINVAL;
  return wide;
}

std::string ToUtf8(std::wstring_view text) {
  const auto length = static_cast<int>(text.size());
  const int size =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), length, nullptr, 0, nullptr, nullptr);
  std::string narrow(static_cast<size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), length, narrow.data(), size, nullptr, nullptr);
  return narrow;
}

std::wstring WithLongPrefix(std::wstring full_path) {
  const std::wstring_view path = full_path;
  if (path.size() < MAX_PATH || StartsWith(path, L"\\\\?\\") || StartsWith(path, L"\\\\.\\")) {
    return full_path;
  }
  // Of \\server\share, one slash stays.
  return StartsWith(path, L"\\\\") ? full_path.replace(0, 1, L"\\\\?\\UNC")
                                   : full_path.insert(0, L"\\\\?\\");
}

std::wstring ToFullPath(std::string_view path) {
  std::wstring wide = ToUtf16(path);
  if (wide.empty()) return wide;
  if (StartsWith(wide, L"\\\\?\\")) {  // the system changes nothing of it, not even slashes
    std::replace(wide.begin(), wide.end(), L'/', L'\\');
    return wide;
  }
  std::wstring full(MAX_PATH, L'\0');
  for (bool fits = false; !fits;) {
    // The length; if the path does not fit, the size that it needs, until the directory changes.
    const DWORD size =
        GetFullPathNameW(wide.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    fits = size < full.size();
    full.resize(size);
  }
  if (full.empty()) FailedCall();
  return WithLongPrefix(std::move(full));
}

OwnerAlone::OwnerAlone()
    : attributes_{sizeof(attributes_), &descriptor_, FALSE}, is_made_(Make()) {}

// The account, because files of an administrator belong to the group of administrators, and the
// account is not always in it. The owner, because a server may know the account by another number.
bool OwnerAlone::Make() {
  alignas(TOKEN_USER) char account[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
  alignas(SID) char owner[SECURITY_MAX_SID_SIZE];
  DWORD account_size, owner_size = sizeof(owner);
  auto* const list = reinterpret_cast<ACL*>(list_);
  return GetTokenInformation(GetCurrentThreadEffectiveToken(), TokenUser, account, sizeof(account),
                             &account_size) &&
         CreateWellKnownSid(WinCreatorOwnerRightsSid, nullptr, owner, &owner_size) &&
         InitializeAcl(list, sizeof(list_), ACL_REVISION) &&
         AddAccessAllowedAce(list, ACL_REVISION, FILE_ALL_ACCESS,
                             reinterpret_cast<TOKEN_USER*>(account)->User.Sid) &&
         AddAccessAllowedAce(list, ACL_REVISION, FILE_ALL_ACCESS, owner) &&
         InitializeSecurityDescriptor(&descriptor_, SECURITY_DESCRIPTOR_REVISION) &&
         SetSecurityDescriptorDacl(&descriptor_, TRUE, list, FALSE) &&
         SetSecurityDescriptorControl(&descriptor_, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
}

int DescriptorOf(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) return FailedCall();
  const int descriptor =
      _open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0) CloseHandle(handle);
  return descriptor;
}

}  // namespace bloomline::support
#endif  // _WIN32

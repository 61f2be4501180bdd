// What the files for Windows share: UTF-16, paths, and errno for the system's errors.
#ifndef BLOOMLINE_SUPPORT_WINDOWS_CALLS_H_
#define BLOOMLINE_SUPPORT_WINDOWS_CALLS_H_
#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <io.h>
#include <windows.h>
// Behind windows.h.
#include <aclapi.h>
#include <ntsecapi.h>
#include <shellapi.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace bloomline::support {

// UTF-16 of UTF-8. Empty, with errno EINVAL, for other bytes: no file has a name of these.
std::wstring ToUtf16(std::string_view text);
// UTF-8 of UTF-16; U+FFFD for what is not.
std::string ToUtf8(std::wstring_view text);

// A full path; if it has 260 characters or more, with the prefix "\\?\", because the system takes
// such a path only with it.
std::wstring WithLongPrefix(std::wstring full_path);

// The full path, in UTF-16, of a path in UTF-8, as WithLongPrefix returns it. Empty, with errno
// EINVAL, for other bytes.
std::wstring ToFullPath(std::string_view path);

// -1, with errno for the system's last error.
inline int FailedCall() {
  const auto code = static_cast<int>(GetLastError());
  const std::error_condition condition = std::system_category().default_error_condition(code);
  errno = condition.category() == std::generic_category() ? condition.value() : EIO;
  return -1;
}

// The handle of a descriptor; INVALID_HANDLE_VALUE if there is none.
inline HANDLE HandleOf(int descriptor) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

// The access control list of a new file that only its owner and this thread's account may use,
// whatever the folder would pass on.
class OwnerAlone {
 public:
  OwnerAlone();
  OwnerAlone(const OwnerAlone&) = delete;
  OwnerAlone& operator=(const OwnerAlone&) = delete;

  // For CreateFileW; null, with the system's last error, if the list could not be made.
  SECURITY_ATTRIBUTES* attributes() { return is_made_ ? &attributes_ : nullptr; }

 private:
  bool Make();

  alignas(ACL) char list_[256];
  SECURITY_DESCRIPTOR descriptor_;
  SECURITY_ATTRIBUTES attributes_;
  bool is_made_;
};

// A descriptor that owns the handle. On failure the handle is closed.
int DescriptorOf(HANDLE handle, int flags);

}  // namespace bloomline::support

#endif  // _WIN32
#endif  // BLOOMLINE_SUPPORT_WINDOWS_CALLS_H_

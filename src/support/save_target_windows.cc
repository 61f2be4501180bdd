#ifdef _WIN32
#include <fcntl.h>

#include <utility>

#include "src/support/file_calls.h"
#include "src/support/save_target.h"
#include "src/support/system_error.h"
#include "src/support/windows_calls.h"

namespace bloomline::support {
namespace {

// The path of a file through all links, with the prefix "\\?\".
std::wstring WithoutLinks(const std::wstring& path) {
  const HANDLE handle =
      CreateFileW(path.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return L"";
  std::wstring name(GetFinalPathNameByHandleW(handle, nullptr, 0, FILE_NAME_NORMALIZED), L'\0');
  const DWORD size = GetFinalPathNameByHandleW(handle, name.data(), static_cast<DWORD>(name.size()),
                                               FILE_NAME_NORMALIZED);
  CloseHandle(handle);
  name.resize(size < name.size() ? size : 0);
  return name;
}

}  // namespace

SaveTarget::~SaveTarget() = default;

bool SaveTarget::OpenFolder(const std::string& path, std::string* error) {
  const size_t slash = path.find_last_of("/\\:");
  folder_path_ = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  name_ = slash == std::string::npos ? path : path.substr(slash + 1);
  full_path_ = ToFullPath(path);
  FileStatus status;
  if (name_.empty()) errno = ENOENT;
  if (name_.empty() || full_path_.empty()) {
    return SystemFailure(path, "cannot be examined", error);
  }
  if (!Examine(folder_path_.empty() ? "." : folder_path_, &status)) {
    return SystemFailure(path, "its folder cannot be opened", error);
  }
  if (status.kind == FileKind::kFolder) return true;
  errno = ENOTDIR;
  return SystemFailure(path, "its folder cannot be opened", error);
}

bool SaveTarget::Open(const std::string& path, std::string* error) {
  if (IsNoPath(path, error)) return false;
  FileStatus status;
  exists_ = Examine(path, &status);
  if (!exists_ && errno != ENOENT) return SystemFailure(path, "cannot be examined", error);
  if (!exists_) return OpenFolder(path, error);
  if (status.kind != FileKind::kRegular) return NotRegular(path, error);
  const std::wstring full = ToFullPath(path);
  const DWORD attributes = GetFileAttributesW(full.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) {
    return OpenFolder(path, error);
  }
  const std::string target = ToUtf8(WithoutLinks(full));
  if (target.empty()) {
    FailedCall();
    return SystemFailure(path, "cannot be examined", error);
  }
  return OpenFolder(target, error);
}

int SaveTarget::CreateBeside(const std::string& name, NewFile new_file) {
  OwnerAlone owner_alone;
  SECURITY_ATTRIBUTES* attributes = nullptr;
  if (exists_ || new_file == NewFile::kPrivate) {
    attributes = owner_alone.attributes();
    if (attributes == nullptr) return FailedCall();
  }
  std::wstring full =
      WithLongPrefix(full_path_.substr(0, full_path_.rfind(L'\\') + 1) + ToUtf16(name));
  const int descriptor =
      DescriptorOf(CreateFileW(full.c_str(), GENERIC_WRITE | READ_CONTROL | WRITE_DAC,
                               FILE_SHARE_READ | FILE_SHARE_DELETE, attributes, CREATE_NEW,
                               FILE_ATTRIBUTE_NORMAL, nullptr),
                   _O_WRONLY);
  if (descriptor >= 0) full_beside_ = std::move(full);
  return descriptor;
}

void SaveTarget::RemoveBeside(const std::string& /*name*/) const {
  DeleteFileW(full_beside_.c_str());
}

// The access control list. The owner is who writes the file.
bool SaveTarget::CopyAttributesTo(int descriptor, std::string* error) const {
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR memory = nullptr;
  DWORD failure =
      GetNamedSecurityInfoW(full_path_.c_str(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                            nullptr, &list, nullptr, &memory);
  if (failure == ERROR_FILE_NOT_FOUND) return true;
  if (failure == ERROR_SUCCESS) {
    SECURITY_DESCRIPTOR_CONTROL control = 0;
    DWORD revision;
    GetSecurityDescriptorControl(memory, &control, &revision);
    const DWORD inherits = (control & SE_DACL_PROTECTED) != 0
                               ? PROTECTED_DACL_SECURITY_INFORMATION
                               : UNPROTECTED_DACL_SECURITY_INFORMATION;
    failure =
        SetSecurityInfo(HandleOf(descriptor), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | inherits,
                        nullptr, nullptr, list, nullptr);
    LocalFree(memory);
  }
  if (failure == ERROR_SUCCESS) return true;
  SetLastError(failure);
  FailedCall();
  return SystemFailure(path(), "its access control list cannot be kept", error);
}

// Fails, and both files stay, while a program has the target mapped, or open without leave to
// remove it.
bool SaveTarget::ReplaceBy(const std::string& name, std::string* error) const {
  if (MoveFileExW(full_beside_.c_str(), full_path_.c_str(),
                  MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
    return true;
  }
  FailedCall();
  return SystemFailure(folder_path_ + name, "cannot be renamed to " + path(), error);
}

// MOVEFILE_WRITE_THROUGH has done it: a folder cannot be synced here.
bool SaveTarget::Sync(std::string* /*error*/) const { return true; }

}  // namespace bloomline::support
#endif  // _WIN32

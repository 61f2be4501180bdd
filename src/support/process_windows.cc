#ifdef _WIN32
#include <fcntl.h>

#include "src/support/file_calls.h"
#include "src/support/process.h"
#include "src/support/windows_calls.h"

namespace bloomline::support {

uint64_t ProcessNumber() { return GetCurrentProcessId(); }

std::vector<std::string> CommandLineWords(int argc, char** argv) {
  int count = 0;
  wchar_t** const wide = CommandLineToArgvW(GetCommandLineW(), &count);
  if (wide == nullptr) return {argv + (argc > 0 ? 1 : 0), argv + argc};
  std::vector<std::string> words;
  for (int i = 1; i < count; ++i) words.push_back(ToUtf8(wide[i]));
  LocalFree(wide);
  return words;
}

// _isatty says so of NUL and of any other device, too.
bool IsTerminal(int descriptor) {
  DWORD mode;
  return GetConsoleMode(HandleOf(descriptor), &mode) != 0;
}

bool PrepareStandardDescriptors() {
  for (const int descriptor : {kStandardInput, kStandardOutput, kStandardError}) {
    if (_setmode(descriptor, _O_BINARY) != -1) continue;
    // The lowest free number is this one.
    if (_wopen(L"NUL", descriptor == kStandardInput ? _O_WRONLY : _O_RDONLY) != descriptor) {
      return false;
    }
  }
  SetConsoleOutputCP(CP_UTF8);
  const HANDLE handle = HandleOf(kStandardError);
  DWORD mode;
  // The line of a progress erases itself by a control sequence.
  if (GetConsoleMode(handle, &mode)) {
    SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
  return true;
}

}  // namespace bloomline::support
#endif  // _WIN32

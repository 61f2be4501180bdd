#ifdef _WIN32
#include "src/support/paths.h"
#include "src/support/windows_calls.h"

namespace bloomline::support {

std::filesystem::path ToPath(const std::string& text) { return ToUtf16(text); }

std::string FromPath(const std::filesystem::path& path) { return ToUtf8(path.native()); }

}  // namespace bloomline::support
#endif  // _WIN32

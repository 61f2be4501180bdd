#ifndef _WIN32
#include "src/support/paths.h"

namespace bloomline::support {

std::filesystem::path ToPath(const std::string& text) { return text; }

std::string FromPath(const std::filesystem::path& path) { return path.native(); }

}  // namespace bloomline::support
#endif  // !_WIN32

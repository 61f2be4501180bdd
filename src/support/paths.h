// Paths of the standard library, from and to the text of the public functions: any bytes on POSIX,
// UTF-8 on Windows. std::filesystem::path takes narrow text there for another encoding.
#ifndef BLOOMLINE_SUPPORT_PATHS_H_
#define BLOOMLINE_SUPPORT_PATHS_H_

#include <filesystem>
#include <string>

namespace bloomline::support {

// Empty on Windows for text that is not UTF-8: no file has such a name.
std::filesystem::path ToPath(const std::string& text);
std::string FromPath(const std::filesystem::path& path);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_PATHS_H_

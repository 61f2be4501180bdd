// Files that are often taken for filters.
#ifndef BLOOMLINE_TOOL_INSPECT_FOREIGN_FILE_H_
#define BLOOMLINE_TOOL_INSPECT_FOREIGN_FILE_H_

#include <string>
#include <string_view>

namespace bloomline::tool {

// What the bytes are, and which command reads them: "a table of RocksDB; try ...". `name` is what
// that command would be given. Empty if they are nothing that is known here.
std::string DescribeForeignFile(const std::string& name, std::string_view bytes);

// The same for a directory.
std::string DescribeDirectory(const std::string& path);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_INSPECT_FOREIGN_FILE_H_

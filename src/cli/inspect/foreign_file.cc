#include "src/cli/inspect/foreign_file.h"

#include <filesystem>

#include "src/support/file_io.h"

namespace bloomline::cli {

bool OpenFilterFile(const std::string& path, uint64_t max_pipe_bytes, tool::WholeInput* file,
                    std::string* error) {
  if (file->Open(path, max_pipe_bytes, error)) return true;
  support::FileStatus status;
  if (support::Examine(path + "/CURRENT", &status)) {
    *error = path +
             ": not a bloomline filter: the directory of a database; try: bloomline db inspect " +
             path;
  }
  return false;
}

std::string NotAFilter(const tool::WholeInput& file, const std::string& why) {
  if (why == filter::kFormerCompactText) return file.name() + ": " + why;
  std::string known = why;
  const std::string extension = std::filesystem::path(file.name()).extension().string();
  if ((extension == ".sst" || extension == ".ldb") && !file.bytes().empty()) {
    known = "a table of LevelDB or RocksDB; try: bloomline db inspect " + file.name();
  } else if (file.bytes().substr(0, 3) == "bLn") {
    known = "it begins like a saved filter, of a kind that this version does not know: '" +
            std::string(file.bytes().substr(0, 8)) + "'";
  }
  return file.name() + ": not a bloomline filter: " + known;
}

StaticFilter DecodeStatic(std::string_view bytes) {
  StaticFilter filter;
  filter.payload = filter::DecodeTrailer(bytes, &filter.why);
  filter.is_understood = !filter.payload.is_unknown() && filter.why != filter::kFormerCompactText;
  return filter;
}

}  // namespace bloomline::cli

#include "src/db/advise/preload_library.h"

#include <filesystem>
#include <system_error>

namespace bloomline::db {

PreloadLibrary PreloadLibraryFor(sstable::Engine engine) {
  namespace fs = std::filesystem;
  const std::string name = engine == sstable::Engine::kRocksDB ? "rocksdb" : "leveldb";
  PreloadLibrary library{"libbloomline_" + name + "_preload.so", "bloomline-preload-" + name};
  std::error_code code;
  const fs::path folder = fs::read_symlink("/proc/self/exe", code).parent_path();
  if (code) return library;
  for (const fs::path& candidate :
       {folder / BLOOMLINE_TO_LIBRARIES / library.path, folder / library.path}) {
    const std::string path = candidate.lexically_normal().string();
    if (path.find_first_of(" :") == std::string::npos && fs::exists(path, code)) {
      library.path = path;
      library.is_installed = true;
      return library;
    }
  }
  return library;
}

}  // namespace bloomline::db

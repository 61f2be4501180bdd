// The library to preload that is installed with this command.
#ifndef BLOOMLINE_DB_ADVISE_PRELOAD_LIBRARY_H_
#define BLOOMLINE_DB_ADVISE_PRELOAD_LIBRARY_H_

#include <string>

#include "src/db/sstable/table.h"

namespace bloomline::db {

struct PreloadLibrary {
  std::string path;     // for LD_PRELOAD; if it is not installed, the name alone
  std::string package;  // the Debian package that has it
  bool is_installed = false;
};

// Looks where an installation has it, seen from this command, and beside the command, as in a
// build. Also "not installed" if LD_PRELOAD would end its path early, at a space or a colon.
PreloadLibrary PreloadLibraryFor(sstable::Engine engine);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_PRELOAD_LIBRARY_H_

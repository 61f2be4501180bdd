// Policy libraries for programs that bundle RocksDB have this in place of account_listener.cc,
// which needs rocksdb::SstFileReader: many of these programs leave it out. Nothing calls it there
// (plugin.cc).
#include "src/engines/rocksdb/budget/account_listener.h"

namespace bloomline::engine {

std::unique_ptr<FilterAccount> MakeFilterAccount() { return nullptr; }

}  // namespace bloomline::engine

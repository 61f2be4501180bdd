// Policy libraries for programs that bundle RocksDB have this in place of account_listener.cc:
// listeners=bloomline.account makes no listener. It would need rocksdb::SstFileReader, which many
// of these programs leave out.
#include "src/engines/rocksdb/budget/account_listener.h"

namespace bloomline::engine {

std::unique_ptr<FilterAccount> MakeFilterAccount() { return nullptr; }

}  // namespace bloomline::engine

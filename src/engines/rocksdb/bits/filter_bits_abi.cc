#include "src/engines/rocksdb/bits/filter_bits_abi.h"

namespace bloomline {

std::string RocksDBVersionMismatch() {
  const std::string compiled = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string running = ROCKSDB_NAMESPACE::GetRocksVersionAsString(false);
  if (running == compiled) return "";
  return "compiled for RocksDB " + compiled + " but running with " + running +
         "; rebuild bloomline against the running version";
}

}  // namespace bloomline

// RocksDB's properties block: table/table_properties.cc, table/meta_blocks.cc.
#ifndef BLOOMLINE_INSPECT_SSTABLE_PROPERTIES_H_
#define BLOOMLINE_INSPECT_SSTABLE_PROPERTIES_H_

#include <string>
#include <string_view>

#include "src/inspect/sstable/block_file.h"
#include "src/inspect/sstable/index_cursor.h"
#include "src/inspect/sstable/table.h"

namespace bloomline::sstable {

// What readers need of them, and users do not.
struct InternalProperties {
  IndexForm index;
  // Of ingested files: of all keys. Their own numbers are 0.
  bool has_global_sequence = false;
  uint64_t global_sequence = 0;
  std::string compression_manager;  // format_version 7
};

// The block, through `reader`, which reads at random.
bool ReadProperties(const BlockFile& file, const BlockHandle& handle, BlockReader* reader,
                    Properties* properties, InternalProperties* internal, std::string* error);

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_PROPERTIES_H_

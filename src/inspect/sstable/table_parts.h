// What Table::Open learns of a table and its readers use. It does not change any more.
#ifndef BLOOMLINE_INSPECT_SSTABLE_TABLE_PARTS_H_
#define BLOOMLINE_INSPECT_SSTABLE_TABLE_PARTS_H_

#include <string>
#include <vector>

#include "src/inspect/sstable/block_file.h"
#include "src/inspect/sstable/properties.h"
#include "src/inspect/sstable/table.h"

namespace bloomline::sstable {

struct TableParts {
  BlockFile blocks;
  Properties properties;
  InternalProperties internal;
  BlockHandle index;
  FilterKind filter_kind = FilterKind::kNone;
  std::string filter_name;
  BlockHandle filter;
  bool has_dictionary = false;
  BlockHandle dictionary;
  bool has_range_deletions = false;
  std::vector<BlockHandle> other_blocks;  // of the metaindex: range deletions, and unknown ones
};

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_TABLE_PARTS_H_

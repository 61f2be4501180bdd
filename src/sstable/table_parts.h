// What Table::Open learns of a table and its readers use. It does not change any more.
#ifndef BLOOMLINE_SSTABLE_TABLE_PARTS_H_
#define BLOOMLINE_SSTABLE_TABLE_PARTS_H_

#include <string>
#include <vector>

#include "src/sstable/block_file.h"
#include "src/sstable/properties.h"
#include "src/sstable/table.h"

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

#endif  // BLOOMLINE_SSTABLE_TABLE_PARTS_H_

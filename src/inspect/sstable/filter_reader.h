#ifndef BLOOMLINE_INSPECT_SSTABLE_FILTER_READER_H_
#define BLOOMLINE_INSPECT_SSTABLE_FILTER_READER_H_

#include <memory>
#include <string>

#include "src/inspect/sstable/table_parts.h"

namespace bloomline::sstable {

// Null with *error: damaged. A table without filters has a reader with none.
std::unique_ptr<Table::FilterReader> NewTableFilterReader(const TableParts* parts,
                                                          std::string* error);

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_FILTER_READER_H_

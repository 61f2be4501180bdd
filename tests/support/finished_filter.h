// The filter of the keys that a FilterWriter has.
#ifndef BLOOMLINE_TESTS_SUPPORT_FINISHED_FILTER_H_
#define BLOOMLINE_TESTS_SUPPORT_FINISHED_FILTER_H_

#include <cstdint>
#include <string>

#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::tests {

// StandaloneShape or SSTableShape.
using ShapeFunction = decltype(&filter::StandaloneShape);

inline std::string FinishedFilter(filter::FilterWriter* writer,
                                  ShapeFunction shape_of_keys = filter::StandaloneShape,
                                  uint64_t max_payload_bytes = UINT64_MAX) {
  const FilterOptions& options = writer->options();
  filter::FilterShape shape;
  if (writer->fault() == filter::WriterFault::kNone) {
    shape = shape_of_keys(options.format, {writer->num_keys(), options.bits_per_key,
                                           filter::kTrailerBytes, max_payload_bytes});
  }
  // FinishTo writes every byte.
  std::string filter(static_cast<size_t>(shape.payload_bytes() + writer->end_bytes(shape)), 'x');
  writer->FinishTo(shape, filter.data());
  return filter;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_FINISHED_FILTER_H_

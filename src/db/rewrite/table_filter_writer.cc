#include "src/db/rewrite/table_filter_writer.h"

#include "src/db/tables/block_file.h"
#include "src/filter/container/table_bytes.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline::db {

std::string TableFilterWriter::Finish() {
  if (num_entries() == 0) return std::string(stock::kAlwaysMatchBytes);
  filter::ShapeRequest limits = {};
  limits.end_bytes = filter::kTrailerBytes;
  limits.max_payload_bytes = stock::kMaxPayloadBytes - filter::kTrailerBytes;
  const filter::FilterShape shape = writer_.Plan(limits);
  const uint64_t num_bytes = shape.payload_bytes() + writer_.end_bytes();
  std::string bytes;
  bytes.reserve(static_cast<size_t>(num_bytes + tables::kBlockTrailerBytes));  // not copied then
  bytes.resize(static_cast<size_t>(num_bytes));
  writer_.FinishTo(shape, bytes.data());
  return bytes;
}

}  // namespace bloomline::db

#include "src/filter/container/table_bytes.h"

#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"

namespace bloomline::filter {
namespace {

Payload DecodeShort(std::string_view bytes, std::string*, uint64_t* num_bytes) {
  *num_bytes = bytes.size();
  return {FilterShape::NoKeys()};
}

Payload DecodeOwn(std::string_view bytes, std::string* why, uint64_t* num_bytes) {
  const Payload payload = DecodeTrailer(bytes, why);
  *num_bytes = payload.payload_bytes();
  return payload;
}

Payload DecodeStock(std::string_view bytes, std::string* why, uint64_t* num_bytes) {
  Payload payload{FilterShape::Unknown()};
  *num_bytes = bytes.size();
  if (bytes.size() > UINT32_MAX) {
    support::Refuse(why, "RocksDB filter of ", bytes.size(), " bytes; known: up to 4 GiB");
    return payload;
  }
  *num_bytes -= stock::kMetadataBytes;
  const int marker = static_cast<int8_t>(stock::EndByte(bytes, 0));
  for (const LayoutRow* const row : kLayouts) {
    if (marker < row->min_marker || marker > row->max_marker) continue;
    row->read(bytes, &payload, why);
    return payload;
  }
  support::Refuse(why, "RocksDB filter of kind ", marker,
                  "; known: -2 (Ribbon), -1 (Bloom), 0 to 127");
  return payload;
}

// Tried in this order: the last one reads five bytes at the end, and RocksDB takes bloomline's
// trailer for a filter that matches every key.
constexpr struct {
  bool (*recognises)(std::string_view bytes);
  Payload (*decode)(std::string_view bytes, std::string* why, uint64_t* num_bytes);
} kContainers[] = {
    {[](std::string_view bytes) { return bytes.size() <= stock::kMetadataBytes; }, DecodeShort},
    {HasTrailer, DecodeOwn},
    {[](std::string_view) { return true; }, DecodeStock}};

}  // namespace

Payload DecodeTableBytes(std::string_view bytes, std::string* why, uint64_t* num_bytes) {
  uint64_t unused;
  for (const auto& container : kContainers) {
    if (!container.recognises(bytes)) continue;
    return container.decode(bytes, why, num_bytes == nullptr ? &unused : num_bytes);
  }
  return {FilterShape::Unknown()};
}

}  // namespace bloomline::filter

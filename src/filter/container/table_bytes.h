// The filters in RocksDB's tables, bloomline's and RocksDB's own, told apart by their bytes.
// RocksDB's reader and `bloomline db` both open them here.
#ifndef BLOOMLINE_FILTER_CONTAINER_TABLE_BYTES_H_
#define BLOOMLINE_FILTER_CONTAINER_TABLE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/filter/container/trailer.h"

namespace bloomline::filter {

// Never fails: any bytes give a payload that is safe to query, with the layout kUnknown if they are
// not understood. Then *why, if not null, is one sentence; only this needs memory. *num_bytes, if
// not null, is set to the payload's size, including any bytes after its blocks that no query reads.
Payload DecodeTableBytes(std::string_view bytes, std::string* why = nullptr,
                         uint64_t* num_bytes = nullptr);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_CONTAINER_TABLE_BYTES_H_

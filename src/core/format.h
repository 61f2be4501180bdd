// The containers of docs/format.md: what surrounds a payload in LevelDB and in RocksDB.
#ifndef BLOOMLINE_CORE_FORMAT_H_
#define BLOOMLINE_CORE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bloomline::core {

// The numbers are the `layout` field of the trailer.
enum class Layout : uint8_t { kClassic = 0, kBlocked = 1, kFlat = 3, kAlwaysMatch = 0xFF };

// What a decoder found. Always safe to query: data[0 .. num_bytes) exists, its length fits the
// layout, and num_probes is 1..30, or the layout is kAlwaysMatch. No bytes in another layout: no
// keys.
struct Payload {
  Layout layout = Layout::kAlwaysMatch;
  int num_probes = 0;
  uint64_t seed = 0;
  const char* data = nullptr;
  uint64_t num_bytes = 0;
};

// What a writer is about to make.
struct Shape {
  Layout layout;
  int num_probes;
  uint64_t payload_bytes;
};

constexpr size_t kTrailerBytes = 20;

// Section 5. `Decode` is total.
Payload DecodeStandalone(std::string_view filter);
bool HasTrailer(std::string_view filter);
void EncodeTrailer(const Shape& shape, uint64_t seed, char* dst);

// Section 4. `Decode` is total.
Payload DecodeLevelDB(std::string_view filter);
char LevelDBCode(const Shape& shape);
constexpr std::string_view kLevelDBAlwaysMatch("\x00\xFD", 2);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_FORMAT_H_

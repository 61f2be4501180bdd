// The ends of the filters that RocksDB itself writes, as src/filter/stock/stock_filter.h has them.
#ifndef BLOOMLINE_TESTS_FUZZ_STOCK_ENDS_H_
#define BLOOMLINE_TESTS_FUZZ_STOCK_ENDS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {

inline std::string LittleEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text.push_back(static_cast<char>(value & 0xFF));
  return text;
}

inline char ConsumeByte(FuzzedDataProvider* input, int min, int max) {
  return static_cast<char>(input->ConsumeIntegralInRange<int>(min, max));
}

constexpr int kNumStockKinds = 3;

// The bytes behind a payload, with any parameters.
inline std::string ConsumeStockEnd(FuzzedDataProvider* input, int kind, size_t payload_bytes) {
  switch (kind) {
    case 0:  // Bloom
      return std::string{'\xFF', '\0', ConsumeByte(input, 1, 30), '\0', '\0'};
    case 1: {  // Ribbon
      const auto num_blocks = input->ConsumeIntegralInRange<uint64_t>(0, payload_bytes / 8 + 2);
      return std::string{'\xFE', ConsumeByte(input, 0, 255)} + LittleEndian(num_blocks, 3);
    }
    default:  // legacy Bloom: blocks of a power of two
      return ConsumeByte(input, 1, 127) +
             LittleEndian(payload_bytes >> input->ConsumeIntegralInRange<int>(0, 12), 4);
  }
}

}  // namespace bloomline::fuzz

#endif  // BLOOMLINE_TESTS_FUZZ_STOCK_ENDS_H_

// Filters of any engine (src/db/engine_filters): any bytes under any name are safe to open, to
// query and to estimate, batches answer as single queries, and what is not understood matches every
// key.
#include <cmath>
#include <string>
#include <string_view>

#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

using engine_filters::Container;
using engine_filters::EngineFilter;
using engine_filters::FilterLayout;

constexpr size_t kMaxKeys = 80;  // more than two groups of a batch
constexpr size_t kMaxPayload = 3000;
constexpr uint64_t kMaxRateKeys = 40;

std::string ConsumeName(FuzzedDataProvider* input) {
  const char* const names[] = {"",
                               "rocksdb.BuiltinBloomFilter",
                               "leveldb.BuiltinBloomFilter2",
                               "leveldb.BuiltinBloomFilter",
                               "bloomline",
                               "app.canonicalizer-case",
                               "app.seed-0123456789abcdef0123456789abcdef"};
  const size_t number = input->ConsumeIntegralInRange<size_t>(0, std::size(names));
  return number < std::size(names) ? names[number] : input->ConsumeRandomLengthString(80);
}

std::string LittleEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text.push_back(static_cast<char>(value & 0xFF));
  return text;
}

char ConsumeByte(FuzzedDataProvider* input, int min, int max) {
  return static_cast<char>(input->ConsumeIntegralInRange<int>(min, max));
}

// The bytes behind a payload, of each kind that is understood, with any parameters.
std::string ConsumeEnd(FuzzedDataProvider* input, size_t payload_bytes) {
  switch (input->ConsumeIntegralInRange<int>(0, 4)) {
    case 0:  // RocksDB's Bloom filters (src/filter/stock/stock_filter.h)
      return std::string{'\xFF', '\0', ConsumeByte(input, 1, 30), '\0', '\0'};
    case 1: {  // its Ribbon filters
      const auto num_blocks = input->ConsumeIntegralInRange<uint64_t>(0, payload_bytes / 8 + 2);
      return std::string{'\xFE', ConsumeByte(input, 0, 255)} + LittleEndian(num_blocks, 3);
    }
    case 2:  // its legacy Bloom filters: blocks of a power of two
      return ConsumeByte(input, 1, 127) +
             LittleEndian(payload_bytes >> input->ConsumeIntegralInRange<int>(0, 12), 4);
    case 3:  // LevelDB's codes
      return std::string{ConsumeByte(input, 0, 255)};
    default: {
      filter::FilterShape shape;
      const int layout = input->ConsumeIntegralInRange<int>(0, 3);
      const int num_probes = input->ConsumeIntegralInRange<int>(kMinProbes, kMaxProbes);
      if (layout == 0) shape = filter::FilterShape::Flat(payload_bytes, num_probes);
      if (layout == 1) shape = filter::FilterShape::Blocked(payload_bytes / 64, num_probes);
      if (layout == 2) {
        shape = filter::FilterShape::Ribbon(payload_bytes / 16,
                                            input->ConsumeIntegralInRange<uint32_t>(0, 100));
        shape.attempt = input->ConsumeIntegral<uint8_t>();
      }
      if (layout == 3) {
        shape = filter::kFormerCompactRow.trailer_shape(
            input->ConsumeIntegralInRange<uint32_t>(0, filter::kFormerCompactRow.max_parameter));
        shape.num_blocks = payload_bytes / shape.block_bytes;
      }
      std::string end(filter::EndBytes(shape), '\0');
      filter::EncodeEnd(shape, input->ConsumeIntegral<uint64_t>(), end.size(), end.data());
      const size_t rows_bytes = end.size() - filter::kTrailerBytes;
      std::string trailer = end.substr(rows_bytes);
      // With fields that versions up to 0.2.0 wrote, for ranges.
      std::string extension;
      if (input->ConsumeBool()) extension = "\2\6" + input->ConsumeBytesAsString(6);
      extension += end.substr(0, rows_bytes);
      const std::string ranges = input->ConsumeRandomLengthString(90);
      if (!ranges.empty()) extension += std::string{'\x80', char(ranges.size())} + ranges;
      trailer[14] = char(extension.size());
      return extension + trailer;
    }
  }
}

std::string ConsumeFilter(FuzzedDataProvider* input) {
  if (input->ConsumeBool()) {
    return input->ConsumeBytesAsString(input->ConsumeIntegralInRange<size_t>(0, kMaxPayload));
  }
  size_t payload_bytes = input->ConsumeIntegralInRange<size_t>(0, kMaxPayload);
  if (input->ConsumeBool()) payload_bytes = payload_bytes / 64 * 64;
  const std::string end = ConsumeEnd(input, payload_bytes);
  return ConsumeContent(input, payload_bytes) + end;
}

void CheckNumbers(const EngineFilter& filter, uint64_t num_keys) {
  Require(filter.num_probes >= 0 && filter.num_probes <= 127, "probes are in range");
  const double rate = filter.ExpectedRate(num_keys);
  Require(std::isnan(rate) || (rate >= 0 && rate <= 1), "an expected rate is one");
}

void Check(const EngineFilter& filter, FuzzedDataProvider* input) {
  const FilterLayout layout = filter.layout;
  Require(filter.why.empty() == filter.CanQuery(), "what cannot be queried has a reason");
  Require(layout != FilterLayout::kUnknown || !filter.CanQuery(), "the unknown cannot be queried");
  CheckNumbers(filter, input->ConsumeIntegralInRange<uint64_t>(0, kMaxRateKeys));
  Key keys[kMaxKeys];
  std::string_view views[kMaxKeys];
  const size_t n = ConsumeCount(input, 4, kMaxKeys);
  const auto first = input->ConsumeIntegral<uint64_t>();
  for (size_t i = 0; i < n; ++i) {
    keys[i] = i % 2 == 0 ? ConsumeKey(input) : BigEndianKey(first + i);
    views[i] = View(keys[i]);
  }
  bool* answers = GuardedArray<bool>(n);
  const size_t matches = filter.MayMatch(n, views, answers);
  size_t expected = 0;
  for (size_t i = 0; i < n; ++i) {
    const bool answer = filter.MayMatch(views[i]);
    expected += answer ? 1 : 0;
    Require(answer == answers[i], "a batch answers as single queries");
    Require(answer || (filter.CanQuery() && layout != FilterLayout::kAlwaysMatch),
            "what is not understood matches every key");
    Require(!answer || layout != FilterLayout::kNoKeys, "no keys match none");
  }
  Require(matches == expected, "matches are counted");
}

// A Bloom filter with every bit set matches every key.
void CheckFull(Container container, const std::string& name, const std::string& bytes) {
  EngineFilter filter = EngineFilter::Open(container, name, bytes);
  const bool is_bloom = filter.num_probes > 0;
  if (!is_bloom || filter.payload_bytes > bytes.size()) return;
  std::string full = bytes;
  std::fill_n(full.begin(), filter.payload_bytes, '\xFF');
  filter = EngineFilter::Open(container, name, full);
  for (uint64_t i = 0; i < 20; ++i) {
    Require(filter.MayMatch(View(BigEndianKey(i))), "a full Bloom filter matches every key");
  }
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  const Place place = ConsumePlace(&input);
  const Container container = input.ConsumeBool() ? Container::kLevelDB : Container::kRocksDB;
  const std::string name = ConsumeName(&input);
  const std::string bytes = ConsumeFilter(&input);
  Placed placed(bytes, place);
  Check(EngineFilter::Open(container, name, placed.view()), &input);
  CheckFull(container, name, bytes);
  return 0;
}

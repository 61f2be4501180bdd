// Shared by the fuzz targets: makes keys, hashes, options and memory from a fuzzer's bytes, and
// reports violated properties. A FuzzedDataProvider takes numbers from the end of the bytes and
// strings from their start. When no bytes are left, numbers are the smallest allowed and strings
// are empty.
#ifndef BLOOMLINE_TESTS_FUZZ_FUZZ_INPUT_H_
#define BLOOMLINE_TESTS_FUZZ_FUZZ_INPUT_H_

#include <fuzzer/FuzzedDataProvider.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/filter/table/kernel_table.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline::fuzz {

// Ends the process if the property does not hold; libFuzzer then keeps the input.
inline void Require(bool holds, const char* property, const char* kernel = "any") {
  if (holds) return;
  std::fprintf(stderr, "broken property: %s (kernel: %s)\n", property, kernel);
  std::abort();
}

inline const std::vector<const kernels::Kernel*>& SupportedKernels() {
  static const auto supported = [] {
    std::vector<const kernels::Kernel*> list;
    const auto all = kernels::AllKernels();
    std::copy_if(all.begin(), all.end(), std::back_inserter(list),
                 [](const kernels::Kernel* kernel) { return kernel->supported(); });
    return list;
  }();
  return supported;
}

inline const kernels::Kernel& Portable() { return *SupportedKernels().front(); }

// The path of a file in memory with these bytes. Always the same file, created once.
inline const std::string& FileOf(std::string_view bytes) {
  static const int descriptor = memfd_create("input", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const bool emptied = ftruncate(descriptor, 0) == 0;
  const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), 0);
  Require(emptied && written == static_cast<ssize_t>(bytes.size()),
          "the system has a file in memory");
  return path;
}

// SplitMix64: the n-th number of a stream. One seed in the input gives many numbers.
inline uint64_t RandomNumber(uint64_t seed, uint64_t n) {
  uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

// Up to `max` hashes: single ones, random runs, counters of any stride, repetitions, hashes that
// differ in one bit. In memory of their exact size.
inline std::vector<uint64_t> ConsumeHashes(FuzzedDataProvider* input, size_t max) {
  enum Kind : uint8_t { kLiteral, kRandomRun, kCounterRun, kRepeat, kFlip, kMaxValue = kFlip };
  std::vector<uint64_t> hashes;
  const auto any_hash = [&] {
    return hashes[input->ConsumeIntegralInRange<size_t>(0, hashes.size() - 1)];
  };
  while (hashes.size() < max && input->remaining_bytes() > 0) {
    const auto kind = input->ConsumeEnum<Kind>();
    if (hashes.empty() && (kind == kRepeat || kind == kFlip)) continue;
    if (kind == kLiteral) {
      hashes.push_back(input->ConsumeIntegral<uint64_t>());
    } else if (kind == kRepeat) {
      hashes.push_back(any_hash());
    } else if (kind == kFlip) {
      hashes.push_back(any_hash() ^ uint64_t{1} << input->ConsumeIntegralInRange<int>(0, 63));
    } else {
      const size_t count =
          input->ConsumeIntegralInRange<size_t>(1, std::min<size_t>(max - hashes.size(), 255));
      const uint64_t start = input->ConsumeIntegral<uint32_t>();
      const int shift = kind == kCounterRun ? input->ConsumeIntegralInRange<int>(0, 63) : 0;
      for (size_t i = 0; i < count; ++i) {
        hashes.push_back(kind == kRandomRun ? RandomNumber(start, i) : (start + i) << shift);
      }
    }
  }
  return std::vector<uint64_t>(hashes.begin(), hashes.end());
}

// Exactly `size` bytes: some of the input, then one repeated byte or random ones.
inline std::string ConsumeContent(FuzzedDataProvider* input, size_t size) {
  const auto fill = input->ConsumeIntegral<uint16_t>();
  std::string content = input->ConsumeBytesAsString(input->ConsumeIntegralInRange<size_t>(0, size));
  if (fill <= 0xFF) {
    content.resize(size, static_cast<char>(fill));
    return content;
  }
  while (content.size() < size) {
    const uint64_t eight = RandomNumber(fill, content.size());
    content.append(reinterpret_cast<const char*>(&eight),
                   std::min(sizeof(eight), size - content.size()));
  }
  return content;
}

// In memory of its exact size, and with a null pointer if it is empty.
using Key = std::vector<char>;
inline std::string_view View(const Key& key) { return {key.data(), key.size()}; }

// All paths of XXH3 but one are for keys of up to 240 bytes.
constexpr size_t kMaxKeyBytes = 300;

inline Key ConsumeKey(FuzzedDataProvider* input) {
  const std::string bytes =
      input->ConsumeBytesAsString(input->ConsumeIntegralInRange<size_t>(0, kMaxKeyBytes));
  return Key(bytes.begin(), bytes.end());
}

inline Key BigEndianKey(uint64_t number) {
  Key key(8);
  for (size_t i = key.size(); i-- > 0; number >>= 8) key[i] = static_cast<char>(number & 0xFF);
  return key;
}

// n elements that end at an inaccessible page. One array of a type at a time.
template <typename T>
T* GuardedArray(size_t n) {
  constexpr size_t kMaxBytes = 4096;
  static tests::GuardedBytes region(kMaxBytes);
  return reinterpret_cast<T*>(region.RoomAtEnd(n * sizeof(T)));
}

// Most inputs get a few items, so that many inputs run in a second. One in eight gets up to `most`.
inline size_t ConsumeCount(FuzzedDataProvider* input, size_t few, size_t most) {
  const bool many = input->ConsumeIntegralInRange<int>(0, 7) == 7;
  return input->ConsumeIntegralInRange<size_t>(1, many ? most : few);
}

// Where bytes are placed so that a read outside is detected: in a heap block that ends with them,
// by ASan; next to an inaccessible page, by the processor, because ASan sees no gather
// instructions.
struct Place {
  enum Kind : uint8_t { kHeap, kBeforeGuard, kAfterGuard, kMaxValue = kAfterGuard };
  Kind kind;
  size_t offset;  // from a 64-byte boundary, kHeap only
};

inline Place ConsumePlace(FuzzedDataProvider* input) {
  return {input->ConsumeEnum<Place::Kind>(), input->ConsumeIntegralInRange<size_t>(0, 63)};
}

// A copy at that place. One at a time: the guarded region is shared.
class Placed {
 public:
  Placed(std::string_view bytes, const Place& place) : size_(bytes.size()) {
    constexpr size_t kGuardedBytes = size_t{64} << 10;
    static tests::GuardedBytes guarded(kGuardedBytes);
    if (place.kind == Place::kHeap || size_ > kGuardedBytes) {
      heap_.reset(new char[place.offset + size_]);
      data_ = heap_.get() + place.offset;
      bytes.copy(data_, size_);
    } else {
      const bool at_end = place.kind == Place::kBeforeGuard;
      data_ = const_cast<char*>((at_end ? guarded.AtEnd(bytes) : guarded.AtStart(bytes)).data());
    }
  }

  char* data() { return data_; }
  std::string_view view() const { return {data_, size_}; }

 private:
  std::unique_ptr<char[]> heap_;
  char* data_;
  size_t size_;
};

}  // namespace bloomline::fuzz

#endif  // BLOOMLINE_TESTS_FUZZ_FUZZ_INPUT_H_

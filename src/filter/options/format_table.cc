// The table of all formats. A new one is a row here, and in most cases a layout (CONTRIBUTING.md).
#include "src/filter/options/formats.h"

namespace bloomline::filter {
namespace {

constexpr BitsPerKeyRange kAnyBits = {kMinBitsPerKey, kMaxBitsPerKey};
constexpr BitsPerKeyRange kCompactBits = {kMinCompactBitsPerKey, kMaxCompactBitsPerKey};

constexpr bool kInLevelDB = true, kInRocksDB = true, kHasTrailer = true, kBitsAreMemory = true;

constexpr FormatRow kRows[] = {
    {Format::kClassic, "classic", "classic", kAnyBits, kInLevelDB, !kInRocksDB, !kHasTrailer},
    {Format::kBlocked, "blocked", "blocked", kAnyBits, kInLevelDB, kInRocksDB, kHasTrailer},
    {Format::kCompact, "compact", "compact", kCompactBits, kInLevelDB, kInRocksDB, kHasTrailer},
    {Format::kBloom, "bloom", "RocksDB Bloom", kAnyBits, !kInLevelDB, kInRocksDB, !kHasTrailer,
     kBitsAreMemory, "bloomfilter", ":false"},
    {Format::kRibbon, "ribbon", "RocksDB Ribbon", kAnyBits, !kInLevelDB, kInRocksDB, !kHasTrailer,
     !kBitsAreMemory, "ribbonfilter"}};

}  // namespace

constexpr FormatTable kFormats = {std::begin(kRows), std::end(kRows)};

}  // namespace bloomline::filter

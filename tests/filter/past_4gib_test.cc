// Filters past 4 GiB, 2^32 blocks and 2^32 keys: sizes by arithmetic, queries in address ranges
// whose memory exists only where keys are.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/sizing.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"
#include "src/filter/writer/filter_writer.h"
#include "src/sets/bloom_bits.h"
#include "src/sets/counter_blocks.h"
#include "src/sets/saved_filter.h"
#include "tests/support/each_kernel.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::past_4gib_test {
namespace {

using filter::FilterShape;
using filter::Layout;
using kernels::Kernel;

constexpr uint64_t k2To32 = uint64_t{1} << 32;

// The most bytes of a payload in RocksDB (src/engines/rocksdb/builder/table_plan.cc).
constexpr uint64_t kRocksDBMaxFilterBytes = 0xffffffc0;
constexpr uint64_t kRocksDBMaxPayloadBytes = kRocksDBMaxFilterBytes - filter::kTrailerBytes;

// Zeroed pages that take memory only where they are written.
class SparseMemory {
 public:
  explicit SparseMemory(uint64_t bytes) : bytes_(bytes) {
#ifdef BLOOMLINE_EMULATED
    return;  // an emulator may use memory for each page, also for absent ones
#endif
    if (bytes > SIZE_MAX) return;  // a 32-bit CPU
    void* memory = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    data_ = static_cast<char*>(memory);
    madvise(data_, bytes, MADV_NOHUGEPAGE);
  }
  ~SparseMemory() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  uint64_t bytes() const { return bytes_; }
  void Clear() const { madvise(data_, bytes_, MADV_DONTNEED); }
  char* data() const { return data_; }  // null: the system has no such range

 private:
  const uint64_t bytes_;
  char* data_ = nullptr;
};

// Numbers of units around 4 GiB of payload and around 2^32.
std::vector<uint64_t> UnitCounts(uint64_t unit_bytes) {
  const uint64_t at_4_gib = k2To32 / unit_bytes;
  return {at_4_gib - 1, at_4_gib, at_4_gib + 1, k2To32 - 1, k2To32, k2To32 + 1};
}

#define SKIP_WITHOUT(memory)      \
  if ((memory).data() == nullptr) \
  GTEST_SKIP() << "no range of " << (memory).bytes() << " addresses here"

// The part of the hashes that match, each queried in every way.
double PartThatMatches(std::string_view filter, const std::vector<uint64_t>& hashes) {
  size_t matches = 0;
  const auto may_match = std::make_unique<bool[]>(hashes.size());
  WithEachKernel([&] {
    const FilterView view = FilterView::Open(filter);
    view.MayMatchHashes(hashes.size(), hashes.data(), may_match.get());
    for (size_t i = 0; i < hashes.size(); ++i) {
      matches += may_match[i] ? 1 : 0;
      matches += view.MayMatchHash(hashes[i]) ? 1 : 0;
    }
  });
  return static_cast<double>(matches) /
         static_cast<double>(2 * SupportedKernels().size() * hashes.size());
}

// The filter of this shape in the memory matches all of `stored`, and few other hashes.
void ExpectKept(const SparseMemory& memory, const FilterShape& shape,
                const std::vector<uint64_t>& stored, double max_rate) {
  const size_t end_bytes = filter::EndBytes(shape);
  filter::EncodeEnd(shape, 7, end_bytes, memory.data() + shape.payload_bytes());
  const std::string_view filter(memory.data(), shape.payload_bytes() + end_bytes);
  const filter::Payload payload = filter::DecodeTrailer(filter);
  ASSERT_EQ(payload.layout, shape.layout);
  EXPECT_EQ(payload.num_blocks, shape.num_blocks);
  EXPECT_EQ(payload.payload_bytes(), shape.num_blocks * shape.block_bytes);
  EXPECT_EQ(PartThatMatches(filter, stored), 1);
  EXPECT_LT(PartThatMatches(filter, RandomHashes(5000, shape.num_blocks)), max_rate);
  memory.Clear();
}

TEST(Past4GiBTest, BlockedPayloadsKeepTheirKeys) {
  const SparseMemory memory((k2To32 + 1) * 64 + filter::kTrailerBytes);
  SKIP_WITHOUT(memory);
  uint64_t seed = 1;
  for (const uint64_t num_blocks : UnitCounts(64)) {
    SCOPED_TRACE(num_blocks);
    const FilterShape shape = FilterShape::Blocked(num_blocks, 6);
    std::vector<uint64_t> stored;
    for (const Kernel* kernel : SupportedKernels()) {
      const std::vector<uint64_t> hashes = HashesWithEdges(600, seed++);
      filter::LayoutRowFor(shape.layout)
          .insert(shape, *kernel, memory.data(), hashes.size(), hashes.data());
      stored.insert(stored.end(), hashes.begin(), hashes.end());
    }
    // The last block is where the highest hashes are.
    EXPECT_NE(std::string(memory.data() + (num_blocks - 1) * 64, 64), std::string(64, '\0'));
    ExpectKept(memory, shape, stored, 0.001);
  }
}

// The least y of which the first row is at least `row` (docs/format.md, section 3.5), found bit by
// bit: a division of 128 bits is not for every compiler.
uint64_t FirstOfRow(uint32_t row, uint32_t num_starts) {
  uint64_t first = 0;
  for (uint64_t bit = uint64_t{1} << 63; bit != 0; bit >>= 1) {
    if (stock::RibbonKey::Start(first + (bit - 1), num_starts) < row) first += bit;
  }
  return first;
}

// The last blocks of a filter of keys that start in them; empty without a solution.
std::string LastBlocks(const std::vector<uint64_t>& hashes, uint32_t num_starts,
                       uint32_t num_blocks, uint64_t columns) {
  using stock::RibbonKey;
  constexpr uint32_t kRows = stock::RibbonShape::kRowsPerBlock;
  struct Equation {
    std::bitset<kRows> bits;
    uint32_t result = 0;
  };
  std::vector<Equation> equations(num_blocks * kRows);
  const uint32_t first_row = num_starts - 1 - (num_blocks - 1) * kRows;
  for (const uint64_t hash : hashes) {
    const uint64_t seeded = RibbonKey::Seeded(hash, 0);
    const uint64_t mixed = RibbonKey::Mixed(seeded);
    size_t row = RibbonKey::Start(seeded, num_starts) - first_row;
    Equation key = {std::bitset<kRows>(mixed) << 64 |
                        std::bitset<kRows>((mixed ^ RibbonKey::kLowCoefficients) | 1),
                    RibbonKey::Fingerprint(mixed)};
    for (; key.bits.any(); key.bits >>= 1, ++row) {
      if (!key.bits[0]) continue;
      if (equations[row].bits.none()) {
        equations[row] = key;
        key = {};
        break;
      }
      key.bits ^= equations[row].bits;
      key.result ^= equations[row].result;
    }
    if (key.result != 0) return "";
  }
  std::vector<uint32_t> rows(equations.size() + kRows);
  for (size_t row = equations.size(); row-- != 0;) {
    rows[row] = equations[row].result;
    for (size_t j = 1; j < kRows; ++j) {
      if (equations[row].bits[j]) rows[row] ^= rows[row + j];
    }
  }
  std::string segments(num_blocks * columns * stock::RibbonShape::kSegmentBytes, '\0');
  for (size_t row = 0; row < equations.size(); ++row) {
    for (uint64_t column = 0; column < columns; ++column) {
      const size_t bit = (row / kRows * columns + column) * kRows + row % kRows;
      segments[bit / 8] =
          static_cast<char>(segments[bit / 8] | (rows[row] >> column & 1) << bit % 8);
    }
  }
  return segments;
}

// Only the last blocks are written, and all keys start there. Blocks of zeros match only
// fingerprints of zeros.
TEST(Past4GiBTest, RibbonPayloadsKeepTheirKeys) {
  constexpr uint32_t kBlocks = 8;
  constexpr uint64_t kMaxBlocks = (1 << 24) - 1;
  const SparseMemory memory(kMaxBlocks * 32 * 16 + 100);
  SKIP_WITHOUT(memory);
  uint64_t inverse = stock::RibbonKey::kSeedFactor;  // modulo 2^64
  for (int i = 0; i < 5; ++i) inverse *= 2 - inverse * stock::RibbonKey::kSeedFactor;
  for (const uint64_t num_blocks :
       {k2To32 / 16 / 32 - 1, k2To32 / 16 / 32, k2To32 / 16 / 32 + 1, kMaxBlocks - 1, kMaxBlocks}) {
    for (const uint64_t columns : {31, 32}) {
      SCOPED_TRACE(testing::Message() << num_blocks << " blocks, " << columns << " columns");
      const FilterShape shape =
          FilterShape::Ribbon(num_blocks * columns, static_cast<uint32_t>(num_blocks));
      const stock::RibbonShape of(shape.row_blocks, shape.payload_bytes());
      const uint32_t first_row =
          of.num_starts - 1 - (kBlocks - 1) * stock::RibbonShape::kRowsPerBlock;
      const uint64_t least = FirstOfRow(first_row, of.num_starts);
      std::mt19937_64 random(num_blocks);
      std::vector<uint64_t> stored;
      for (int i = 0; i < 700; ++i) {
        const uint64_t y = i == 0 ? least : i == 1 ? UINT64_MAX : least + random() % -least;
        stored.push_back(y * inverse);
      }
      const std::string solved = LastBlocks(stored, of.num_starts, kBlocks, columns);
      ASSERT_FALSE(solved.empty());
      std::copy(solved.begin(), solved.end(),
                memory.data() + shape.payload_bytes() - solved.size());
      ExpectKept(memory, shape, stored, 1e-3);
    }
  }
}

TEST(Past4GiBTest, BloomFiltersOfEachLayoutKeepTheirKeys) {
  const SparseMemory memory((k2To32 + 1) * 64);
  SKIP_WITHOUT(memory);
  uint64_t seed = 1;
  for (const BloomLayout layout : {BloomLayout::kBlocked, BloomLayout::kStandard,
                                   BloomLayout::kBlocked128, BloomLayout::kBlocked64}) {
    for (const uint64_t num_lines : UnitCounts(64)) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(layout) << " " << num_lines);
      WithEachKernel([&] {
        const std::vector<uint64_t> hashes = HashesWithEdges(300, seed++);
        const std::vector<uint64_t> others = RandomHashes(500, seed++);
        const auto answers = std::make_unique<bool[]>(others.size());
        for (const sets::Threads threads : {sets::Threads::kOne, sets::Threads::kMany}) {
          const sets::BloomBits bits({layout, 6, num_lines, 0}, memory.data(), threads);
          const auto ask = [&](const std::vector<uint64_t>& of) {
            sets::MayMatchKeys(bits, of.size(), filter::GivenHash{of.data()}, answers.get());
            return std::count(answers.get(), answers.get() + of.size(), true);
          };
          EXPECT_EQ(ask(hashes), 0);
          sets::AddKeys(bits, hashes.size(), filter::GivenHash{hashes.data()}, nullptr);
          EXPECT_EQ(ask(hashes), 300);
          for (const uint64_t hash : hashes) {
            EXPECT_TRUE(bits.functions.may_match(bits.lines(), hash));
            EXPECT_FALSE(bits.functions.add(bits.lines(), hash));
          }
          EXPECT_LT(ask(others), 2);
          memory.Clear();
        }
      });
    }
  }
}

TEST(Past4GiBTest, CountersKeepTheirKeys) {
  const SparseMemory memory((k2To32 + 1) * 64);
  SKIP_WITHOUT(memory);
  uint64_t seed = 1;
  for (const int counter_bits : {4, 8}) {
    for (const uint64_t num_lines : UnitCounts(64)) {
      SCOPED_TRACE(testing::Message() << counter_bits << " " << num_lines);
      const sets::CounterBlocks lines = {reinterpret_cast<unsigned char*>(memory.data()), num_lines,
                                         counter_bits, 6};
      const std::vector<uint64_t> hashes = HashesWithEdges(300, seed++);
      bool answers[300];
      uint64_t saturated = 0;
      const auto count = [&] { return std::count(answers, answers + 300, true); };
      lines.AddMany(300, hashes.data(), answers, &saturated);
      EXPECT_GE(count(), 298);
      lines.MayMatchMany(300, hashes.data(), answers);
      EXPECT_EQ(count(), 300);
      lines.RemoveMany(300, hashes.data(), answers);
      EXPECT_EQ(count(), 300);
      lines.MayMatchMany(300, hashes.data(), answers);
      EXPECT_EQ(count(), 0);
      memory.Clear();
    }
  }
}

TEST(Past4GiBTest, LevelDBPayloads) {
  const SparseMemory memory(k2To32 + 65);
  SKIP_WITHOUT(memory);
  const auto decoded = [&](uint64_t payload_bytes, unsigned char code) {
    memory.data()[payload_bytes] = static_cast<char>(code);
    const filter::Payload payload =
        filter::DecodeLevelDB({memory.data(), static_cast<size_t>(payload_bytes + 1)});
    memory.data()[payload_bytes] = 0;
    return payload;
  };
  // Flat positions have 32 bits: from 2^29 bytes on it matches everything.
  EXPECT_EQ(decoded((uint64_t{1} << 29) - 1, 0x86).layout, Layout::kFlat);
  EXPECT_EQ(decoded(uint64_t{1} << 29, 0x86).layout, Layout::kAlwaysMatch);
  EXPECT_EQ(decoded(k2To32 + 7, 0x86).layout, Layout::kAlwaysMatch);
  const filter::Payload blocked = decoded(k2To32 + 64, 0xA5);
  EXPECT_EQ(blocked.layout, Layout::kBlocked);
  EXPECT_EQ(blocked.num_blocks, k2To32 / 64 + 1);
  EXPECT_EQ(decoded(k2To32 + 64, 6).layout, Layout::kClassic);
  EXPECT_EQ(decoded(k2To32 + 64, 6).payload_bytes(), k2To32 + 64);
}

// On a 32-bit CPU no filter in memory is this large: it is refused, and nothing wraps.
TEST(Past4GiBTest, SavedFiltersAreMappedOrRefused) {
  constexpr uint64_t kBytes = k2To32 + 64;
  auto fields = sets::FileHeader::New(sets::kBloomMagic);
  fields.SetByte(13, 6);             // num_probes
  fields.SetNumber(24, kBytes * 8);  // num_bits
  fields.Seal();
  const TempDir dir;
  const std::string path = dir.Path("filter");
  std::ofstream(path, std::ios::binary).write(fields.bytes(), sets::kFileHeaderBytes);
  const uint64_t file_bytes = sets::kFileHeaderBytes + kBytes;
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(file_bytes)), 0);
  std::string error;
  const auto mapped = MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kHeader, &error);
  if (sizeof(size_t) == 8) {
    ASSERT_NE(mapped, nullptr) << error;
    EXPECT_EQ(mapped->num_bits(), kBytes * 8);
    EXPECT_FALSE(mapped->MayMatchHash(UINT64_MAX));
    return;
  }
  EXPECT_EQ(mapped, nullptr);
  EXPECT_EQ(error, path + ": cannot map 4294967424 bytes: Cannot allocate memory");
  const char* const refused = "out of memory: 4294967360 bytes for the filter's bits";
  EXPECT_EQ(BloomFilter::Load(path, &error), nullptr);
  EXPECT_EQ(error, refused);
  BloomFilterOptions options;
  options.num_bits = kBytes * 8;
  options.num_probes = 6;
  EXPECT_EQ(BloomFilter::Create(options, &error), nullptr);
  EXPECT_EQ(error, refused);
}

// ---- Sizes

constexpr Format kFormats[] = {Format::kBlocked, Format::kRibbon};

TEST(Past4GiBTest, SizesFollowTheKeysAndNeverWrap) {
  for (const Format format : kFormats) {
    for (const double bits_per_key : {3.0, 8.0, 10.0, 24.0}) {
      uint64_t before = 0;
      for (const uint64_t num_keys :
           {k2To32 / 8 - 1, k2To32 / 8, k2To32 / 8 + 1, k2To32 - 1, k2To32, k2To32 + 1,
            8 * k2To32 - 1, 8 * k2To32, 64 * k2To32 + 1, uint64_t{1} << 50, uint64_t{1} << 62,
            UINT64_MAX - 1, UINT64_MAX}) {
        SCOPED_TRACE(testing::Message()
                     << FormatName(format) << " " << bits_per_key << " " << num_keys);
        const FilterShape shape =
            filter::StandaloneShape(format, {num_keys, bits_per_key, filter::kTrailerBytes});
        EXPECT_GE(shape.payload_bytes(), before);
        before = shape.payload_bytes();
        if (num_keys > uint64_t{1} << 50) continue;
        EXPECT_NEAR(static_cast<double>(shape.payload_bytes()),
                    static_cast<double>(num_keys) * bits_per_key / 8, 100);
        EXPECT_EQ(FilterBytes(format, num_keys, bits_per_key),
                  shape.payload_bytes() + filter::EndBytes(shape));
      }
    }
  }
  EXPECT_EQ(filter::kFlatRow.leveldb_shape({k2To32 + 1, 10}).payload_bytes(),
            (k2To32 + 1) * 10 / 8 + 1);
  EXPECT_GE(filter::kFlatRow.leveldb_shape({UINT64_MAX, 100}).payload_bytes(), uint64_t{1} << 63);
}

TEST(Past4GiBTest, LevelDBSizesOfTheMostKeysItCanPass) {
  constexpr uint64_t kMaxKeys = INT32_MAX;
  for (const double bits_per_key : {1.0, 10.0, 100.0}) {
    const FilterShape shape = filter::LevelDBShapes(Format::kBlocked, bits_per_key).For(kMaxKeys);
    EXPECT_EQ(shape.layout, Layout::kBlocked);
    EXPECT_NEAR(static_cast<double>(shape.payload_bytes()),
                static_cast<double>(kMaxKeys) * bits_per_key / 8, 64);
  }
  // More blocks than its code can express: blocked instead.
  EXPECT_EQ(filter::kSmallSetRow.leveldb_shape({kMaxKeys, 10}).layout, Layout::kAlwaysMatch);
}

TEST(Past4GiBTest, RocksDBFiltersAreCutToItsLengths) {
  for (const Format format : kFormats) {
    for (const double bits_per_key : {3.0, 10.0, 24.0}) {
      const auto keys_at_cap = static_cast<uint64_t>(8.0 * kRocksDBMaxFilterBytes / bits_per_key);
      for (const uint64_t num_keys : {keys_at_cap - 100, keys_at_cap, keys_at_cap + 100, k2To32 - 1,
                                      k2To32, k2To32 + 1, uint64_t{1} << 40, UINT64_MAX}) {
        SCOPED_TRACE(testing::Message() << FormatName(format) << " " << num_keys);
        const FilterShape shape = filter::StandaloneShape(
            format, {num_keys, bits_per_key, filter::kTrailerBytes, kRocksDBMaxPayloadBytes});
        const uint64_t bytes = shape.payload_bytes() + filter::EndBytes(shape);
        EXPECT_LE(bytes, kRocksDBMaxFilterBytes);
        EXPECT_TRUE(num_keys < keys_at_cap + 100 || bytes > kRocksDBMaxFilterBytes - 128);
      }
    }
    // One block or segment, whatever the limit is.
    const FilterShape least = filter::StandaloneShape(format, {100, 10, filter::kTrailerBytes, 1});
    EXPECT_EQ(least.payload_bytes(),
              format == Format::kBlocked ? 64 : 16 + filter::kRowsFieldBytes);
  }
}

// Also with several entries for each key.
TEST(Past4GiBTest, RangeEntriesTakeAtMostHalf) {
  constexpr uint64_t kMost = k2To32 / 2;
  for (const Format format : kFormats) {
    for (const double bits_per_entry : {1.5, 3.0, 20.0}) {
      const auto entries_at_most = static_cast<uint64_t>(8.0 * kMost / bits_per_entry);
      for (const uint64_t num_entries : {entries_at_most - 100, entries_at_most,
                                         entries_at_most + 100, 8 * k2To32, UINT64_MAX}) {
        SCOPED_TRACE(testing::Message() << FormatName(format) << " " << num_entries);
        const uint64_t bytes =
            filter::EntriesShape(format, num_entries, bits_per_entry).payload_bytes();
        EXPECT_LE(bytes, kMost);
        EXPECT_GT(bytes, kMost - 256);
      }
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::past_4gib_test

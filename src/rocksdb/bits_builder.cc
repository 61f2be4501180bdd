#include "src/rocksdb/bits_builder.h"

#include <cstdio>
#include <mutex>
#include <new>
#include <string>

#include "bloomline/sizing.h"
#include "src/core/format.h"
#include "src/core/payload.h"
#include "src/rocksdb/slice_view.h"

namespace bloomline {
namespace {

// RocksDB cuts filter lengths to 32 bits.
constexpr uint64_t kMaxPayloadBytes = 0xffffffc0 - core::kTrailerBytes;

// What a reader answers "may match" to, and not empty. Static, so it can be had out of memory.
constexpr char kAlwaysMatch[6] = {};

// RocksDB has no place for such an error: a status other than Corruption ends a debug build. Said
// once, because it may hold for each file that follows.
void ReportUselessFilter(const std::string& error) {
  static std::once_flag reported;
  std::call_once(reported, [&] {
    std::fprintf(stderr, "bloomline: RocksDB filters that match everything are written: %s\n",
                 error.c_str());
  });
}

}  // namespace

RocksDBBitsBuilder::RocksDBBitsBuilder(const FilterOptions& options, bool verify)
    : writer_(options, kMaxPayloadBytes), verify_(verify) {
  if (verify) writer_.KeepChecksum();
}

__attribute__((flatten)) void RocksDBBitsBuilder::AddKey(const Slice& key) {
  writer_.AddKey(View(key));
}

void RocksDBBitsBuilder::AddKeyAndAlt(const Slice& key, const Slice& alt) {
  writer_.AddKeyAndPrefix(View(key), View(alt));
}

size_t RocksDBBitsBuilder::EstimateEntriesAdded() { return writer_.num_entries(); }

ROCKSDB_NAMESPACE::Slice RocksDBBitsBuilder::Finish(std::unique_ptr<const char[]>* buf) {
  return Finish(buf, nullptr);
}

ROCKSDB_NAMESPACE::Slice RocksDBBitsBuilder::Finish(std::unique_ptr<const char[]>* buf,
                                                    Status* status) {
  if (status != nullptr) *status = Status::OK();
  unverified_.Clear();
  if (writer_.num_entries() == 0 && writer_.error().empty()) return Slice();
  if (!writer_.error().empty()) ReportUselessFilter(writer_.error());
  const bool intact = !verify_ || writer_.HashesAreIntact();
  const uint64_t num_bytes = writer_.FinishedBytes();
  char* bytes = intact ? new (std::nothrow) char[num_bytes] : nullptr;
  if (bytes == nullptr) {
    if (!intact && status != nullptr) {
      *status = Status::Corruption(
          "bloomline: a key's hash changed in memory before the filter was built");
    }
    writer_.Reset();
    return Slice(kAlwaysMatch, sizeof(kAlwaysMatch));
  }
  writer_.FinishTo(bytes, 1, verify_ ? &unverified_ : nullptr);
  buf->reset(bytes);
  return Slice(bytes, num_bytes);
}

ROCKSDB_NAMESPACE::Status RocksDBBitsBuilder::MaybePostVerify(const Slice& filter) {
  const core::Payload payload = core::DecodeStandalone(View(filter));
  size_t lost = 0;
  unverified_.ForEach([&](uint64_t hash) {
    lost += core::HashMayMatch(payload, kernels::ActiveKernel(), hash) ? 0 : 1;
  });
  const size_t asked = unverified_.size();
  unverified_.Clear();
  if (lost == 0) return Status::OK();
  return Status::Corruption("bloomline: the finished filter lost " + std::to_string(lost) + " of " +
                            std::to_string(asked) + " keys");
}

size_t RocksDBBitsBuilder::ApproximateNumEntries(size_t bytes) { return writer_.MaxEntries(bytes); }

size_t RocksDBBitsBuilder::CalculateSpace(size_t num_entries) {
  return FilterBytes(writer_.options().format, num_entries, writer_.options().bits_per_key);
}

double RocksDBBitsBuilder::EstimatedFpRate(size_t num_entries, size_t bytes) {
  if (num_entries == 0) return 0;
  if (bytes <= core::kTrailerBytes) return 1;
  const int num_probes = OptimalNumProbes(writer_.options().format, writer_.options().bits_per_key);
  const double paid_bits = 8 * static_cast<double>(bytes - core::kTrailerBytes);
  const double bits_per_key = paid_bits / static_cast<double>(num_entries);
  switch (writer_.options().format) {
    case Format::kClassic:
      return ClassicFalsePositiveRate(bits_per_key, num_probes);
    case Format::kBlocked:
      return BlockedFalsePositiveRate(bits_per_key, num_probes);
    case Format::kCompact:
      break;
  }
  return CompactFalsePositiveRate(bits_per_key);
}

}  // namespace bloomline

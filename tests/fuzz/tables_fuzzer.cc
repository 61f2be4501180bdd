// Tables of LevelDB and RocksDB: any bytes are refused with a reason, or give entries and filters.
// Checksums are not looked at, or no change would reach the code behind them.
#include <sys/mman.h>
#include <unistd.h>

#include "src/inspect/sstable/table.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

using sstable::Table;

// The path of a file in memory with these bytes. Always the same file, created once.
const std::string& FileOf(const uint8_t* data, size_t size) {
  static const int descriptor = memfd_create("table", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const bool emptied = ftruncate(descriptor, 0) == 0;
  const ssize_t written = pwrite(descriptor, data, size, 0);
  Require(emptied && written == static_cast<ssize_t>(size), "the system has a file in memory");
  return path;
}

// Reads all of it, so that a sanitizer sees bytes that are not there.
void Touch(std::string_view bytes) {
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  Require(sum < ~0u, "a sum is a sum");
}

void ReadAll(const Table& table) {
  std::string error;
  const auto filters = table.NewFilterReader(&error);
  Require((filters == nullptr) == !error.empty(), "no reader, and only then an error");
  const uint64_t num_filters = filters == nullptr ? 0 : filters->num_filters();
  for (uint64_t i = 0; i < num_filters; ++i) {
    std::string_view bytes;
    if (filters->Read(i, &bytes, &error)) Touch(bytes);
  }
  error.clear();
  const auto keys = table.NewKeyReader(&error);
  Require((keys == nullptr) == !error.empty(), "no reader, and only then an error");
  if (keys == nullptr) return;
  while (keys->Next()) {
    Touch(keys->user_key());
    Touch(keys->value());
    if (filters == nullptr) continue;
    const uint64_t filter =
        filters->FilterOf(keys->user_key(), keys->sequence(), keys->block_offset());
    Require(filter < num_filters || filter >= Table::FilterReader::kUnknownFilter,
            "a key's filter is one of the table's");
  }
  Require(!keys->Next(), "an end stays an end");
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline;
  sstable::OpenOptions options;
  options.verify_checksums = false;
  std::string error;
  const auto table = sstable::Table::Open(fuzz::FileOf(data, size), options, &error);
  fuzz::Require((table == nullptr) == !error.empty(), "no table, and only then an error");
  if (table != nullptr) fuzz::ReadAll(*table);
  return 0;
}

// What src/inspect/database reads: MANIFESTs, OPTIONS, statistics. Any bytes are refused with a
// reason, or give something.
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "src/inspect/database/database.h"
#include "src/inspect/database/filter_names.h"
#include "src/inspect/database/info_log.h"
#include "src/inspect/database/manifest.h"
#include "src/inspect/database/options_file.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/inspect/manifest_writer.h"

namespace bloomline::fuzz {
namespace {

// The path of a file in memory with these bytes. Always the same file, created once.
const std::string& FileOf(std::string_view bytes) {
  static const int descriptor = memfd_create("manifest", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const bool emptied = ftruncate(descriptor, 0) == 0;
  const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), 0);
  Require(emptied && written == static_cast<ssize_t>(bytes.size()),
          "the system has a file in memory");
  return path;
}

void ReadFile(std::string_view bytes) {
  database::Manifest manifest;
  bool vanished = true;
  std::string error;
  const bool ok = database::ReadManifest(FileOf(bytes), &manifest, &vanished, &error);
  Require(ok == error.empty() && !vanished, "an error, or none");
  for (const auto& [id, family] : manifest.live.families()) {
    for (const auto& [number, file] : family.files) {
      Require(number == file.number && file.level >= 0 && file.level < 256, "a table of a level");
      Require(file.path_id < 4, "a folder that there can be");
    }
  }
}

// Records with the right checksums, each behind its length, so that changes reach their fields.
void ReadRecords(std::string_view bytes) {
  tests::ManifestWriter writer;
  while (!bytes.empty()) {
    const size_t size = static_cast<unsigned char>(bytes[0]);
    writer.Add(bytes.substr(1, size));
    bytes.remove_prefix(bytes.size() < size + 1 ? bytes.size() : size + 1);
  }
  ReadFile(writer.bytes());
}

void ReadOptions(std::string_view text) {
  database::OptionsFile options;
  database::ParseOptionsFile(text, &options);
  database::FilterBlock block;
  block.name = "rocksdb.BuiltinBloomFilter";
  block.is_bloomline = text.size() % 2 == 0;
  for (const auto& [name, values] : options.column_families) {
    for (const auto& [option, value] : values) {
      Require(database::OptionIn(value, "a").size() <= value.size(), "a part of the value");
      database::UseOf(value, block);
    }
  }
}

void ReadStatistics(const std::string& text) {
  database::Tickers tickers;
  std::string error;
  const bool ok = database::ParseTickers(text, &tickers, &error);
  Require(ok == error.empty() && ok == !tickers.empty(), "tickers, or an error");
  std::string dump;
  if (database::WholeDump(text, &dump)) {
    Require(dump.size() <= text.size(), "a part of the text");
    database::ParseDump(dump, &tickers);
    Require(!tickers.empty(), "a dump has tickers");
  }
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      fuzz::ReadFile(bytes);
      break;
    case 1:
      fuzz::ReadRecords(bytes);
      break;
    case 2:
      fuzz::ReadOptions(bytes);
      break;
    default:
      fuzz::ReadStatistics(std::string(bytes));
  }
  return 0;
}

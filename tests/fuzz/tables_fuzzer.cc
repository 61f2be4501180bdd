// What `bloomline db` reads of databases: tables, MANIFESTs, OPTIONS. Any bytes are refused with a
// reason or read to their end, and what is read leads nowhere outside of it. Tables and MANIFESTs
// are also written anew.
#include "src/db/rewrite/new_manifest.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/db/survey/key_walk.h"
#include "src/db/tables/bytes/checksum.h"
#include "src/db/tables/table.h"
#include "src/db/tree/manifest.h"
#include "src/db/tree/options_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

using tables::Table;
using FilterReader = Table::FilterReader;

// Small blocks can have millions of entries, which share bytes.
constexpr int kMaxEntries = 2000;
constexpr uint64_t kMaxFilters = 200;

void RequireReason(bool succeeded, std::string* error) {
  Require(succeeded == error->empty(), "what fails has a reason, and only that");
  error->clear();
}

void CheckFilters(const Table& table, const std::vector<std::string>& keys) {
  std::string error;
  db::TableFilters filters;
  const bool opened = filters.Init(table, &error);
  RequireReason(opened, &error);
  if (!opened) return;
  for (uint64_t i = 0; i < std::min(filters.reader().num_filters(), kMaxFilters); ++i) {
    const engine_filters::EngineFilter* const filter = filters.At(i, &error);
    RequireReason(filter != nullptr, &error);
    if (filter == nullptr) continue;
    for (const std::string& key : keys) {
      Require(filter->MayMatch(key) || filter->CanQuery(), "the unknown matches every key");
    }
  }
  for (const std::string& key : keys) {
    const uint64_t index = filters.reader().FilterOf(key, FilterReader::kMaxSequence, 0);
    Require(index < filters.reader().num_filters() || index == FilterReader::kNoFilter ||
                index == FilterReader::kUnknownFilter,
            "a key leads to a filter of the table");
  }
}

void CheckTable(const std::string& path, bool verify_checksums, uint64_t skip) {
  tables::OpenOptions options;
  options.verify_checksums = verify_checksums;
  std::string error;
  const auto table = Table::Open(path, options, &error);
  RequireReason(table != nullptr, &error);
  if (table == nullptr) return;
  std::vector<std::string> keys = {"", "key"};
  const auto reader = table->NewKeyReader(&error);
  RequireReason(reader != nullptr, &error);
  for (int i = 0; reader != nullptr && i < kMaxEntries && reader->Next(); ++i) {
    if (keys.size() < 20) keys.emplace_back(reader->user_key());
    Require(reader->block_offset() < table->file_bytes(), "a block is in its file");
    const std::string_view value = reader->value();
    if (!value.empty()) keys[0].assign(1, value.back());  // it can be read
    if (skip > 0 && i % 4 == 3) reader->SkipBlocks(skip);
  }
  if (table->filter_kind() != tables::FilterKind::kNone) CheckFilters(*table, keys);
}

// Gives the table a new filter, and reads what was written.
void CheckRewriting(const std::string& bytes, bool verify_checksums, Format format,
                    tables::Engine engine) {
  const std::string path = FileOf(bytes);
  const db::TableSource source{path, "", bytes.size(), engine, verify_checksums};
  std::string error;
  bool knows_new_bloom;
  RequireReason(db::CheckTable(source, &knows_new_bloom, &error) == db::Outcome::kDone, &error);
  db::TableRewrite rewrite;
  rewrite.format = format;
  support::OutputBytes written(bytes.size());
  db::RewrittenTable result;
  const db::Outcome outcome = db::RewriteTable(source, rewrite, &written, &result, &error);
  RequireReason(outcome == db::Outcome::kDone, &error);
  if (outcome != db::Outcome::kDone) return;
  Require(result.bytes == written.bytes()->size(), "a new table has the size that was told");
  const bool is_right = db::CheckRewrittenTable(FileOf(*written.bytes()), source, result, &error) ==
                        db::Outcome::kDone;
  RequireReason(is_right, &error);
  Require(is_right || !verify_checksums, "a sound table stays one");
}

// A log of these records, with right checksums.
std::string LogOf(const std::vector<std::string>& records) {
  constexpr size_t kBlockBytes = 32768;
  constexpr size_t kHeaderBytes = 7;
  std::string log;
  for (const std::string& record : records) {
    const size_t left = kBlockBytes - log.size() % kBlockBytes;
    if (left < kHeaderBytes + record.size()) log.append(left, '\0');
    const std::string bytes = '\1' + record;  // kFull
    const uint32_t crc = tables::MaskCrc32c(tables::Crc32c(bytes.data(), bytes.size()));
    for (int shift = 0; shift < 32; shift += 8) log += static_cast<char>(crc >> shift & 255);
    log += static_cast<char>(record.size() & 255);
    log += static_cast<char>(record.size() >> 8);
    log += bytes;
  }
  return log;
}

void CheckManifest(const std::string& path) {
  tree::LiveFiles live;
  std::string error;
  const bool is_read = tree::ReadManifest(path, &live, &error);
  RequireReason(is_read, &error);
  support::OutputBytes written(0);
  const bool is_written = db::WriteManifest(path, {}, 1, &written, &error);
  RequireReason(is_written, &error);
  Require(is_read || !is_written, "only what can be read is written");
  for (const auto& [number, family] : live.families()) {
    for (const auto& [file_number, file] : family.files) {
      Require(file_number == file.number, "a file is under its number");
    }
  }
}

void CheckOptions(const std::string& text) {
  tree::OptionsFile options;
  tree::ParseOptionsFile(text, &options);
  for (const auto& [family, values] : options.families) {
    for (const auto& [name, value] : values) {
      Require(tree::OptionId(value).size() <= value.size(), "an id is a part of its value");
    }
  }
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) try {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  switch (input.ConsumeIntegralInRange<int>(0, 3)) {
    case 0: {
      const bool verify_checksums = input.ConsumeBool();
      const auto skip = input.ConsumeIntegralInRange<uint64_t>(0, 3);
      const std::string bytes = input.ConsumeRemainingBytesAsString();
      CheckTable(FileOf(bytes), verify_checksums, skip);
      using bloomline::Format;
      constexpr Format kInRocksDB[] = {Format::kBloom, Format::kRibbon, Format::kBlocked,
                                       Format::kBlocked};
      constexpr Format kInLevelDB[] = {Format::kClassic, Format::kClassic, Format::kBlocked,
                                       Format::kCompact};
      CheckRewriting(bytes, verify_checksums, kInRocksDB[skip],
                     bloomline::tables::Engine::kRocksDB);
      CheckRewriting(bytes, verify_checksums, kInLevelDB[skip],
                     bloomline::tables::Engine::kLevelDB);
      break;
    }
    case 1: {
      constexpr size_t kMaxRecordBytes = 30000;
      std::vector<std::string> records;
      while (input.remaining_bytes() > 0) {
        records.push_back(input.ConsumeRandomLengthString(kMaxRecordBytes));
      }
      CheckManifest(FileOf(LogOf(records)));
      break;
    }
    case 2:
      CheckManifest(FileOf(input.ConsumeRemainingBytesAsString()));
      break;
    default:
      CheckOptions(input.ConsumeRemainingBytesAsString());
  }
  return 0;
} catch (const bloomline::tables::MemoryError&) {
  return 0;
}

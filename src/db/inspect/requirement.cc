#include "src/db/inspect/requirement.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/db/report.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using engine_filters::Container;
using engine_filters::Kind;

constexpr Format kFormats[] = {Format::kClassic, Format::kBlocked, Format::kCompact, Format::kBloom,
                               Format::kRibbon};
// Kinds hardly depend on it, but shapes need a number.
constexpr double kAnyBits = 10;
// Up to this many keys, RocksDB writes a Bloom filter instead of a Ribbon filter if that is
// smaller.
constexpr double kMaxKeysOfFallback = 1024;
constexpr size_t kMaxPaths = 20;

double MeanKeys(const FileFacts& facts) {
  return static_cast<double>(facts.num_keys) /
         static_cast<double>(std::max<uint64_t>(facts.num_filters, 1));
}

}  // namespace

Requirement::Requirement(Format format, std::optional<double> bits_per_key)
    : format_(format), bits_per_key_(bits_per_key) {
  const double bits = bits_per_key.value_or(kAnyBits);
  leveldb_kinds_ = engine_filters::KindsFor(Container::kLevelDB, format, bits);
  rocksdb_kinds_ = engine_filters::KindsFor(Container::kRocksDB, format, bits);
}

std::optional<Requirement> Requirement::Parse(const std::string& text, std::string* error) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::string allowed;
  for (const Format format : kFormats) {
    allowed += (allowed.empty() ? "" : ", ") + std::string(FormatName(format));
    if (name != FormatName(format)) continue;
    if (colon == std::string::npos) return Requirement(format, std::nullopt);
    const BitsPerKeyRange range = AllowedBitsPerKey(format);
    const std::optional<double> bits =
        cli::ParseNumber(text.substr(colon + 1), range.min, range.max, error);
    if (!bits.has_value()) {
      *error += " bits per key";
      return std::nullopt;
    }
    return Requirement(format, bits);
  }
  *error = support::Quoted(name) + "; allowed: " + allowed + ", also with bits per key: blocked:10";
  return std::nullopt;
}

std::string Requirement::Text() const {
  std::string text = std::string(FormatName(format_)) + " filters";
  if (bits_per_key_.has_value()) {
    text += " with " + support::DoubleText(*bits_per_key_) + " bits per key";
  }
  return text;
}

bool Requirement::HasKind(const FileFacts& facts) const {
  const auto& kinds = facts.engine == sstable::Engine::kLevelDB ? leveldb_kinds_ : rocksdb_kinds_;
  return std::all_of(facts.kinds.begin(), facts.kinds.end(), [&](const auto& kind) {
    if (kind.first == Kind::kNoKeys || kinds.count(kind.first) != 0) return true;
    return format_ == Format::kRibbon && kind.first == Kind::kRocksDBBloom &&
           MeanKeys(facts) <= kMaxKeysOfFallback;
  });
}

bool Requirement::HasBits(const FileFacts& facts) const {
  if (!bits_per_key_.has_value()) return true;
  const double wanted = engine_filters::FilterBytes(format_, *bits_per_key_, facts.num_keys);
  // RocksDB's filters have whole blocks and a trailer, LevelDB's whole bytes and a code.
  const double per_filter = facts.engine == sstable::Engine::kLevelDB ? 2 : 84;
  const double tolerated = 0.15 * wanted + per_filter * static_cast<double>(facts.num_filters);
  const auto bytes = static_cast<double>(facts.filter_bytes - facts.ranges.entry_bytes);
  return std::abs(bytes - wanted) <= tolerated;
}

bool Requirement::IsMetBy(const FileFacts& facts) const {
  if (!facts.has_filter()) return facts.num_keys == 0;
  return HasKind(facts) && HasBits(facts);
}

std::vector<size_t> FilesThatMiss(const Requirement& requirement, const Inputs& inputs,
                                  const std::vector<InspectedFile>& files) {
  std::vector<size_t> misses;
  for (size_t i = 0; i < files.size(); ++i) {
    if (inputs.files[i].state != FileState::kDone) continue;
    if (!requirement.IsMetBy(files[i].facts)) misses.push_back(i);
  }
  return misses;
}

void PrintMisses(const Requirement& requirement, const Inputs& inputs,
                 const std::vector<InspectedFile>& files, const std::vector<size_t>& misses,
                 bool with_all) {
  Group all;
  Group without;
  for (size_t i = 0; i < files.size(); ++i) {
    if (inputs.files[i].state != FileState::kDone) continue;
    all.Add(files[i], inputs.file(inputs.files[i]).bytes);
  }
  for (const size_t i : misses) without.Add(files[i], inputs.file(inputs.files[i]).bytes);
  std::cout << '\n';
  cli::PrintLine("required: " + requirement.Text() + "; missing in " +
                 cli::CountText(misses.size()) + " of " + FilesText(all.files) + " (" +
                 ShareText(without.bytes, all.bytes) + " of the data)");
  size_t listed = 0;
  for (const size_t i : misses) {
    if (listed++ == kMaxPaths && !with_all) {
      cli::PrintLine("  and " + cli::CountText(misses.size() - kMaxPaths) +
                     " more, which --files lists");
      return;
    }
    const FileRef& ref = inputs.files[i];
    Group group;
    group.Add(files[i], inputs.file(ref).bytes);
    const double bits = group.bits_per_key();
    cli::PrintLine("  " + FileText(inputs, ref) + ": level " + LevelText(inputs.file(ref).level) +
                   ", " + KindsText(files[i].facts.kinds) +
                   (bits >= 0 ? ", " + cli::NumberText(bits, 2) + " bits per key" : ""));
  }
}

cli::Json MissesJson(const Requirement& requirement, const Inputs& inputs,
                     const std::vector<size_t>& misses) {
  cli::Json paths = cli::Json::array();
  for (const size_t i : misses) paths.push_back(inputs.file(inputs.files[i]).path);
  const std::optional<double> bits = requirement.bits_per_key();
  return {{"format", FormatName(requirement.format())},
          {"bits_per_key", bits.has_value() ? cli::Json(*bits) : cli::Json(nullptr)},
          {"missing_in", std::move(paths)}};
}

}  // namespace bloomline::db

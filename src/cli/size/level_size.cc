// What `bloomline size --levels` computes and prints (size.h).
#include <algorithm>
#include <cmath>
#include <iostream>

#include "bloomline/filter_options.h"
#include "bloomline/level_sizing.h"
#include "bloomline/sizing.h"
#include "src/cli/shared/commands.h"
#include "src/cli/shared/json.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/size/size.h"
#include "src/filter/sizing/memory_division.h"

namespace bloomline::cli {
namespace {

struct LevelRow {
  uint64_t num_keys;
  double runs;
  double bits_per_key;  // 0: no filter
  uint64_t bytes;
  double rate;  // false positives of a run; without a filter 1
};

struct LevelSize {
  std::string name;
  std::string problem;  // if not empty: why the figures below are missing
  std::string note;
  std::vector<LevelRow> levels;
  uint64_t num_keys = 0;
  double bits_per_key = 0;
  uint64_t bytes = 0;
  double wasted_reads = 0;
};

using Numbers = std::vector<double>;
constexpr double kLevelRatio = 10;

// One format, with bits by level or the same bits in all levels.
class LevelSizer {
 public:
  LevelSizer(Format format, bool by_level, const SizeRequest& request)
      : format_(format),
        by_level_(by_level),
        request_(request),
        fractions_(static_cast<size_t>(*request.num_levels)),
        runs_(fractions_.size(), 1.0) {
    KeysOfLevels(*request.num_levels, request.level_ratio.value_or(kLevelRatio), fractions_.data());
    runs_[0] = request.first_level_runs.value_or(1);
  }

  LevelSize Size() {
    size_.name = FormatName(format_);
    double bits = 0;
    if (!ChooseBits(&bits)) return size_;
    double keys = request_.num_keys ? static_cast<double>(*request_.num_keys)
                                    : 8 * static_cast<double>(*request_.memory_bytes) /
                                          filter::MemoryBits(format_, bits);
    // Whole blocks and trailers may exceed the memory.
    constexpr int kMaxCorrections = 100;
    for (int i = 0; i < kMaxCorrections; ++i) {
      if (keys < static_cast<double>(fractions_.size()) || !Compute(keys, bits)) break;
      if (!request_.memory_bytes || size_.bytes <= *request_.memory_bytes) return size_;
      const double excess = 8 * static_cast<double>(size_.bytes - *request_.memory_bytes);
      (request_.num_keys ? bits : keys) -= excess / (request_.num_keys ? keys : bits) * 1.001;
    }
    size_.levels.clear();
    size_.problem = BytesText(*request_.memory_bytes) + " is too little for " +
                    std::to_string(fractions_.size()) + " levels" +
                    (request_.num_keys ? " of " + CountText(*request_.num_keys) + " keys" : "");
    return size_;
  }

 private:
  int num_levels() const { return static_cast<int>(fractions_.size()); }

  bool IsAllowed(double bits) const {
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format_);
    return bits >= (by_level_ ? 0 : allowed.min) && bits <= allowed.max;
  }

  // False, with the reason in size_.problem, if no bits per key meet the request.
  bool ChooseBits(double* bits) {
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format_);
    if (request_.wasted_reads) {
      double all_runs = 0;
      for (const double runs : runs_) all_runs += runs;
      *bits = by_level_
                  ? BitsPerKeyForWastedReads(format_, *request_.wasted_reads, fractions_.data(),
                                             runs_.data(), num_levels())
                  : BitsPerKeyForFalsePositiveRate(format_, *request_.wasted_reads / all_runs);
      if (std::isnan(*bits)) {
        const Numbers most(fractions_.size(), allowed.max);
        const double least = WastedReads(format_, most.data(), runs_.data(), num_levels());
        size_.problem = "wasted reads are " + RateText(*request_.wasted_reads) +
                        "; allowed: from " + RateText(least) + ", which takes " +
                        NumberText(allowed.max, 0) + " bits per key, to less than 100 %";
        return false;
      }
      return true;
    }
    if (request_.bits_per_key) {
      *bits = *request_.bits_per_key;
    } else {
      const double keys = static_cast<double>(*request_.num_keys);
      *bits = BitsPerKeyForLevelBytes(format_, *request_.memory_bytes, &keys, 1);
      if (*bits == allowed.max) size_.note = "cannot use more memory";
    }
    if (!IsAllowed(*bits)) {
      size_.problem = "bits per key is " + NumberText(*bits, 2) + "; allowed " +
                      (by_level_ ? "by level: 0" : "in all levels: " + NumberText(allowed.min, 0)) +
                      " to " + NumberText(allowed.max, 0);
      return false;
    }
    if (request_.bits_per_key) *bits = filter::BitsOfMemory(format_, *bits);
    return true;
  }

  // Fills in the figures. False if these bits are not allowed.
  bool Compute(double all_keys, double bits) {
    if (!IsAllowed(bits)) return false;
    const auto total = static_cast<uint64_t>(all_keys);
    // The last level takes what rounding leaves.
    std::vector<uint64_t> keys;
    uint64_t rest = total;
    for (size_t i = 0; i < fractions_.size(); ++i) {
      const bool last = i + 1 == fractions_.size();
      const auto rounded = static_cast<uint64_t>(std::round(all_keys * fractions_[i]));
      const uint64_t others = fractions_.size() - i - 1;  // keep a key for each
      keys.push_back(last ? rest : std::min(std::max<uint64_t>(rounded, 1), rest - others));
      rest -= keys.back();
    }
    const Numbers numbers(keys.begin(), keys.end());
    Numbers bits_of_level(fractions_.size(), bits);
    if (by_level_) {
      SpreadBitsByLevel(format_, bits, numbers.data(), runs_.data(), num_levels(),
                        bits_of_level.data());
    }
    size_.levels.clear();
    size_.num_keys = total;
    size_.bytes = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const double b = bits_of_level[i];
      const bool has_filter = b > 0;
      size_.levels.push_back({keys[i], runs_[i], b,
                              has_filter ? FilterBytes(format_, keys[i], b) : 0,
                              has_filter ? FalsePositiveRate(format_, b) : 1});
      size_.bytes += size_.levels.back().bytes;
    }
    size_.bits_per_key = 8 * static_cast<double>(size_.bytes) / static_cast<double>(total);
    size_.wasted_reads = WastedReads(format_, bits_of_level.data(), runs_.data(), num_levels());
    return true;
  }

  const Format format_;
  const bool by_level_;
  const SizeRequest& request_;
  Numbers fractions_;
  Numbers runs_;
  LevelSize size_;
};

// Empty, or what is missing in the request, or too much.
std::string ValidateLevels(const SizeRequest& request) {
  if (!request.num_levels) return "--level-ratio, --level0-runs and --wasted-reads need --levels";
  if (request.rate) {
    return "--fpr is the rate of one filter; with --levels, give --wasted-reads";
  }
  if (request.capacity) return "--capacity cannot be given with --levels";
  const int given = request.num_keys.has_value() + request.memory_bytes.has_value() +
                    request.bits_per_key.has_value() + request.wasted_reads.has_value();
  if (given != 2 || (request.bits_per_key && request.wasted_reads)) {
    return std::string(
               "with --levels, give two of --keys, --memory and --bits-per-key (or --wasted-reads "
               "instead of --bits-per-key)") +
           kSeeHelp;
  }
  if (request.num_keys && *request.num_keys < static_cast<uint64_t>(*request.num_levels)) {
    return "--keys is " + CountText(*request.num_keys) + "; allowed with " +
           std::to_string(*request.num_levels) + " levels: at least one in each";
  }
  return "";
}

std::vector<LevelSize> Sizes(const SizeRequest& request, bool by_level) {
  std::vector<LevelSize> sizes;
  for (const Format format :
       {Format::kBloom, Format::kRibbon, Format::kBlocked, Format::kCompact}) {
    sizes.push_back(LevelSizer(format, by_level, request).Size());
  }
  return sizes;
}

Json SizeJson(const LevelSize& size) {
  Json json{{"name", size.name}};
  if (!size.problem.empty()) {
    json["problem"] = size.problem;
    return json;
  }
  json["num_keys"] = size.num_keys;
  json["bits_per_key"] = size.bits_per_key;
  json["bytes"] = size.bytes;
  json["wasted_reads"] = size.wasted_reads;
  json["levels"] = Json::array();
  for (size_t i = 0; i < size.levels.size(); ++i) {
    const LevelRow& row = size.levels[i];
    json["levels"].push_back({{"level", i},
                              {"num_keys", row.num_keys},
                              {"runs", row.runs},
                              {"bits_per_key", row.bits_per_key},
                              {"bytes", row.bytes},
                              {"false_positive_rate", row.rate}});
  }
  if (!size.note.empty()) json["note"] = size.note;
  return json;
}

void PrintJson(const SizeRequest& request, const std::vector<LevelSize>& by_level,
               const std::vector<LevelSize>& equal) {
  Json json;
  json["request"] = {{"num_levels", *request.num_levels},
                     {"level_ratio", request.level_ratio.value_or(kLevelRatio)},
                     {"first_level_runs", request.first_level_runs.value_or(1)},
                     {"num_keys", OrNull(request.num_keys)},
                     {"bits_per_key", OrNull(request.bits_per_key)},
                     {"wasted_reads", OrNull(request.wasted_reads)},
                     {"memory_bytes", OrNull(request.memory_bytes)}};
  for (const auto& [name, sizes] : {std::pair("by_level", &by_level), {"equal_bits", &equal}}) {
    json[name] = Json::array();
    for (const LevelSize& size : *sizes) json[name].push_back(SizeJson(size));
  }
  Print(json);
}

// What each format comes to, and then the bits of each level, a column for each format.
void PrintTable(const std::vector<LevelSize>& by_level, const std::vector<LevelSize>& equal) {
  std::vector<std::vector<std::string>> cells = {
      {"format", "keys", "bits/key", "memory", "wasted reads"}};
  std::vector<std::vector<std::string>> level_cells = {{"level", "keys"}};
  for (const auto& [title, sizes] :
       {std::pair("the same bits in all levels:", &equal), {"bits by level:", &by_level}}) {
    cells.push_back({title});
    for (const LevelSize& size : *sizes) {
      if (!size.problem.empty()) continue;
      cells.push_back({TitleOf(size.name), CountText(size.num_keys),
                       NumberText(size.bits_per_key, 2), BytesText(size.bytes),
                       RateText(size.wasted_reads)});
    }
  }
  for (const LevelSize& size : by_level) {
    if (!size.problem.empty()) continue;
    level_cells[0].push_back(size.name);
    for (size_t i = 0; i < size.levels.size(); ++i) {
      const LevelRow& row = size.levels[i];
      if (level_cells.size() == i + 1) {
        level_cells.push_back({std::to_string(i), CountText(row.num_keys)});
      }
      level_cells[i + 1].push_back(row.bits_per_key > 0 ? NumberText(row.bits_per_key, 2) : "none");
    }
  }
  std::cout << TextTable(cells) << "\nbits_per_key of each level (ribbon: as in ribbonfilter:N):\n"
            << TextTable(level_cells) << '\n'
            << kOwnFormats;
  for (const auto& [how, sizes] :
       {std::pair("by level", &by_level), {"the same bits in all levels", &equal}}) {
    for (const LevelSize& size : *sizes) {
      const std::string& remark = size.problem.empty() ? size.note : size.problem;
      if (!remark.empty()) std::cout << size.name << ", " << how << ": " << remark << '\n';
    }
  }
}

}  // namespace

int RunLevelSize(const SizeRequest& request, bool json) {
  if (IsRefused(ValidateLevels(request))) return kExitImpossible;
  const std::vector<LevelSize> by_level = Sizes(request, true);
  const std::vector<LevelSize> equal = Sizes(request, false);
  if (IsImpossible(by_level)) return kExitImpossible;
  if (json) {
    PrintJson(request, by_level, equal);
  } else {
    PrintTable(by_level, equal);
  }
  return kExitOk;
}

}  // namespace bloomline::cli

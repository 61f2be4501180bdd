// Computes and prints `bloomline size --levels` (size.h).
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/level_sizing.h"
#include "src/cli/size/size.h"
#include "src/filter/options/formats.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/support/bisection.h"
#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::cli {
namespace {

struct LevelRow {
  uint64_t num_keys;
  double runs;
  double bits_per_key;  // 0: no filter
  uint64_t bytes;
  double rate;  // the false-positive rate of a run; 1 without a filter
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

constexpr double kLevelRatio = 10;

// Sizes one format, with bits by level or the same bits in all levels.
class LevelSizer {
 public:
  LevelSizer(Format format, bool by_level, const SizeRequest& request)
      : format_(format),
        allowed_(AllowedBitsPerKey(format)),
        by_level_(by_level),
        request_(request),
        fractions_(static_cast<size_t>(*request.num_levels)),
        runs_(fractions_.size(), 1.0) {
    KeysOfLevels(*request.num_levels, request.level_ratio.value_or(kLevelRatio), fractions_.data());
    runs_[0] = request.first_level_runs.value_or(1);
    if (by_level) allowed_.min = 0;
  }

  LevelSize Size() {
    size_.name = FormatName(format_);
    const std::optional<Division> division =
        request_.num_keys ? ForKeys(*request_.num_keys) : WithMostKeys();
    if (!division) return size_;
    const std::vector<uint64_t> keys = KeysByLevel(size_.num_keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      const double bits = division->bits_of_level[i];
      size_.levels.push_back({keys[i], runs_[i], bits, Bytes(keys[i], bits), Rate(bits)});
      size_.bytes += size_.levels.back().bytes;
    }
    size_.bits_per_key = 8 * static_cast<double>(size_.bytes) / static_cast<double>(size_.num_keys);
    size_.wasted_reads = division->wasted_reads;
    if (!filter::RowOf(format_).bits_are_memory && size_.note.empty()) {
      size_.note = "set bits_per_key=" + tool::NumberText(division->bits_per_key, 2);
    }
    return size_;
  }

 private:
  using Division = filter::Division;
  static constexpr int kStepsPerBit = 1000;

  // Returns the division that meets the request with num_keys keys, or nothing, with the reason in
  // size_.problem.
  std::optional<Division> ForKeys(uint64_t num_keys) {
    size_.num_keys = num_keys;
    const std::vector<uint64_t> keys = KeysByLevel(num_keys);
    const filter::Divider divider(allowed_, kStepsPerBit,
                                  [&](double bits) { return Divide(keys, bits); });
    if (request_.bits_per_key) {
      const double bits = *request_.bits_per_key;
      if (bits >= allowed_.min && bits <= allowed_.max) {
        const double divided = std::min(filter::BitsOfMemory(format_, bits), allowed_.max);
        std::optional<Division> division = divider.At(divided);
        if (division->bytes != 0) return division;
        // Without filters, any number of keys would fit into any memory.
        size_.problem = support::StrCat(
            "bits per key is ", bits,
            ", which is too little for a filter in any level; allowed: ", LeastBits(divider, bits),
            " to ", allowed_.max);
        return std::nullopt;
      }
      size_.problem = "bits per key is " + tool::NumberText(bits, 2) + "; allowed " +
                      (by_level_ ? "by level: " : "in all levels: ") +
                      tool::NumberText(allowed_.min, 0) + " to " +
                      tool::NumberText(allowed_.max, 0);
      return std::nullopt;
    }
    std::optional<Division> division;
    if (request_.wasted_reads) {
      division = divider.For(*request_.wasted_reads);
      if (!division) {
        size_.problem = "wasted reads are " + tool::RateText(*request_.wasted_reads) +
                        "; allowed: from " + tool::RateText(divider.Most().wasted_reads) +
                        ", which takes " + tool::NumberText(allowed_.max, 0) +
                        " bits per key, to less than 100 %";
      }
      return division;
    }
    division = divider.Within(static_cast<double>(*request_.memory_bytes));
    if (!division) {
      SetTooLittle(" of " + tool::Counted(num_keys, "key", "keys"));
    } else if (division->bits_per_key == allowed_.max) {
      size_.note = "cannot use more memory";
    }
    return division;
  }

  // The fewest thousandths of bits per key, above too_few, that give any level a filter.
  double LeastBits(const filter::Divider& divider, double too_few) const {
    const auto has_no_filter = [&](int step) {
      const double bits = filter::BitsOfMemory(format_, static_cast<double>(step) / kStepsPerBit);
      return divider.At(std::min(bits, allowed_.max)).bytes == 0;
    };
    const int low = static_cast<int>(kStepsPerBit * too_few);
    const int high = static_cast<int>(kStepsPerBit * allowed_.max);
    return static_cast<double>(support::Bisect(low, high, has_no_filter).fails) / kStepsPerBit;
  }

  // Returns the division with the most keys that the memory has room for.
  std::optional<Division> WithMostKeys() {
    constexpr uint64_t kManyKeys = 1000000000000;  // so that no level is rounded
    const std::optional<Division> many = ForKeys(kManyKeys);
    if (!many) return many;
    const double bits = many->bits_per_key;
    const auto memory = static_cast<double>(*request_.memory_bytes);
    const auto fits = [&](uint64_t num_keys) {
      return Divide(KeysByLevel(num_keys), bits).bytes <= memory;
    };
    const uint64_t fewest = fractions_.size();
    constexpr double kMostKeys = 1e18;  // a larger double may not fit in an integer
    const double most = std::min(8 * memory / filter::MemoryBits(format_, bits), kMostKeys);
    const uint64_t too_many = static_cast<uint64_t>(most) + 1;
    if (too_many <= fewest || !fits(fewest)) {
      SetTooLittle("");
      return std::nullopt;
    }
    size_.num_keys = support::Bisect(fewest, too_many, fits).holds;
    return Divide(KeysByLevel(size_.num_keys), bits);
  }

  void SetTooLittle(const std::string& of_keys) {
    size_.problem = tool::BytesText(*request_.memory_bytes) + " is too little for " +
                    tool::Counted(fractions_.size(), "level", "levels") + of_keys;
  }

  // Gives each level at least one key. The last level takes the remainder of rounding.
  std::vector<uint64_t> KeysByLevel(uint64_t num_keys) const {
    std::vector<uint64_t> keys;
    uint64_t rest = num_keys;
    for (size_t i = 0; i < fractions_.size(); ++i) {
      const auto rounded =
          static_cast<uint64_t>(std::round(static_cast<double>(num_keys) * fractions_[i]));
      const uint64_t others = fractions_.size() - i - 1;
      keys.push_back(others == 0 ? rest : std::min(std::max<uint64_t>(rounded, 1), rest - others));
      rest -= keys.back();
    }
    return keys;
  }

  Division Divide(const std::vector<uint64_t>& keys, double bits_per_key) const {
    Division division;
    division.bits_per_key = bits_per_key;
    division.bits_of_level.assign(keys.size(), bits_per_key);
    if (by_level_) {
      const std::vector<double> numbers(keys.begin(), keys.end());
      SpreadBitsByLevel(format_, bits_per_key, numbers.data(), runs_.data(),
                        static_cast<int>(keys.size()), division.bits_of_level.data());
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      division.bytes += static_cast<double>(Bytes(keys[i], division.bits_of_level[i]));
      division.wasted_reads += runs_[i] * Rate(division.bits_of_level[i]);
    }
    return division;
  }

  uint64_t Bytes(uint64_t num_keys, double bits) const {
    return bits == 0 ? 0 : filter::EngineFilterBytes(format_, num_keys, bits);
  }
  double Rate(double bits) const { return bits == 0 ? 1 : filter::EngineRate(format_, bits); }

  const Format format_;
  BitsPerKeyRange allowed_;
  const bool by_level_;
  const SizeRequest& request_;
  std::vector<double> fractions_;
  std::vector<double> runs_;
  LevelSize size_;
};

// Returns what the request lacks, or has too much; empty: nothing.
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
    return "--keys is " + tool::CountText(*request.num_keys) + "; allowed with " +
           std::to_string(*request.num_levels) + " levels: at least one in each";
  }
  return "";
}

// RocksDB's own formats come first.
std::vector<LevelSize> Sizes(const SizeRequest& request, bool by_level) {
  std::vector<LevelSize> sizes;
  for (const bool is_own : {false, true}) {
    for (const filter::FormatRow& row : filter::kFormats) {
      if (!row.in_rocksdb || filter::IsOwn(row.format) != is_own) continue;
      sizes.push_back(LevelSizer(row.format, by_level, request).Size());
    }
  }
  return sizes;
}

std::string TitleOf(const LevelSize& size) {
  return size.name + (filter::IsOwn(*filter::FormatNamed(size.name)) ? "" : " (RocksDB's)");
}

tool::Json SizeJson(const LevelSize& size) {
  tool::Json json{{"name", size.name}};
  if (!size.problem.empty()) {
    json["problem"] = size.problem;
    return json;
  }
  json["num_keys"] = size.num_keys;
  json["bits_per_key"] = size.bits_per_key;
  json["bytes"] = size.bytes;
  json["wasted_reads"] = size.wasted_reads;
  json["levels"] = tool::Json::array();
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
  tool::Json json;
  json["request"] = {{"num_levels", *request.num_levels},
                     {"level_ratio", request.level_ratio.value_or(kLevelRatio)},
                     {"first_level_runs", request.first_level_runs.value_or(1)},
                     {"num_keys", tool::OrNull(request.num_keys)},
                     {"bits_per_key", tool::OrNull(request.bits_per_key)},
                     {"wasted_reads", tool::OrNull(request.wasted_reads)},
                     {"memory_bytes", tool::OrNull(request.memory_bytes)}};
  for (const auto& [name, sizes] : {std::pair("by_level", &by_level), {"equal_bits", &equal}}) {
    json[name] = tool::Json::array();
    for (const LevelSize& size : *sizes) json[name].push_back(SizeJson(size));
  }
  tool::Print(json);
}

// Prints each format's result, and then each level's bits with a column for each format.
void PrintTable(const std::vector<LevelSize>& by_level, const std::vector<LevelSize>& equal) {
  std::vector<std::vector<std::string>> cells = {
      {"format", "keys", "bits/key", "memory", "wasted reads"}};
  std::vector<std::vector<std::string>> level_cells = {{"level", "keys"}};
  for (const auto& [title, sizes] :
       {std::pair("the same bits in all levels:", &equal), {"bits by level:", &by_level}}) {
    cells.push_back({title});
    for (const LevelSize& size : *sizes) {
      if (!size.problem.empty()) continue;
      cells.push_back({TitleOf(size), tool::CountText(size.num_keys),
                       tool::NumberText(size.bits_per_key, 2), tool::BytesText(size.bytes),
                       tool::RateText(size.wasted_reads)});
    }
  }
  for (const LevelSize& size : by_level) {
    if (!size.problem.empty()) continue;
    level_cells[0].push_back(size.name);
    for (size_t i = 0; i < size.levels.size(); ++i) {
      const LevelRow& row = size.levels[i];
      if (level_cells.size() == i + 1) {
        level_cells.push_back({std::to_string(i), tool::CountText(row.num_keys)});
      }
      level_cells[i + 1].push_back(row.bits_per_key > 0 ? tool::NumberText(row.bits_per_key, 2)
                                                        : "none");
    }
  }
  std::cout << tool::TextTable(cells)
            << "\nbits_per_key of each level (ribbon: as in ribbonfilter:N):\n"
            << tool::TextTable(level_cells) << "\nblocked works only where bloomline is loaded.\n";
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
  if (IsRefused(ValidateLevels(request))) return tool::kExitImpossible;
  const std::vector<LevelSize> by_level = Sizes(request, true);
  const std::vector<LevelSize> equal = Sizes(request, false);
  if (IsImpossible(by_level)) return tool::kExitImpossible;
  if (json) {
    PrintJson(request, by_level, equal);
  } else {
    PrintTable(by_level, equal);
  }
  return tool::kExitOk;
}

}  // namespace bloomline::cli

// Prints, as JSON, the tables that docs/calculator.html has inside, and what the library says for
// the cases that calculator_test compares.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "bloomline/filter_options.h"
#include "bloomline/level_sizing.h"
#include "bloomline/sizing.h"
#include "src/filter/sizing/memory_division.h"

namespace {

using bloomline::Format;
using bloomline::filter::MemoryBits;

struct Step {
  double from, to, step;
};

// -log2 of the false-positive rates, at these bits per key and at the end of the last step.
void PrintTable(Format format, const std::vector<Step>& steps) {
  std::printf("\"%s\": {\"steps\": [", bloomline::FormatName(format));
  const char* comma = "";
  for (const Step& s : steps) {
    std::printf("%s[%g, %g, %g]", comma, s.from, s.to, s.step);
    comma = ", ";
  }
  std::printf("], \"rates\": [");
  for (const Step& s : steps) {
    for (double bits = s.from; bits < s.to; bits += s.step) {
      std::printf("%.3f, ", -std::log2(bloomline::FalsePositiveRate(format, bits)));
    }
  }
  std::printf("%.3f]}", -std::log2(bloomline::FalsePositiveRate(format, steps.back().to)));
}

// Above 24 bits, RocksDB adds a probe after each even number of bits, where the rate jumps up.
std::vector<Step> BloomSteps() {
  std::vector<Step> steps = {{1, 24, 0.125}};
  for (int bits = 24; bits < 50; bits += 2) {
    steps.push_back({bits + 0.0, bits + 0.001, 1});
    steps.push_back({bits + 0.001, bits + 2.0, 0.5});
  }
  steps.push_back({50, 50.001, 1});
  steps.push_back({50.001, 100, 2});
  return steps;
}

class Cases {
 public:
  // A rate, bits per key for a rate, and bytes. The page's bits per key are memory.
  void AddFilters(Format format) {
    const auto [low, high] = bloomline::AllowedBitsPerKey(format);
    for (int i = 0; i < 100; ++i) {
      const double bits = Between(low, i % 2 == 0 ? high : low + 20);
      const double rate = bloomline::FalsePositiveRate(format, bits);
      Print(format, "rate", MemoryBits(format, bits), 0, 1, 1, rate);
      if (bits <= 45) {  // more gains nothing
        if (format == Format::kRibbon) Print(format, "option", rate, 0, 1, 1, bits);
        AddBits(format, rate);
      }
      // The page takes ribbon filters to have a million keys. Smaller ones are 2 % smaller.
      const double least_keys = format == Format::kRibbon ? 3e5 : 1e4;
      AddBytes(format, static_cast<uint64_t>(std::exp2(Between(std::log2(least_keys), 50))), bits);
    }
  }

  // The ends of what a format allows, rates that few or none can have, and numbers of keys at the
  // ends of what the page takes.
  void AddEdges(Format format) {
    const auto [low, high] = bloomline::AllowedBitsPerKey(format);
    for (const double bits : {low, std::nextafter(low, high), std::nextafter(high, low), high}) {
      Print(format, "rate", MemoryBits(format, bits), 0, 1, 1,
            bloomline::FalsePositiveRate(format, bits));
    }
    for (const double rate : {0.999, 0.9, 0.63, 0.5, 0.25, 0.1, 1e-3, 1e-6, 1e-9, 1e-10, 1e-12}) {
      AddBits(format, rate);
    }
    const uint64_t least_keys = format == Format::kRibbon ? 1000000 : 10000;
    for (const uint64_t keys : {least_keys, uint64_t{1000000000000}, uint64_t{1} << 49}) {
      for (const double bits : {low, high}) AddBytes(format, keys, bits);
    }
  }

  // The wasted reads with bits by level, and the bits per key for them.
  void AddLevels(Format format) {
    for (int i = 0; i < 60; ++i) {
      const int num_levels = 2 + i % 8;
      const double ratio = i % 3 == 0 ? 10 : Between(2, 20);
      const double bits = Between(2, 20);
      double keys[bloomline::kMaxLevels], of_level[bloomline::kMaxLevels];
      bloomline::KeysOfLevels(num_levels, ratio, keys);
      bloomline::SpreadBitsByLevel(format, bits, keys, num_levels, of_level);
      const double wasted = bloomline::WastedReads(format, of_level, num_levels);
      Print(format, "wasted", MemoryBits(format, bits), 0, num_levels, ratio, wasted);
      if (wasted >= 0.5) continue;
      const double least =
          bloomline::BitsPerKeyForWastedReads(format, wasted, keys, nullptr, num_levels);
      Print(format, "levelBits", wasted, 0, num_levels, ratio, MemoryBits(format, least));
    }
  }

 private:
  void AddBits(Format format, double rate) {
    const double bits = bloomline::BitsPerKeyForFalsePositiveRate(format, rate);
    Print(format, "bits", rate, 0, 1, 1, std::isnan(bits) ? bits : MemoryBits(format, bits));
  }

  void AddBytes(Format format, uint64_t keys, double bits) {
    Print(format, "bytes", MemoryBits(format, bits), static_cast<double>(keys), 1, 1,
          static_cast<double>(bloomline::FilterBytes(format, keys, bits)));
  }

  double Between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  void Print(Format format, const char* what, double value, double keys, int num_levels,
             double ratio, double result) {
    std::printf("%s\n[\"%s\", \"%s\", %.17g, %.17g, %d, %.17g, ", comma_,
                bloomline::FormatName(format), what, value, keys, num_levels, ratio);
    std::printf(std::isnan(result) ? "null]" : "%.17g]", result);  // null: there is none
    comma_ = ",";
  }

  std::mt19937_64 random_{1};
  const char* comma_ = "";
};

}  // namespace

int main() {
  std::printf("{\"tables\": {");
  PrintTable(Format::kBloom, BloomSteps());
  std::printf(",\n");
  PrintTable(Format::kBlocked, {{1, 24, 0.125}, {24, 48, 0.5}, {48, 100, 2}});
  std::printf(",\n");
  PrintTable(Format::kCompact, {{3, 5.5, 0.0625}, {5.499, 5.5, 1}, {5.5, 24, 0.0625}});
  std::printf("},\n\"cases\": [");
  Cases cases;
  for (const Format format :
       {Format::kClassic, Format::kBloom, Format::kRibbon, Format::kBlocked, Format::kCompact}) {
    cases.AddFilters(format);
    cases.AddEdges(format);
    if (format != Format::kClassic) cases.AddLevels(format);
  }
  std::printf("]}\n");
}

// sizing.h and level_sizing.h: no memory at all.
#include "bloomline/sizing.h"

#include <string>

#include "bloomline/filter_theory.h"
#include "bloomline/level_sizing.h"
#include "tests/allocation_failure/attempts.h"

namespace bloomline::tests {
namespace {

TEST(Sizing, NeedsNoMemory) {
  ExpectNoAllocation(
      {"ExactStandardFalsePositiveRate",
       "ExactBlockedFalsePositiveRate",
       "ExactSmallBlockFalsePositiveRate",
       "ExactCompactFalsePositiveRate",
       "ExactSmallSetFalsePositiveRate",
       "FalsePositiveRateWithKeys",
       "BitsPerKeyWithNumProbes",
       "StandardFalsePositiveRate",
       "IdealNumProbes",
       "IdealBitsPerKey",
       "InformationLimitBitsPerKey",
       "BlockedFalsePositiveRate",
       "SmallBlockFalsePositiveRate",
       "CompactFalsePositiveRate",
       "OptimalNumProbes",
       "OptimalStandardNumProbes",
       "OptimalSmallBlockNumProbes",
       "FalsePositiveRate",
       "BitsPerKeyForFalsePositiveRate",
       "FilterBytes",
       "BitsPerKeyForFilterBytes",
       "Capacity",
       "KeysOfLevels",
       "SpreadBitsByLevel",
       "WastedReads",
       "AverageBitsPerKey",
       "BitsPerKeyForWastedReads",
       "BitsPerKeyForLevelBytes",
       "StandardBitsPerKeyForFalsePositiveRate",
       "SmallBlockBitsPerKeyForFalsePositiveRate",
       "StandardNumBits",
       "BlockedNumBlocks",
       "StandardCapacity",
       "BlockedCapacity",
       "HashTableBytes",
       "UnorderedSetBytes",
       "SortedArrayBytes"},
      [] {
        StandardFalsePositiveRate(10, 7);
        IdealNumProbes(10);
        IdealBitsPerKey(0.01);
        InformationLimitBitsPerKey(0.01);
        StandardFalsePositiveRate(10, 6);
        ExactStandardFalsePositiveRate(100, 1000, 6);
        ExactStandardFalsePositiveRate(1, 9999999, 1);
        BlockedFalsePositiveRate(10, 6);
        ExactBlockedFalsePositiveRate(1000, 20, 6);
        SmallBlockFalsePositiveRate(64, 10, 6);
        ExactSmallBlockFalsePositiveRate(64, 1000, 160, 6);
        CompactFalsePositiveRate(5);
        CompactFalsePositiveRate(7.1);
        ExactCompactFalsePositiveRate(1000, 20, 64);
        ExactCompactFalsePositiveRate(1000000, 20, 64);
        ExactSmallSetFalsePositiveRate(100, 2, 62);
        OptimalStandardNumProbes(10);
        OptimalSmallBlockNumProbes(128, 10);
        for (const Format format : {Format::kClassic, Format::kBlocked, Format::kCompact}) {
          OptimalNumProbes(format, 10);
          FalsePositiveRate(format, 10);
          FalsePositiveRateWithKeys(format, 10, 1000, 2000);
          BitsPerKeyForFalsePositiveRate(format, 0.01);
          BitsPerKeyWithNumProbes(format, 0.01, 6);
          FilterBytes(format, 1000, 10);
          FilterBytes(format, 1000, -1);
          BitsPerKeyForFilterBytes(format, 1000, 1250);
          Capacity(format, 1250, 10);
          double keys[7], bits[7];
          KeysOfLevels(7, 10, keys);
          SpreadBitsByLevel(format, 2, keys, 7, bits);
          SpreadBitsByLevel(format, 10, keys, nullptr, 7, bits);
          SpreadBitsByLevel(format, -1, keys, 7, bits);
          WastedReads(format, bits, 7);
          WastedReads(format, bits, nullptr, 7);
          AverageBitsPerKey(keys, bits, 7);
          BitsPerKeyForWastedReads(format, 0.1, keys, nullptr, 7);
          BitsPerKeyForLevelBytes(format, 1000, keys, 7);
        }
        StandardBitsPerKeyForFalsePositiveRate(0.01);
        SmallBlockBitsPerKeyForFalsePositiveRate(64, 0.01);
        StandardNumBits(100, 0.01, 6);
        BlockedNumBlocks(100, 0.01, 6);
        StandardCapacity(1000, 0.01, 6);
        BlockedCapacity(10, 0.01, 6);
        HashTableBytes(1000, 8);
        UnorderedSetBytes(1000, 20);
        SortedArrayBytes(1000, 20);
      });
}

TEST(Sizing, MessagesNeedMemoryAtMostForThemselves) {
  constexpr double kKeys[] = {1, 10};
  FailEachAllocation({"ValidateNumProbes", "ValidateFalsePositiveRate", "ValidateLevels"},
                     [&](Attempt* attempt) {
                       std::string probes, rate, low_rate, levels;
                       attempt->Call([&] {
                         probes = ValidateNumProbes(99);
                         rate = ValidateFalsePositiveRate(Format::kBlocked, 2);
                         low_rate = ValidateFalsePositiveRate(Format::kCompact, 1e-30);
                         levels = ValidateLevels(Format::kCompact, 99, kKeys, nullptr, 2);
                       });
                       for (const std::string& message : {probes, rate, low_rate, levels})
                         EXPECT_NE(message, "");
                     });
}

}  // namespace
}  // namespace bloomline::tests

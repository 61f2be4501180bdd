// Databases to advise on.
#ifndef BLOOMLINE_TESTS_DB_ADVICE_SAMPLES_H_
#define BLOOMLINE_TESTS_DB_ADVICE_SAMPLES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "src/db/model/advice.h"

namespace bloomline::tests {

// Levels 1 to 5 of 300 to 3,000,000 keys, with RocksDB's Bloom filters of 10 bits.
inline model::Situation FullLevels() {
  model::Situation situation;
  situation.reads_ribbon = true;
  situation.cpu = {model::BuildMachine::kXeon, model::BuildKernel::kAvx512};
  situation.targets.least_keys = 300;
  uint64_t keys = 300;
  for (int level = 1; level <= 5; ++level, keys *= 10) {
    situation.levels.push_back({level, 1, keys, 1, keys * 10 / 8, 0.00966});
  }
  return situation;
}

// The same with RocksDB's own filters, as their bytes say.
inline model::Situation StockLevels(Format format) {
  model::Situation situation = FullLevels();
  situation.stock_format = format;
  if (format == Format::kBloom) return situation;
  for (model::Level& level : situation.levels) {
    level.filter_bytes = level.num_keys * 71 / 80;
    level.wasted_reads = 0.00953;
  }
  return situation;
}

// Dynamic levels, as RocksDB has them since 8.4.
inline model::Situation DynamicLevels() {
  model::Situation situation;
  situation.targets.least_keys = 30000;
  situation.levels = {{0, 2, 60000, 2, 75000, 0.0194},
                      {4, 1, 90000, 1, 112500, 0.0097},
                      {5, 1, 900000, 10, 1125000, 0.0097},
                      {6, 1, 9000000, 90, 11250000, 0.0097}};
  return situation;
}

// Data blocks of 36 keys, beside each other.
inline model::Situation LevelDBLevels() {
  model::Situation situation;
  situation.engine = tables::Engine::kLevelDB;
  situation.levels = {{0, 2, 20000, 20000 / 36, 20000 * 46 / 36, 0.22},
                      {1, 1, 100000, 100000 / 36, 100000 * 46 / 36, 0.11},
                      {2, 1, 900000, 900000 / 36, 900000 * 46 / 36, 0.11}};
  return situation;
}

// What Advise is asked, of every kind.
inline std::vector<std::pair<model::Situation, model::Request>> AdviceSamples() {
  std::vector<std::pair<model::Situation, model::Request>> samples;
  for (model::Situation situation : {FullLevels(), DynamicLevels(), LevelDBLevels(),
                                     StockLevels(Format::kBloom), StockLevels(Format::kRibbon)}) {
    samples.push_back({situation, {}});
    samples.push_back({situation, {{}, 0.001}});
    samples.push_back({situation, {{}, 1.5}});  // with few bits, and levels without filters
    samples.push_back({situation, {uint64_t{1} << 40, {}}});
    samples.push_back({situation, {uint64_t{1300000}, {}}});
    for (model::Level& level : situation.levels) level.filter_bytes = 0;
    samples.push_back({situation, {}});
  }
  return samples;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_ADVICE_SAMPLES_H_

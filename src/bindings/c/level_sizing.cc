// Bits by level, of include/bloomline/c.h.
#include "bloomline/level_sizing.h"

#include <string>

#include "bloomline/c.h"
#include "src/bindings/c/convert.h"

using bloomline::Format;
using bloomline::c::OrSetError;

extern "C" {

uint8_t bloomline_keys_of_levels(int num_levels, double level_size_ratio, double* keys_of_level) {
  return bloomline::KeysOfLevels(num_levels, level_size_ratio, keys_of_level);
}

uint8_t bloomline_spread_bits_by_level(int format, double bits_per_key, const double* keys_of_level,
                                       const double* runs_of_level, int num_levels,
                                       double* bits_of_level, char** errptr) {
  if (bloomline::SpreadBitsByLevel(Format{format}, bits_per_key, keys_of_level, runs_of_level,
                                   num_levels, bits_of_level)) {
    return 1;
  }
  return OrSetError(errptr, [&](std::string* error) {
    *error = bloomline::ValidateLevels(Format{format}, bits_per_key, keys_of_level, runs_of_level,
                                       num_levels);
    return false;
  });
}

double bloomline_wasted_reads(int format, const double* bits_of_level, const double* runs_of_level,
                              int num_levels) {
  return bloomline::WastedReads(Format{format}, bits_of_level, runs_of_level, num_levels);
}

double bloomline_bits_per_key_for_wasted_reads(int format, double wasted_reads,
                                               const double* keys_of_level,
                                               const double* runs_of_level, int num_levels) {
  return bloomline::BitsPerKeyForWastedReads(Format{format}, wasted_reads, keys_of_level,
                                             runs_of_level, num_levels);
}

}  // extern "C"

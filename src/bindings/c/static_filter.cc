// Static filters, sizing, and the rest of include/bloomline/c.h.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "bloomline/c.h"
#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "bloomline/level_sizing.h"
#include "bloomline/seed.h"
#include "bloomline/sizing.h"
#include "bloomline/version.h"
#include "src/bindings/c/convert.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"

using bloomline::Format;
using bloomline::c::Key;
using bloomline::c::OrSetError;
using bloomline::support::IsNullText;

struct bloomline_builder_t {
  bloomline::FilterBuilder builder;
  const bloomline::FilterBuilder& view() const { return builder; }
};

struct bloomline_view_t {
  bloomline::FilterView filter;
  const bloomline::FilterView& view() const { return filter; }
};

static_assert(bloomline_format_classic == static_cast<int>(Format::kClassic));
static_assert(bloomline_format_blocked == static_cast<int>(Format::kBlocked));
static_assert(bloomline_format_compact == static_cast<int>(Format::kCompact));
static_assert(bloomline_format_bloom == static_cast<int>(Format::kBloom));
static_assert(bloomline_format_ribbon == static_cast<int>(Format::kRibbon));

namespace {

bool IsFormat(int format) { return bloomline::filter::IsKnown(Format{format}); }

template <typename F>
double OrNaN(int format, F f) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (!IsFormat(format)) return kNaN;
  return bloomline::support::OrIfItThrows(kNaN, [&] { return f(Format{format}); });
}

// Calls f, which adds keys. If f throws, keys are missing, so the builder remembers that it cannot
// be finished.
template <typename F>
void OrKeepsFailure(F f) {
  bloomline::support::OrIfItThrows(false, [&] {
    f();
    return true;
  });
}

}  // namespace

extern "C" {

BLOOMLINE_C_OPTIONS(filteroptions, bloomline::FilterOptions)
BLOOMLINE_C_SETTER(filteroptions, format, int)
BLOOMLINE_C_SETTER(filteroptions, bits_per_key, double)
BLOOMLINE_C_SETTER(filteroptions, seed, uint64_t)
BLOOMLINE_C_SETTER(filteroptions, random_seed, uint8_t)

uint8_t bloomline_filteroptions_validate(const bloomline_filteroptions_t* options, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    *error = options->options.Validate();
    return error->empty();
  });
}

uint64_t bloomline_draw_seed(char** errptr) {
  return OrSetError(errptr, [](std::string* error) {
    uint64_t seed = 0;
    bloomline::DrawSeed(&seed, error);
    return seed;
  });
}

double bloomline_false_positive_rate(int format, double bits_per_key) {
  return OrNaN(format, [=](Format f) { return bloomline::FalsePositiveRate(f, bits_per_key); });
}

double bloomline_bits_per_key_for_false_positive_rate(int format, double rate) {
  return OrNaN(format, [=](Format f) { return BitsPerKeyForFalsePositiveRate(f, rate); });
}

uint8_t bloomline_validate_false_positive_rate(int format, double rate, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    *error = bloomline::ValidateFalsePositiveRate(Format{format}, rate);
    return error->empty();
  });
}

uint64_t bloomline_filter_bytes(int format, uint64_t num_keys, double bits_per_key) {
  return IsFormat(format) ? bloomline::FilterBytes(Format{format}, num_keys, bits_per_key) : 0;
}

uint8_t bloomline_keys_of_levels(int num_levels, double level_size_ratio, double* keys_of_level) {
  return bloomline::KeysOfLevels(num_levels, level_size_ratio, keys_of_level);
}

uint8_t bloomline_spread_bits_by_level(int format, double bits_per_key, const double* keys_of_level,
                                       const double* runs_of_level, int num_levels,
                                       double* bits_of_level, char** errptr) {
  return OrSetError(errptr, [&](std::string* error) {
    const Format f{format};
    *error = bloomline::ValidateLevels(f, bits_per_key, keys_of_level, runs_of_level, num_levels);
    return error->empty() && bloomline::SpreadBitsByLevel(f, bits_per_key, keys_of_level,
                                                          runs_of_level, num_levels, bits_of_level);
  });
}

double bloomline_wasted_reads(int format, const double* bits_of_level, const double* runs_of_level,
                              int num_levels) {
  return OrNaN(format, [=](Format f) {
    return bloomline::WastedReads(f, bits_of_level, runs_of_level, num_levels);
  });
}

double bloomline_bits_per_key_for_wasted_reads(int format, double wasted_reads,
                                               const double* keys_of_level,
                                               const double* runs_of_level, int num_levels) {
  return OrNaN(format, [=](Format f) {
    return bloomline::BitsPerKeyForWastedReads(f, wasted_reads, keys_of_level, runs_of_level,
                                               num_levels);
  });
}

bloomline_builder_t* bloomline_builder_create(const bloomline_filteroptions_t* options,
                                              char** errptr) {
  return OrSetError(errptr, [=](std::string* error) -> bloomline_builder_t* {
    bloomline::FilterBuilder builder(options->options);
    *error = builder.error();
    return error->empty() ? new bloomline_builder_t{std::move(builder)} : nullptr;
  });
}

void bloomline_builder_destroy(bloomline_builder_t* builder) { delete builder; }

void bloomline_builder_add_key(bloomline_builder_t* builder, const char* key, size_t key_length) {
  OrKeepsFailure([=] { builder->builder.AddKey(Key(key, key_length)); });
}

void bloomline_builder_add_keys(bloomline_builder_t* builder, size_t num_keys,
                                const char* const* keys, const size_t* key_lengths) {
  OrKeepsFailure([=] {
    for (size_t i = 0; i < num_keys; ++i) builder->builder.AddKey(Key(keys[i], key_lengths[i]));
  });
}

void bloomline_builder_add_key_and_prefix(bloomline_builder_t* builder, const char* key,
                                          size_t key_length, const char* prefix,
                                          size_t prefix_length) {
  OrKeepsFailure(
      [=] { builder->builder.AddKeyAndPrefix(Key(key, key_length), Key(prefix, prefix_length)); });
}

BLOOMLINE_C_QUERY(builder, uint64_t, hash_of, HashOf)
BLOOMLINE_C_FIGURE(builder, size_t, num_keys, num_keys)

void bloomline_builder_add_hash(bloomline_builder_t* builder, uint64_t hash) {
  OrKeepsFailure([=] { builder->builder.AddHash(hash); });
}

uint8_t bloomline_builder_take_keys_from(bloomline_builder_t* builder, bloomline_builder_t* other) {
  bool fits = true;
  OrKeepsFailure([&] { fits = builder->builder.TakeKeysFrom(&other->builder); });
  return fits;
}

char* bloomline_builder_finish(bloomline_builder_t* builder, int num_threads, size_t* filter_length,
                               char** errptr) {
  *filter_length = 0;
  return OrSetError(errptr, [&](std::string* error) -> char* {
    const uint64_t bytes = builder->builder.FinishedBytes();
    std::unique_ptr<char, void (*)(void*)> filter(
        bytes <= SIZE_MAX ? static_cast<char*>(std::malloc(static_cast<size_t>(bytes))) : nullptr,
        std::free);
    if (filter == nullptr) return nullptr;
    builder->builder.FinishTo(filter.get(), num_threads);
    const auto length = static_cast<size_t>(bytes);
    if (bloomline::FilterView::Open({filter.get(), length}).AlwaysMatches()) {
      *error = builder->builder.error();
      return nullptr;
    }
    *filter_length = length;
    return filter.release();
  });
}

bloomline_view_t* bloomline_view_open(const char* filter, size_t filter_length) {
  return bloomline::support::OrIfItThrows<bloomline_view_t*>(nullptr, [=] {
    return new bloomline_view_t{bloomline::FilterView::Open({filter, filter_length})};
  });
}

void bloomline_view_destroy(bloomline_view_t* view) { delete view; }

uint8_t bloomline_view_validate(const char* filter, size_t filter_length, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    *error = bloomline::FilterView::Validate({filter, filter_length});
    return error->empty();
  });
}

BLOOMLINE_C_QUERIES(view)
BLOOMLINE_C_QUERY(view, uint64_t, hash_of, HashOf)
BLOOMLINE_C_MAY_MATCH_HASH(view)

uint64_t bloomline_hash_key(const char* key, size_t key_length, uint64_t seed) {
  return bloomline::HashKey(Key(key, key_length), seed);
}

void bloomline_view_may_match_hashes(const bloomline_view_t* view, size_t num_hashes,
                                     const uint64_t* hashes, uint8_t* may_match) {
  bool answers[bloomline::c::kBatchKeys];
  for (size_t start = 0; start < num_hashes; start += bloomline::c::kBatchKeys) {
    const size_t count = std::min(bloomline::c::kBatchKeys, num_hashes - start);
    view->view().MayMatchHashes(count, hashes + start, answers);
    std::copy(answers, answers + count, may_match + start);
  }
}

BLOOMLINE_C_FIGURE(view, uint8_t, always_matches, AlwaysMatches)
BLOOMLINE_C_FIGURE(view, int, num_probes, num_probes)

const char* bloomline_active_kernel_name() { return bloomline::ActiveKernelName(); }

uint8_t bloomline_force_kernel(const char* name, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return !IsNullText(name, "name", error) && bloomline::ForceKernel(name, error);
  });
}

void bloomline_free(void* memory) { std::free(memory); }

const char* bloomline_version() { return BLOOMLINE_VERSION_STRING; }

}  // extern "C"

// Static filters, sizing and what is left of include/bloomline/c.h.
#include "src/bindings/c/static_filter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "bloomline/c.h"
#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "bloomline/seed.h"
#include "bloomline/sizing.h"
#include "bloomline/version.h"
#include "src/bindings/c/convert.h"
#include "src/filter/format/trailer.h"
#include "src/support/out_of_memory.h"

using bloomline::Format;
using bloomline::c::Key;
using bloomline::c::OrSetError;

struct bloomline_builder_t {
  bloomline::FilterBuilder builder;
};

struct bloomline_view_t {
  bloomline::FilterView view;
};

static_assert(bloomline_format_classic == static_cast<int>(Format::kClassic));
static_assert(bloomline_format_blocked == static_cast<int>(Format::kBlocked));
static_assert(bloomline_format_compact == static_cast<int>(Format::kCompact));

namespace {

bool IsFormat(int format) {
  return format >= bloomline_format_classic && format <= bloomline_format_compact;
}

template <typename F>
double OrNaN(int format, F f) {
  return IsFormat(format) ? f(Format{format}) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

extern "C" {

bloomline_filteroptions_t* bloomline_filteroptions_create() {
  return new (std::nothrow) bloomline_filteroptions_t;
}

void bloomline_filteroptions_destroy(bloomline_filteroptions_t* options) { delete options; }

void bloomline_filteroptions_set_format(bloomline_filteroptions_t* options, int format) {
  options->options.format = Format{format};
}

void bloomline_filteroptions_set_bits_per_key(bloomline_filteroptions_t* options,
                                              double bits_per_key) {
  options->options.bits_per_key = bits_per_key;
}

void bloomline_filteroptions_set_seed(bloomline_filteroptions_t* options, uint64_t seed) {
  options->options.seed = seed;
}

void bloomline_filteroptions_set_random_seed(bloomline_filteroptions_t* options,
                                             uint8_t random_seed) {
  options->options.random_seed = random_seed != 0;
}

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

bloomline_builder_t* bloomline_builder_create(const bloomline_filteroptions_t* options,
                                              char** errptr) {
  return OrSetError(errptr,
                    [=](std::string* error) {
                      std::unique_ptr<bloomline_builder_t> builder(
                          new bloomline_builder_t{bloomline::FilterBuilder(options->options)});
                      *error = builder->builder.error();
                      if (!error->empty()) builder.reset();
                      return builder;
                    })
      .release();
}

void bloomline_builder_destroy(bloomline_builder_t* builder) { delete builder; }

void bloomline_builder_add_key(bloomline_builder_t* builder, const char* key, size_t key_length) {
  builder->builder.AddKey(Key(key, key_length));
}

void bloomline_builder_add_keys(bloomline_builder_t* builder, size_t num_keys,
                                const char* const* keys, const size_t* key_lengths) {
  for (size_t i = 0; i < num_keys; ++i) builder->builder.AddKey(Key(keys[i], key_lengths[i]));
}

void bloomline_builder_add_key_and_prefix(bloomline_builder_t* builder, const char* key,
                                          size_t key_length, const char* prefix,
                                          size_t prefix_length) {
  builder->builder.AddKeyAndPrefix(Key(key, key_length), Key(prefix, prefix_length));
}

uint64_t bloomline_builder_hash_of(const bloomline_builder_t* builder, const char* key,
                                   size_t key_length) {
  return builder->builder.HashOf(Key(key, key_length));
}

void bloomline_builder_add_hash(bloomline_builder_t* builder, uint64_t hash) {
  builder->builder.AddHash(hash);
}

size_t bloomline_builder_num_keys(const bloomline_builder_t* builder) {
  return builder->builder.num_keys();
}

uint8_t bloomline_builder_take_keys_from(bloomline_builder_t* builder, bloomline_builder_t* other) {
  return builder->builder.TakeKeysFrom(&other->builder);
}

char* bloomline_builder_finish(bloomline_builder_t* builder, int num_threads, size_t* filter_length,
                               char** errptr) {
  *filter_length = 0;
  const uint64_t bytes = builder->builder.FinishedBytes();
  // A filter that is only a trailer has no keys, or lost some and matches everything. It is
  // finished into memory of this function, so that the builder is emptied even if there is no
  // memory for the copy.
  char trailer[bloomline::filter::kTrailerBytes];
  const bool is_trailer = bytes == sizeof(trailer);
  if (is_trailer) builder->builder.FinishTo(trailer);
  const bool lost_keys =
      is_trailer && bloomline::FilterView::Open({trailer, sizeof(trailer)}).AlwaysMatches();
  char* const filter =
      bytes <= SIZE_MAX && !lost_keys ? static_cast<char*>(std::malloc(bytes)) : nullptr;
  if (filter != nullptr && is_trailer) {
    std::memcpy(filter, trailer, sizeof(trailer));
  } else if (filter != nullptr) {
    builder->builder.FinishTo(filter, num_threads);
  }
  if (filter == nullptr) {
    bloomline::support::SetCError(
        lost_keys ? std::string_view(builder->builder.error()) : bloomline::support::kOutOfMemory,
        errptr);
    return nullptr;
  }
  *filter_length = bytes;
  return filter;
}

const char* bloomline_builder_error(const bloomline_builder_t* builder) {
  const std::string& error = builder->builder.error();
  return error.empty() ? nullptr : error.c_str();
}

bloomline_view_t* bloomline_view_open(const char* filter, size_t filter_length) {
  return new (std::nothrow) bloomline_view_t{bloomline::FilterView::Open({filter, filter_length})};
}

void bloomline_view_destroy(bloomline_view_t* view) { delete view; }

uint8_t bloomline_view_validate(const char* filter, size_t filter_length, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    *error = bloomline::FilterView::Validate({filter, filter_length});
    return error->empty();
  });
}

uint8_t bloomline_view_may_match(const bloomline_view_t* view, const char* key, size_t key_length) {
  return view->view.MayMatch(Key(key, key_length));
}

void bloomline_view_may_match_keys(const bloomline_view_t* view, size_t num_keys,
                                   const char* const* keys, const size_t* key_lengths,
                                   uint8_t* may_match) {
  bloomline::c::AnswerEachBatch(num_keys, keys, key_lengths, may_match,
                                [=](size_t count, const std::string_view* batch, bool* answers) {
                                  view->view.MayMatch(count, batch, answers);
                                });
}

uint64_t bloomline_hash_key(const char* key, size_t key_length, uint64_t seed) {
  return bloomline::HashKey(Key(key, key_length), seed);
}

uint64_t bloomline_view_hash_of(const bloomline_view_t* view, const char* key, size_t key_length) {
  return view->view.HashOf(Key(key, key_length));
}

uint8_t bloomline_view_may_match_hash(const bloomline_view_t* view, uint64_t hash) {
  return view->view.MayMatchHash(hash);
}

void bloomline_view_may_match_hashes(const bloomline_view_t* view, size_t num_hashes,
                                     const uint64_t* hashes, uint8_t* may_match) {
  bool answers[bloomline::c::kBatchKeys];
  for (size_t start = 0; start < num_hashes; start += bloomline::c::kBatchKeys) {
    const size_t count = std::min(bloomline::c::kBatchKeys, num_hashes - start);
    view->view.MayMatchHashes(count, hashes + start, answers);
    std::copy(answers, answers + count, may_match + start);
  }
}

uint8_t bloomline_view_always_matches(const bloomline_view_t* view) {
  return view->view.AlwaysMatches();
}

int bloomline_view_num_probes(const bloomline_view_t* view) { return view->view.num_probes(); }

const char* bloomline_active_kernel_name() { return bloomline::ActiveKernelName(); }

uint8_t bloomline_force_kernel(const char* name, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return !bloomline::support::IsNullText(name, "name", error) &&
           bloomline::ForceKernel(name, error);
  });
}

void bloomline_free(void* memory) { std::free(memory); }

const char* bloomline_version() { return BLOOMLINE_VERSION_STRING; }

}  // extern "C"

// Static filters larger than RAM: include/bloomline/c.h.
#include <memory>
#include <new>
#include <string>

#include "bloomline/c.h"
#include "bloomline/partitioned_filter_builder.h"
#include "src/c/convert.h"
#include "src/c/static_filter.h"

using bloomline::PartitionedFilterBuilder;
using bloomline::c::Key;
using bloomline::c::MakeHandle;
using bloomline::c::OrSetError;
using bloomline::core::IsNullText;

struct bloomline_partitionedoptions_t {
  bloomline::PartitionedFilterOptions options;
};

struct bloomline_partitioned_t {
  std::unique_ptr<PartitionedFilterBuilder> builder;
};

extern "C" {

bloomline_partitionedoptions_t* bloomline_partitionedoptions_create() {
  return new (std::nothrow) bloomline_partitionedoptions_t;
}

void bloomline_partitionedoptions_destroy(bloomline_partitionedoptions_t* options) {
  delete options;
}

void bloomline_partitionedoptions_set_filter(bloomline_partitionedoptions_t* options,
                                             const bloomline_filteroptions_t* filter) {
  options->options.filter = filter->options;
}

uint8_t bloomline_partitionedoptions_set_temp_directory(bloomline_partitionedoptions_t* options,
                                                        const char* path) {
  return bloomline::core::OrIfOutOfMemory(false, [=] {
    if (path == nullptr) return false;
    options->options.temp_directory = path;
    return true;
  });
}

void bloomline_partitionedoptions_set_memory_bytes(bloomline_partitionedoptions_t* options,
                                                   uint64_t memory_bytes) {
  options->options.memory_bytes = memory_bytes;
}

void bloomline_partitionedoptions_set_num_threads(bloomline_partitionedoptions_t* options,
                                                  int num_threads) {
  options->options.num_threads = num_threads;
}

bloomline_partitioned_t* bloomline_partitioned_create(const bloomline_partitionedoptions_t* options,
                                                      char** errptr) {
  return MakeHandle<bloomline_partitioned_t>(errptr, [=](std::string* error) {
    return PartitionedFilterBuilder::Create(options->options, error);
  });
}

void bloomline_partitioned_destroy(bloomline_partitioned_t* partitioned) { delete partitioned; }

uint8_t bloomline_partitioned_add_key(bloomline_partitioned_t* partitioned, const char* key,
                                      size_t key_length, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return partitioned->builder->AddKey(Key(key, key_length), error);
  });
}

uint8_t bloomline_partitioned_add_keys(bloomline_partitioned_t* partitioned, size_t num_keys,
                                       const char* const* keys, const size_t* key_lengths,
                                       char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    for (size_t i = 0; i < num_keys; ++i) {
      if (!partitioned->builder->AddKey(Key(keys[i], key_lengths[i]), error)) return false;
    }
    return true;
  });
}

uint64_t bloomline_partitioned_num_keys(const bloomline_partitioned_t* partitioned) {
  return partitioned->builder->num_keys();
}

uint8_t bloomline_partitioned_finish(bloomline_partitioned_t* partitioned, const char* path,
                                     char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return !IsNullText(path, "path", error) && partitioned->builder->Finish(path, error);
  });
}

}  // extern "C"

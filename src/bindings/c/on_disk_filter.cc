// Static filters larger than RAM: include/bloomline/c.h.
#include <memory>
#include <new>
#include <string>

#include "bloomline/c.h"
#include "bloomline/on_disk_filter_builder.h"
#include "src/bindings/c/convert.h"
#include "src/bindings/c/static_filter.h"

using bloomline::OnDiskFilterBuilder;
using bloomline::c::Key;
using bloomline::c::MakeHandle;
using bloomline::c::OrSetError;
using bloomline::support::IsNullText;

struct bloomline_ondiskoptions_t {
  bloomline::OnDiskFilterOptions options;
};

struct bloomline_ondisk_t {
  std::unique_ptr<OnDiskFilterBuilder> builder;
};

extern "C" {

bloomline_ondiskoptions_t* bloomline_ondiskoptions_create() {
  return new (std::nothrow) bloomline_ondiskoptions_t;
}

void bloomline_ondiskoptions_destroy(bloomline_ondiskoptions_t* options) { delete options; }

void bloomline_ondiskoptions_set_filter(bloomline_ondiskoptions_t* options,
                                        const bloomline_filteroptions_t* filter) {
  options->options.filter = filter->options;
}

uint8_t bloomline_ondiskoptions_set_temp_directory(bloomline_ondiskoptions_t* options,
                                                   const char* path) {
  return bloomline::support::OrIfOutOfMemory(false, [=] {
    if (path == nullptr) return false;
    options->options.temp_directory = path;
    return true;
  });
}

void bloomline_ondiskoptions_set_memory_bytes(bloomline_ondiskoptions_t* options,
                                              uint64_t memory_bytes) {
  options->options.memory_bytes = memory_bytes;
}

void bloomline_ondiskoptions_set_num_threads(bloomline_ondiskoptions_t* options, int num_threads) {
  options->options.num_threads = num_threads;
}

bloomline_ondisk_t* bloomline_ondisk_create(const bloomline_ondiskoptions_t* options,
                                            char** errptr) {
  return MakeHandle<bloomline_ondisk_t>(errptr, [=](std::string* error) {
    return OnDiskFilterBuilder::Create(options->options, error);
  });
}

void bloomline_ondisk_destroy(bloomline_ondisk_t* on_disk) { delete on_disk; }

uint8_t bloomline_ondisk_add_key(bloomline_ondisk_t* on_disk, const char* key, size_t key_length,
                                 char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return on_disk->builder->AddKey(Key(key, key_length), error);
  });
}

uint8_t bloomline_ondisk_add_keys(bloomline_ondisk_t* on_disk, size_t num_keys,
                                  const char* const* keys, const size_t* key_lengths,
                                  char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    for (size_t i = 0; i < num_keys; ++i) {
      if (!on_disk->builder->AddKey(Key(keys[i], key_lengths[i]), error)) return false;
    }
    return true;
  });
}

uint64_t bloomline_ondisk_num_keys(const bloomline_ondisk_t* on_disk) {
  return on_disk->builder->num_keys();
}

uint8_t bloomline_ondisk_finish(bloomline_ondisk_t* on_disk, const char* path, char** errptr) {
  return OrSetError(errptr, [=](std::string* error) {
    return !IsNullText(path, "path", error) && on_disk->builder->Finish(path, error);
  });
}

}  // extern "C"

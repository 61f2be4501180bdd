// include/bloomline/c_leveldb.h: a policy behind the callbacks of LevelDB's C bindings.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/c_leveldb.h"
#include "bloomline/leveldb.h"
#include "leveldb/slice.h"
#include "src/support/c_error.h"

namespace {

using bloomline::support::OrSetError;
using leveldb::FilterPolicy;
using leveldb::Slice;

// Ends the process if memory runs out. LevelDB takes a null pointer as a filter without keys, which
// would lose keys.
char* MallocCopy(std::string_view filter) {
  auto* copy = static_cast<char*>(std::malloc(filter.size()));
  if (copy == nullptr) {
    std::fputs("bloomline: out of memory for a filter\n", stderr);
    std::abort();
  }
  std::memcpy(copy, filter.data(), filter.size());
  return copy;
}

void Destroy(void* state) { delete static_cast<const FilterPolicy*>(state); }

const char* Name(void* state) { return static_cast<const FilterPolicy*>(state)->Name(); }

char* CreateFilter(void* state, const char* const* keys, const size_t* key_lengths, int num_keys,
                   size_t* filter_length) noexcept {
  std::string filter;
  std::vector<Slice> slices;
  slices.reserve(static_cast<size_t>(num_keys));
  for (int i = 0; i < num_keys; ++i) slices.emplace_back(keys[i], key_lengths[i]);
  static_cast<const FilterPolicy*>(state)->CreateFilter(slices.data(), num_keys, &filter);
  *filter_length = filter.size();
  return filter.empty() ? nullptr : MallocCopy(filter);  // a filter without keys is empty
}

uint8_t KeyMayMatch(void* state, const char* key, size_t key_length, const char* filter,
                    size_t filter_length) {
  return static_cast<const FilterPolicy*>(state)->KeyMayMatch(Slice(key, key_length),
                                                              Slice(filter, filter_length));
}

leveldb_filterpolicy_t* NewPolicy(int format, double bits_per_key, const char* name, uint64_t seed,
                                  std::string* reason) {
  bloomline::FilterOptions options;
  options.format = bloomline::Format{format};
  options.bits_per_key = bits_per_key;
  options.seed = seed;
  std::unique_ptr<const FilterPolicy> policy(
      bloomline::NewLevelDBFilterPolicy(options, name == nullptr ? "" : name, reason));
  if (policy == nullptr) return nullptr;
  auto* const state = const_cast<FilterPolicy*>(policy.get());
  auto* const result = leveldb_filterpolicy_create(state, Destroy, CreateFilter, KeyMayMatch, Name);
  policy.release();
  return result;
}

}  // namespace

extern "C" leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create(int format,
                                                                         double bits_per_key,
                                                                         char** errptr) {
  return bloomline_leveldb_filterpolicy_create_with_seed(format, bits_per_key,
                                                         bloomline::kLevelDBBuiltinName, 0, errptr);
}

extern "C" leveldb_filterpolicy_t* bloomline_leveldb_filterpolicy_create_with_seed(
    int format, double bits_per_key, const char* name, uint64_t seed, char** errptr) {
  return OrSetError(errptr, [=](std::string* reason) {
    return NewPolicy(format, bits_per_key, name, seed, reason);
  });
}

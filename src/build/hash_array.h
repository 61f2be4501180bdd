// Arrays of hashes that are written once and soon given back.
#ifndef BLOOMLINE_BUILD_HASH_ARRAY_H_
#define BLOOMLINE_BUILD_HASH_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "src/memory/huge_pages.h"

namespace bloomline::core {

struct FreeHashArray {
  size_t bytes = 0;
  void operator()(uint64_t* hashes) const { memory::FreePages(hashes, bytes); }
};
using HashArray = std::unique_ptr<uint64_t[], FreeHashArray>;

// Not initialised. Throws bad_alloc.
inline HashArray NewHashArray(size_t n) {
  const size_t bytes = n * sizeof(uint64_t);
  auto* hashes = static_cast<uint64_t*>(memory::AllocatePages(bytes));
  if (hashes == nullptr) throw std::bad_alloc();
  return HashArray(hashes, FreeHashArray{bytes});
}

}  // namespace bloomline::core

#endif  // BLOOMLINE_BUILD_HASH_ARRAY_H_

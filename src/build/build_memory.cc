#include "bloomline/build_memory.h"

#include "src/memory/block_reserve.h"

namespace bloomline {

size_t MaxBuildMemory() { return memory::MaxReservedBytes(); }

void SetMaxBuildMemory(size_t bytes) { memory::SetMaxReservedBytes(bytes); }

size_t ReservedBuildMemory() { return memory::ReservedBytes(); }

void ReleaseBuildMemory() { memory::ReleaseReserve(); }

}  // namespace bloomline

#include "bloomline/build_memory.h"

#include "src/support/block_reserve.h"

namespace bloomline {

size_t MaxBuildMemory() { return support::MaxReservedBytes(); }

void SetMaxBuildMemory(size_t bytes) { support::SetMaxReservedBytes(bytes); }

size_t ReservedBuildMemory() { return support::ReservedBytes(); }

void ReleaseBuildMemory() { support::ReleaseReserve(); }

}  // namespace bloomline

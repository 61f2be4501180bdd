#include "tests/faults/failing_new.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
// With --wrap, the linker resolves malloc to __wrap_malloc and __real_malloc to malloc. That holds
// in this binary, not in shared libraries.
void* __real_malloc(size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void* memory);
void* __real_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void* address, size_t size);
}

namespace bloomline::tests {
namespace {

struct Progress {
  std::atomic<bool> armed{false};
  std::atomic<uint64_t> seen{0};
  std::atomic<uint64_t> failed{0};
};

FailurePlan current_plan;
Progress progress;
thread_local bool is_armed_thread = false;
thread_local bool is_in_scope = false;
std::atomic<int64_t> live_memory{0};

bool MustFail() {
  const bool is_counted =
      current_plan.in_scopes ? is_in_scope : is_armed_thread || current_plan.all_threads;
  if (!progress.armed || !is_counted) return false;
  const uint64_t number = ++progress.seen;
  const bool fails =
      current_plan.first != 0 &&
      (number == current_plan.first || (current_plan.all_after && number > current_plan.first));
  if (fails) ++progress.failed;
  return fails;
}

void* Counted(void* memory) {
  if (memory != nullptr) ++live_memory;
  return memory;
}

void* Allocate(size_t size, size_t alignment) {
  if (MustFail()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return Counted(__real_malloc(size));
  return Counted(__real_aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
}

void* AllocateOrThrow(size_t size, size_t alignment) {
  void* const memory = Allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Free(void* memory) {
  if (memory != nullptr) --live_memory;
  __real_free(memory);
}

}  // namespace

void Arm(const FailurePlan& plan, uint64_t seen) {
  current_plan = plan;
  progress.seen = seen;
  progress.failed = 0;
  is_armed_thread = true;
  progress.armed = true;
}

AllocationCounts Disarm() {
  progress.armed = false;
  is_armed_thread = false;
  return {progress.seen, progress.failed};
}

void EnterScope() { is_in_scope = true; }
void LeaveScope() { is_in_scope = false; }

int64_t LiveMemory() { return live_memory; }

}  // namespace bloomline::tests

using bloomline::tests::Allocate;
using bloomline::tests::AllocateOrThrow;
using bloomline::tests::Counted;
using bloomline::tests::Free;
using bloomline::tests::live_memory;
using bloomline::tests::MustFail;

constexpr size_t kDefaultAlignment = 1;

void* operator new(size_t size) { return AllocateOrThrow(size, kDefaultAlignment); }
void* operator new[](size_t size) { return AllocateOrThrow(size, kDefaultAlignment); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size, kDefaultAlignment);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size, kDefaultAlignment);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}

void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { Free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  Free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  Free(memory);
}

extern "C" {

void* __wrap_malloc(size_t size) { return MustFail() ? nullptr : Counted(__real_malloc(size)); }

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return MustFail() ? nullptr : Counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void* memory) { Free(memory); }

void* __wrap_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  if (MustFail()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const memory = __real_mmap(address, size, protection, flags, file, offset);
  if (memory != MAP_FAILED) live_memory += static_cast<int64_t>(size);
  return memory;
}

int __wrap_munmap(void* address, size_t size) {
  live_memory -= static_cast<int64_t>(size);
  return __real_munmap(address, size);
}

// std::thread calls pthread_create from a shared library, which finds this one first.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return MustFail() ? EAGAIN : create(thread, attributes, run, argument);
}

}  // extern "C"

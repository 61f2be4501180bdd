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
void* __real_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset);
}

namespace bloomline::tests {
namespace {

FailurePlan current_plan;
std::atomic<bool> armed{false};
std::atomic<uint64_t> num_seen{0};
std::atomic<uint64_t> num_failed{0};

bool MustFail() {
  if (!armed) return false;
  const uint64_t number = ++num_seen;
  const bool fails =
      current_plan.first != 0 &&
      (number == current_plan.first || (current_plan.all_after && number > current_plan.first));
  if (fails) ++num_failed;
  return fails;
}

void* Allocate(size_t size, std::align_val_t alignment) noexcept {
  const auto bytes = static_cast<size_t>(alignment);
  if (MustFail()) return nullptr;
  if (bytes <= alignof(std::max_align_t)) return __real_malloc(size);
  return __real_aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes);
}

void* AllocateOrThrow(size_t size, std::align_val_t alignment) {
  void* const memory = Allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::align_val_t kDefault{1};

}  // namespace

void Arm(const FailurePlan& plan, uint64_t seen) {
  current_plan = plan;
  num_seen = seen;
  num_failed = 0;
  armed = true;
}

AllocationCounts Disarm() {
  armed = false;
  return {num_seen, num_failed};
}

}  // namespace bloomline::tests

using bloomline::tests::Allocate;
using bloomline::tests::AllocateOrThrow;
using bloomline::tests::kDefault;
using bloomline::tests::MustFail;
using std::align_val_t;
using std::nothrow_t;

// All forms: AddressSanitizer has its own of those that are missing here.
void* operator new(size_t size) { return AllocateOrThrow(size, kDefault); }
void* operator new[](size_t size) { return AllocateOrThrow(size, kDefault); }
void* operator new(size_t size, align_val_t to) { return AllocateOrThrow(size, to); }
void* operator new[](size_t size, align_val_t to) { return AllocateOrThrow(size, to); }
void* operator new(size_t size, const nothrow_t&) noexcept { return Allocate(size, kDefault); }
void* operator new[](size_t size, const nothrow_t&) noexcept { return Allocate(size, kDefault); }
void* operator new(size_t size, align_val_t to, const nothrow_t&) noexcept {
  return Allocate(size, to);
}
void* operator new[](size_t size, align_val_t to, const nothrow_t&) noexcept {
  return Allocate(size, to);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t, const nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, align_val_t, const nothrow_t&) noexcept { std::free(memory); }

extern "C" {

void* __wrap_malloc(size_t size) { return MustFail() ? nullptr : __real_malloc(size); }

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return MustFail() ? nullptr : __real_aligned_alloc(alignment, size);
}

void* __wrap_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  if (!MustFail()) return __real_mmap(address, size, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

// std::thread calls pthread_create from a shared library, which finds this one first.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return MustFail() ? EAGAIN : create(thread, attributes, run, argument);
}

}  // extern "C"

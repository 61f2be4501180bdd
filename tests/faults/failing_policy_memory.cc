#include "tests/faults/failing_policy_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace bloomline::tests {
namespace {

thread_local int depth = 0;  // calls of policy code on this thread's stack
std::atomic<uint64_t> counted{0};
std::atomic<uint64_t> failed{0};
std::atomic<uint64_t> first{0};  // number of the allocation that fails; 0: none
std::atomic<uint64_t> last{0};

void* Allocate(size_t bytes) {
  if (depth > 0) {
    const uint64_t n = ++counted;
    if (first != 0 && n >= first && n <= last) {
      ++failed;
      return nullptr;
    }
  }
  return std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

void FailingPolicyMemory::Arm(uint64_t nth, bool lasting) {
  Disarm();
  last = lasting ? UINT64_MAX : nth;
  first = nth;
}

void FailingPolicyMemory::Disarm() { first = counted = failed = 0; }

uint64_t FailingPolicyMemory::count() { return counted; }
uint64_t FailingPolicyMemory::injected() { return failed; }

void FailingPolicyMemory::Enter(bool) { ++depth; }
void FailingPolicyMemory::Leave(bool) { --depth; }

}  // namespace bloomline::tests

using bloomline::tests::Allocate;

void* operator new(size_t bytes) {
  void* memory = Allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

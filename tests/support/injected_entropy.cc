#include "tests/support/injected_entropy.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace bloomline::tests {
namespace {

constexpr int kNotInjected = -1;
std::atomic<int> zeros_left{kNotInjected};
std::atomic<int> num_calls{0};

}  // namespace

InjectedEntropy::InjectedEntropy(int num_zeros) { zeros_left = num_zeros; }
InjectedEntropy::~InjectedEntropy() { zeros_left = kNotInjected; }

int NumEntropyCalls() { return num_calls; }

}  // namespace bloomline::tests

extern "C" int getentropy(void* buffer, size_t length) {
  using bloomline::tests::kNotInjected;
  using bloomline::tests::zeros_left;
  ++bloomline::tests::num_calls;
  if (zeros_left == kNotInjected) {
    return syscall(SYS_getrandom, buffer, length, 0) == static_cast<long>(length) ? 0 : -1;
  }
  if (zeros_left == 0) {
    errno = ENOSYS;
    return -1;
  }
  --zeros_left;
  std::memset(buffer, 0, length);
  return 0;
}

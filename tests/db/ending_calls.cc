// Preloaded into `bloomline db rewrite`: call number CALL_NUMBER of those that change files ends
// the process, or fails if CALL_FAILS is set, as on a full disk. If CALL_SIGNAL is set, that signal
// comes just before the call.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

// Returns whether the call is to be made.
bool IsMade() {
  static int calls = 0;
  static const char* const number = std::getenv("CALL_NUMBER");
  if (number == nullptr || ++calls != std::atoi(number)) return true;
  if (const char* const signal = std::getenv("CALL_SIGNAL")) {
    std::raise(std::atoi(signal));
    return true;
  }
  if (std::getenv("CALL_FAILS") == nullptr) std::raise(SIGKILL);
  errno = ENOSPC;
  return false;
}

template <typename F>
F* Real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t n, off_t offset) {
  static auto* const real = Real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return IsMade() ? real(descriptor, bytes, n, offset) : -1;
}
extern "C" int fsync(int) { return IsMade() ? 0 : -1; }
extern "C" int chmod(const char* path, mode_t mode) {
  static auto* const real = Real<int(const char*, mode_t)>("chmod");
  return IsMade() ? real(path, mode) : -1;
}
extern "C" int mkdir(const char* path, mode_t mode) {
  static auto* const real = Real<int(const char*, mode_t)>("mkdir");
  return IsMade() ? real(path, mode) : -1;
}
extern "C" int link(const char* from, const char* to) {
  static auto* const real = Real<int(const char*, const char*)>("link");
  return IsMade() ? real(from, to) : -1;
}
extern "C" int rename(const char* from, const char* to) {
  static auto* const real = Real<int(const char*, const char*)>("rename");
  return IsMade() ? real(from, to) : -1;
}
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) {
  static auto* const real = Real<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return IsMade() ? real(from_folder, from, to_folder, to, flags) : -1;
}

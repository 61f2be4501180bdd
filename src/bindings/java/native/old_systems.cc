// Lets libraries that a newer GCC and glibc make run where glibc is 2.28 and the C++ library is
// that of GCC 8. x86-64 alone, and at link time (CMakeLists.txt has the --wrap options).
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>

#define HIDDEN __attribute__((visibility("hidden")))

// NAME is of this version of glibc's function in the library, not of the newest.
#define OF_OLD_GLIBC(name) __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5")
OF_OLD_GLIBC(exp);
OF_OLD_GLIBC(exp2);
OF_OLD_GLIBC(log);
OF_OLD_GLIBC(log2);
OF_OLD_GLIBC(pow);
// These moved from libpthread to libc, with a new version.
OF_OLD_GLIBC(pthread_mutex_trylock);
OF_OLD_GLIBC(pthread_setspecific);
OF_OLD_GLIBC(pthread_getspecific);
OF_OLD_GLIBC(pthread_key_create);
OF_OLD_GLIBC(pthread_once);

extern "C" {
double old_exp(double);
double old_exp2(double);
double old_log(double);
double old_log2(double);
double old_pow(double, double);
int old_pthread_mutex_trylock(void*);
int old_pthread_setspecific(unsigned, const void*);
void* old_pthread_getspecific(unsigned);
int old_pthread_key_create(unsigned*, void (*)(void*));
int old_pthread_once(int*, void (*)());

HIDDEN double __wrap_exp(double x) { return old_exp(x); }
HIDDEN double __wrap_exp2(double x) { return old_exp2(x); }
HIDDEN double __wrap_log(double x) { return old_log(x); }
HIDDEN double __wrap_log2(double x) { return old_log2(x); }
HIDDEN double __wrap_pow(double x, double y) { return old_pow(x, y); }
HIDDEN int __wrap_pthread_mutex_trylock(void* mutex) { return old_pthread_mutex_trylock(mutex); }
HIDDEN int __wrap_pthread_setspecific(unsigned key, const void* value) {
  return old_pthread_setspecific(key, value);
}
HIDDEN void* __wrap_pthread_getspecific(unsigned key) { return old_pthread_getspecific(key); }
HIDDEN int __wrap_pthread_key_create(unsigned* key, void (*destructor)(void*)) {
  return old_pthread_key_create(key, destructor);
}
HIDDEN int __wrap_pthread_once(int* once, void (*function)()) {
  return old_pthread_once(once, function);
}

// Since glibc 2.32, shared_ptr counts without atomic instructions while this is true. A JVM always
// has threads.
HIDDEN char __libc_single_threaded = 0;

// std::_Sp_make_shared_tag::_S_eq of GCC 9: without type information, no tag is that of another
// library.
HIDDEN bool bloomline_is_make_shared_tag(const void*) __asm__(
    "_ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info");
HIDDEN bool bloomline_is_make_shared_tag(const void*) { return false; }

// std::exception_ptr::_M_release of GCC 11 does what the destructor did, which is still there.
void bloomline_destroy_exception(void*) __asm__("_ZNSt15__exception_ptr13exception_ptrD1Ev");
HIDDEN void bloomline_release_exception(void*) __asm__(
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
HIDDEN void bloomline_release_exception(void* pointer) { bloomline_destroy_exception(pointer); }
}

namespace std {

// Of GCC 11. It follows a size that no memory has.
HIDDEN void __throw_bad_array_new_length() { std::abort(); }

// Of GCC 11, for std::future: waits while *place is `value`, until a time of the steady clock.
struct __atomic_futex_unsigned_base {
  HIDDEN bool _M_futex_wait_until_steady(unsigned* place, unsigned value, bool has_end,
                                         chrono::seconds seconds, chrono::nanoseconds rest);
};
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned* place, unsigned value,
                                                              bool has_end, chrono::seconds seconds,
                                                              chrono::nanoseconds rest) {
  const timespec end = {seconds.count(), rest.count()};
  const long status = syscall(SYS_futex, place, FUTEX_WAIT_BITSET, value, has_end ? &end : nullptr,
                              nullptr, FUTEX_BITSET_MATCH_ANY);
  return status == 0 || errno != ETIMEDOUT;
}

}  // namespace std

// Lets policy libraries that a newer GCC and glibc make run where glibc is 2.28 and the C++ library
// is that of GCC 8, on x86-64. cmake/OldSystems.cmake has the link options. With
// BLOOMLINE_STATIC_CXX_LIBRARY, for libraries that have their C++ library inside.
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include <new>

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
OF_OLD_GLIBC(pthread_sigmask);
#ifdef BLOOMLINE_STATIC_CXX_LIBRARY
OF_OLD_GLIBC(pthread_create);
OF_OLD_GLIBC(pthread_join);
OF_OLD_GLIBC(__pthread_key_create);
// Of glibc 2.38, for GLIBCXX_TUNABLES; it also knows binary numbers.
OF_OLD_GLIBC(strtoul);
#endif
// stat and others were inline functions that called these.
OF_OLD_GLIBC(__xstat);
OF_OLD_GLIBC(__lxstat);
OF_OLD_GLIBC(__fxstat);

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
int old_pthread_sigmask(int, const sigset_t*, sigset_t*);
int old___xstat(int, const char*, struct stat*);
int old___lxstat(int, const char*, struct stat*);
int old___fxstat(int, int, struct stat*);

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

HIDDEN int __wrap_pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  return old_pthread_sigmask(how, set, old);
}
constexpr int kStatVersion = 1;
HIDDEN int __wrap_stat(const char* path, struct stat* found) {
  return old___xstat(kStatVersion, path, found);
}
HIDDEN int __wrap_lstat(const char* path, struct stat* found) {
  return old___lxstat(kStatVersion, path, found);
}
HIDDEN int __wrap_fstat(int descriptor, struct stat* found) {
  return old___fxstat(kStatVersion, descriptor, found);
}

// Of glibc 2.30. While this waits, a step of the system's clock moves the end.
HIDDEN int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         clockid_t clock, const timespec* end) {
  timespec now;
  timespec real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  constexpr long kSecond = 1000000000;  // in nanoseconds
  timespec real_end = {real.tv_sec + end->tv_sec - now.tv_sec,
                       real.tv_nsec + end->tv_nsec - now.tv_nsec};
  for (; real_end.tv_nsec < 0; --real_end.tv_sec) real_end.tv_nsec += kSecond;
  for (; real_end.tv_nsec >= kSecond; ++real_end.tv_sec) real_end.tv_nsec -= kSecond;
  return pthread_cond_timedwait(condition, mutex, &real_end);
}

// Since glibc 2.32, shared_ptr counts without atomic instructions while this is true. Atomic ones
// are right without threads, too.
HIDDEN char __libc_single_threaded = 0;

#ifdef BLOOMLINE_STATIC_CXX_LIBRARY
int old_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
int old_pthread_join(pthread_t, void**);
int old___pthread_key_create(unsigned*, void (*)(void*));
unsigned long old_strtoul(const char*, char**, int);
HIDDEN int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                 void* (*function)(void*), void* argument) {
  return old_pthread_create(thread, attributes, function, argument);
}
HIDDEN int __wrap_pthread_join(pthread_t thread, void** result) {
  return old_pthread_join(thread, result);
}
HIDDEN int __wrap___pthread_key_create(unsigned* key, void (*destructor)(void*)) {
  return old___pthread_key_create(key, destructor);
}
HIDDEN unsigned long __wrap___isoc23_strtoul(const char* text, char** end, int base) {
  return old_strtoul(text, end, base);
}
#else
// std::_Sp_make_shared_tag::_S_eq of GCC 9: without type information, no tag is that of another
// library.
HIDDEN bool bloomline_is_make_shared_tag(const void*) __asm__(
    "_ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info");
HIDDEN bool bloomline_is_make_shared_tag(const void*) { return false; }

// Since GCC 11, inline functions of std::exception_ptr call these two, which do what the destructor
// and the constructor of a copy did. Those are still there.
void bloomline_destroy_exception(void*) __asm__("_ZNSt15__exception_ptr13exception_ptrD1Ev");
void bloomline_copy_exception(void*,
                              const void*) __asm__("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_");
HIDDEN void bloomline_release_exception(void*) __asm__(
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
HIDDEN void bloomline_release_exception(void* pointer) { bloomline_destroy_exception(pointer); }
HIDDEN void bloomline_add_exception(void*) __asm__(
    "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
HIDDEN void bloomline_add_exception(void* pointer) {
  void* copy;  // the reference that its destructor would take stays
  bloomline_copy_exception(&copy, pointer);
}

// std::__throw_bad_array_new_length of GCC 11, for a size that no memory has.
[[noreturn]] HIDDEN void bloomline_throw_bad_length() __asm__(
    "_ZSt28__throw_bad_array_new_lengthv");
HIDDEN void bloomline_throw_bad_length() { throw std::bad_alloc(); }
#endif
}

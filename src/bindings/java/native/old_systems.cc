// Lets libraries that a newer GCC and glibc make run where glibc is 2.28 and the C++ library is
// that of GCC 8. x86-64 alone, and at link time (CMakeLists.txt has the --wrap options).
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

// Since glibc 2.32, shared_ptr counts without atomic instructions while this is true. Atomic ones
// are right as well.
HIDDEN char __libc_single_threaded = 0;

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
}

// The native functions of the class BloomlineLibrary: they find rocksdbjni's file, open the policy
// library for it, and call that. Nothing keeps an address in this library, so it may be unloaded
// with its class loader; the policy library never is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>

// As in glibc before 2.34, where these are in libdl, which each JVM has loaded.
__asm__(".symver dladdr1,dladdr1@GLIBC_2.3.3");
__asm__(".symver dlclose,dlclose@GLIBC_2.2.5");
__asm__(".symver dlerror,dlerror@GLIBC_2.2.5");
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");

#define METHOD(type, name) JNIEXPORT type JNICALL Java_io_github_bloomline_BloomlineLibrary_##name

static const char kLinkError[] = "java/lang/UnsatisfiedLinkError";
static const char kArgumentError[] = "java/lang/IllegalArgumentException";

static const struct link_map* FileWith(const void* address) {
  Dl_info info;
  void* file = NULL;
  return dladdr1(address, &info, &file, RTLD_DL_LINKMAP) == 0 ? NULL : file;
}

static void Throw(JNIEnv* env, const char* class_name, const char* reason) {
  const jclass type = (*env)->FindClass(env, class_name);
  if (type != NULL) (*env)->ThrowNew(env, type, reason != NULL ? reason : "unknown");
}

// The virtual table of the policy behind a Filter's handle, which is a shared_ptr's address.
static const void* TableOf(jlong filter) {
  const void* const* const* const policy = *(const void* const* const* const*)(uintptr_t)filter;
  return *policy;
}

// A function of the policy library; null with a pending error if it has none of this name.
static void* FunctionIn(JNIEnv* env, void* library, const char* name) {
  void* const function = dlsym(library, name);
  if (function == NULL) Throw(env, kLinkError, dlerror());
  return function;
}

// The path of the file that has the code of this filter of RocksDB, or null.
METHOD(jstring, fileOf)(JNIEnv* env, jclass type, jlong filter) {
  (void)type;
  const struct link_map* const file = FileWith(TableOf(filter));
  return file == NULL ? NULL : (*env)->NewStringUTF(env, file->l_name);
}

// An address in the loaded file of this filter. Two copies of rocksdbjni may have the same path.
METHOD(jlong, placeOf)(JNIEnv* env, jclass type, jlong filter) {
  (void)env;
  (void)type;
  return (jlong)(uintptr_t)TableOf(filter);
}

// Whether the file of this filter has the std::string of GCC 5 and later.
METHOD(jboolean, hasNewString)(JNIEnv* env, jclass type, jlong filter) {
  (void)env;
  (void)type;
  const struct link_map* const file = FileWith(TableOf(filter));
  void* const opened = file == NULL ? NULL : dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == NULL) return JNI_FALSE;
  const jboolean is_new =
      dlsym(opened, "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb") != NULL ? JNI_TRUE : JNI_FALSE;
  dlclose(opened);
  return is_new;
}

// Opens a policy library, which must find its RocksDB's functions in the file of `filter`.
METHOD(jlong, open)(JNIEnv* env, jclass type, jstring path, jlong filter) {
  (void)type;
  const char* const text = (*env)->GetStringUTFChars(env, path, NULL);
  if (text == NULL) return 0;
  void* const library = dlopen(text, RTLD_NOW | RTLD_LOCAL);
  (*env)->ReleaseStringUTFChars(env, path, text);
  if (library == NULL) {
    Throw(env, kLinkError, dlerror());
    return 0;
  }
  const void* (*const function)(void) =
      (const void* (*)(void))FunctionIn(env, library, "bloomline_java_rocksdb_function");
  if (function == NULL) return 0;
  if (FileWith(function()) != FileWith(TableOf(filter))) {
    Throw(env, kLinkError, "another RocksDB of this process hides that of rocksdbjni");
    return 0;
  }
  return (jlong)(uintptr_t)library;
}

// Returns the handle of a new filter. `options` is UTF-8 that ends with 0.
METHOD(jlong, newFilter)(JNIEnv* env, jclass type, jlong library, jbyteArray options) {
  (void)type;
  void* (*const make)(const char*, char**) = (void* (*)(const char*, char**))FunctionIn(
      env, (void*)(uintptr_t)library, "bloomline_java_new_filter");
  if (make == NULL) return 0;
  jbyte* const text = (*env)->GetByteArrayElements(env, options, NULL);
  if (text == NULL) return 0;
  char* error = NULL;
  void* const filter = make((const char*)text, &error);
  (*env)->ReleaseByteArrayElements(env, options, text, JNI_ABORT);
  if (filter == NULL) Throw(env, kArgumentError, error);
  free(error);
  return (jlong)(uintptr_t)filter;
}

METHOD(void, register)(JNIEnv* env, jclass type, jlong library) {
  (void)type;
  char* (*const known)(void) =
      (char* (*)(void))FunctionIn(env, (void*)(uintptr_t)library, "bloomline_java_register");
  if (known == NULL) return;
  char* const error = known();
  if (error != NULL) Throw(env, kLinkError, error);
  free(error);
}

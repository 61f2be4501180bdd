// The native functions of the class BloomlineLibrary: they find rocksdbjni's file, open the policy
// library for it, and call that. Nothing keeps an address in this library, so it may be unloaded
// with its class loader; the policy library never is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// As in glibc before 2.34, where these are in libdl, which each JVM has loaded.
__asm__(".symver dladdr1,dladdr1@GLIBC_2.3.3");
__asm__(".symver dlclose,dlclose@GLIBC_2.2.5");
__asm__(".symver dlerror,dlerror@GLIBC_2.2.5");
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");

#define METHOD(type, name) JNIEXPORT type JNICALL Java_io_github_bloomline_BloomlineLibrary_##name

static const struct link_map* FileWith(const void* address) {
  Dl_info info;
  void* file = NULL;
  return dladdr1(address, &info, &file, RTLD_DL_LINKMAP) == 0 ? NULL : file;
}

// Text goes to Java as bytes: a jstring of JNI is made of another UTF-8. Null, with a pending
// error, if memory is missing.
static jbyteArray BytesOf(JNIEnv* env, const char* text) {
  const jsize size = (jsize)strlen(text);
  const jbyteArray bytes = (*env)->NewByteArray(env, size);
  if (bytes != NULL) (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte*)text);
  return bytes;
}

// Sets error[0]. `reason` may be null.
static void SetError(JNIEnv* env, jobjectArray error, const char* reason) {
  const jbyteArray bytes = BytesOf(env, reason != NULL ? reason : "unknown");
  if (bytes != NULL) (*env)->SetObjectArrayElement(env, error, 0, bytes);
}

// The virtual table of the policy behind a Filter's handle, which is a shared_ptr's address.
static const void* TableOf(jlong filter) {
  const void* const* const* const policy = *(const void* const* const* const*)(uintptr_t)filter;
  return *policy;
}

// The path of the file that has the code of this filter of RocksDB, or null.
METHOD(jbyteArray, fileOf)(JNIEnv* env, jclass type, jlong filter) {
  (void)type;
  const struct link_map* const file = FileWith(TableOf(filter));
  return file == NULL ? NULL : BytesOf(env, file->l_name);
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

// Opens a policy library, which must find its RocksDB's functions in the file of `filter`. Returns
// 0, with error[0], if it cannot be used. `path` ends with 0.
METHOD(jlong, open)(JNIEnv* env, jclass type, jbyteArray path, jlong filter, jobjectArray error) {
  (void)type;
  jbyte* const text = (*env)->GetByteArrayElements(env, path, NULL);
  if (text == NULL) return 0;
  void* const library = dlopen((const char*)text, RTLD_NOW | RTLD_LOCAL);
  (*env)->ReleaseByteArrayElements(env, path, text, JNI_ABORT);
  const void* (*const function)(void) =
      library == NULL ? NULL
                      : (const void* (*)(void))dlsym(library, "bloomline_java_rocksdb_function");
  if (function == NULL) {
    SetError(env, error, dlerror());
    return 0;
  }
  if (FileWith(function()) != FileWith(TableOf(filter))) {
    SetError(env, error,
             "another RocksDB of this process hides that of rocksdbjni: preload neither bloomline "
             "nor a librocksdb beside the jar");
    return 0;
  }
  return (jlong)(uintptr_t)library;
}

// Returns the handle of a new filter, or 0, with error[0]. `options` is UTF-8 that ends with 0.
METHOD(jlong, newFilter)
(JNIEnv* env, jclass type, jlong library, jbyteArray options, jobjectArray error) {
  (void)type;
  void* (*const make)(const char*, char**) =
      (void* (*)(const char*, char**))dlsym((void*)(uintptr_t)library, "bloomline_java_new_filter");
  jbyte* const text = (*env)->GetByteArrayElements(env, options, NULL);
  if (text == NULL) return 0;
  char* reason = NULL;
  void* const filter = make((const char*)text, &reason);
  (*env)->ReleaseByteArrayElements(env, options, text, JNI_ABORT);
  if (filter == NULL) SetError(env, error, reason);
  free(reason);
  return (jlong)(uintptr_t)filter;
}

// Returns the handle of a new listener, or 0, with error[0].
METHOD(jlong, newAccount)(JNIEnv* env, jclass type, jlong library, jobjectArray error) {
  (void)type;
  void* (*const make)(char**) =
      (void* (*)(char**))dlsym((void*)(uintptr_t)library, "bloomline_java_new_account");
  char* reason = NULL;
  void* const account = make(&reason);
  if (account == NULL) SetError(env, error, reason);
  free(reason);
  return (jlong)(uintptr_t)account;
}

// Returns null, or why RocksDB has no names of bloomline.
METHOD(jbyteArray, register)(JNIEnv* env, jclass type, jlong library) {
  (void)type;
  char* const reason =
      ((char* (*)(void))dlsym((void*)(uintptr_t)library, "bloomline_java_register"))();
  const jbyteArray bytes = reason == NULL ? NULL : BytesOf(env, reason);
  free(reason);
  return bytes;
}

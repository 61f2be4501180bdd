# Lets policy libraries for programs that bundle RocksDB run where glibc is 2.28 and the C++ library
# is that of GCC 8, as on RHEL 8, on x86-64. Included before the core, whose text of numbers is
# another one then. The libraries in a wheel for Python have the C++ library inside, and set
# BLOOMLINE_STATIC_CXX_LIBRARY: then only glibc is an old one, and the core is as always.
include(CheckSymbolExists)
check_symbol_exists(__GLIBC__ features.h BLOOMLINE_HAS_GLIBC)
if(NOT BLOOMLINE_HAS_GLIBC OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  function(bloomline_for_old_systems target)
  endfunction()
  return()
endif()
if(NOT BLOOMLINE_STATIC_CXX_LIBRARY)
  add_compile_definitions(BLOOMLINE_OLD_CXX_LIBRARY)
endif()
set(bloomline_old_systems "${CMAKE_CURRENT_LIST_DIR}/../src/engines/preload/old_systems.cc")

# bloomline_for_old_systems(TARGET): a library that is opened late.
function(bloomline_for_old_systems target)
  target_sources(${target} PRIVATE "${bloomline_old_systems}")
  set_source_files_properties("${bloomline_old_systems}" PROPERTIES
                              SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -fno-lto)
  # glibc has newer versions of these, but for the libraries' needs the old ones are the same.
  set(newer exp exp2 log log2 pow pthread_mutex_trylock pthread_setspecific pthread_getspecific
      pthread_key_create pthread_once pthread_sigmask pthread_cond_clockwait stat lstat fstat)
  if(BLOOMLINE_STATIC_CXX_LIBRARY)
    set_source_files_properties("${bloomline_old_systems}" PROPERTIES
                                COMPILE_DEFINITIONS BLOOMLINE_STATIC_CXX_LIBRARY)
    list(APPEND newer pthread_create pthread_join __pthread_key_create __isoc23_strtoul)
    # Until glibc 2.33, threads are in this library, which a program need not have.
    target_link_options(${target} PRIVATE LINKER:--push-state,--no-as-needed
                        LINKER:-l:libpthread.so.0,--pop-state)
  endif()
  list(TRANSFORM newer PREPEND "LINKER:--wrap=")
  target_link_options(${target} PRIVATE ${newer})
endfunction()

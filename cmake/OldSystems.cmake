# Lets policy libraries for programs that bundle RocksDB run where glibc is 2.28 and the C++ library
# is that of GCC 8, as on RHEL 8, on x86-64. Included before the core, whose text of numbers is
# another one then.
include(CheckSymbolExists)
check_symbol_exists(__GLIBC__ features.h BLOOMLINE_HAS_GLIBC)
if(NOT BLOOMLINE_HAS_GLIBC OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  function(bloomline_for_old_systems target)
  endfunction()
  return()
endif()
add_compile_definitions(BLOOMLINE_OLD_CXX_LIBRARY)
set(bloomline_old_systems "${CMAKE_CURRENT_LIST_DIR}/../src/engines/preload/old_systems.cc")

# bloomline_for_old_systems(TARGET): a library that is opened late.
function(bloomline_for_old_systems target)
  target_sources(${target} PRIVATE "${bloomline_old_systems}")
  set_source_files_properties("${bloomline_old_systems}" PROPERTIES
                              SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -fno-lto)
  # glibc has newer versions of these, but for the libraries' needs the old ones are the same.
  set(newer exp exp2 log log2 pow pthread_mutex_trylock pthread_setspecific pthread_getspecific
      pthread_key_create pthread_once pthread_sigmask pthread_cond_clockwait stat lstat fstat)
  list(TRANSFORM newer PREPEND "LINKER:--wrap=")
  target_link_options(${target} PRIVATE ${newer})
endfunction()

# Compiles the standard headers that most sources of the libraries read once for all libraries: for
# most sources that is a third to a half of the time. tests/support/precompiled.cmake is the same
# for tests.
#
# A source that forgets one of these headers compiles all the same. Builds that do without show it:
# those of tsan and of other-cpu, and all with a compiler cache.
if(CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CROSSCOMPILING)
  return()
endif()
set(headers <algorithm> <atomic> <cmath> <cstddef> <cstdint> <cstring> <limits> <memory> <new>
            <optional> <string> <string_view> <utility> <vector>)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  list(APPEND headers <immintrin.h>)
endif()
target_precompile_headers(bloomline_core PRIVATE ${headers})
get_property(names GLOBAL PROPERTY BLOOMLINE_COMPONENTS)
foreach(name IN LISTS names)
  get_target_property(options bloomline_${name} COMPILE_OPTIONS)
  # The compiler refuses headers that were compiled with other flags.
  if(name STREQUAL "core" OR options MATCHES "-fno-rtti" OR
     (name STREQUAL "rocksdb" AND NOT BLOOMLINE_ROCKSDB_STANDARD EQUAL 17))
    continue()
  endif()
  target_precompile_headers(bloomline_${name} REUSE_FROM bloomline_core)
endforeach()

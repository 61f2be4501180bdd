# Compiles the headers that most tests include once for all tests: GoogleTest, a part of the standard
# library and, for tests of RocksDB, its database and tables. A test takes 0.4 to 0.9 seconds less.
#
# A source that forgets one of these headers compiles all the same. Builds that do without show it:
# all with a compiler cache, which could not keep what depends on these (ccache wants sloppiness for
# it), those for another processor, and those with CMAKE_DISABLE_PRECOMPILE_HEADERS.
if(CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CROSSCOMPILING)
  return()
endif()

file(CONFIGURE OUTPUT precompiled.cc CONTENT "")
# bloomline_precompile(NAME LIBRARIES HEADERS...)
function(bloomline_precompile name libraries)
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cc")
  set_property(TARGET ${name} PROPERTY COMPILE_OPTIONS ${bloomline_test_flags})  # others' code
  target_link_libraries(${name} PRIVATE ${libraries})
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
set(headers <gtest/gtest.h> <algorithm> <atomic> <cstdio> <cstdlib> <cstring> <filesystem> <fstream>
            <memory> <random> <set> <sstream> <string> <string_view> <thread> <utility> <vector>)
bloomline_precompile(bloomline_test_headers bloomline_test_support ${headers})
if(BLOOMLINE_ROCKSDB)
  bloomline_precompile(bloomline_rocksdb_test_headers "bloomline_test_support;bloomline::rocksdb"
    ${headers} <rocksdb/convenience.h> <rocksdb/db.h> <rocksdb/filter_policy.h>
    <rocksdb/slice_transform.h> <rocksdb/statistics.h> <rocksdb/table.h>)
endif()

# All targets here and below that link bloomline_test_support, themselves or by another library of
# the tests.
function(bloomline_use_precompiled directory)
  get_property(folders DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(folder ${folders})
    bloomline_use_precompiled("${folder}")
  endforeach()
  get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(options ${target} COMPILE_OPTIONS)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(NOT type MATCHES "EXECUTABLE|STATIC_LIBRARY" OR target MATCHES "_headers$" OR
       options MATCHES "-fno-rtti|-O2" OR NOT libraries MATCHES "bloomline_test|bloomline_directory")
      continue()
    endif()
    # Some name it in an expression, for builds that have it.
    if(libraries MATCHES "bloomline::rocksdb" AND TARGET bloomline_rocksdb_test_headers)
      target_precompile_headers(${target} REUSE_FROM bloomline_rocksdb_test_headers)
    else()
      target_precompile_headers(${target} REUSE_FROM bloomline_test_headers)
    endif()
  endforeach()
endfunction()
bloomline_use_precompiled("${CMAKE_CURRENT_SOURCE_DIR}")

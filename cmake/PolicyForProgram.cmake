# Builds libbloomline_rocksdb_preload_policy-INTERFACE.so alone, for programs that bundle a RocksDB
# of this interface. BLOOMLINE_ROCKSDB_HEADERS has headers of one of its versions; no librocksdb is
# needed. The name ends in -old-string and -no-rtti if the program's RocksDB is such a one.
# packaging/policy_for calls this.
option(BLOOMLINE_ROCKSDB_RTTI "The program's RocksDB was compiled with type information" ON)
option(BLOOMLINE_ROCKSDB_OLD_STRING "The program's RocksDB has the std::string before GCC 5" OFF)
find_path(BLOOMLINE_ROCKSDB_INCLUDE_DIR rocksdb/version.h REQUIRED NO_DEFAULT_PATH
          PATHS "${BLOOMLINE_ROCKSDB_HEADERS}" "${BLOOMLINE_ROCKSDB_HEADERS}/include")
file(READ "${BLOOMLINE_ROCKSDB_INCLUDE_DIR}/rocksdb/version.h" version)
if(NOT version MATCHES "ROCKSDB_MAJOR ([0-9]+).*ROCKSDB_MINOR ([0-9]+)")
  message(FATAL_ERROR "${BLOOMLINE_ROCKSDB_INCLUDE_DIR}/rocksdb/version.h has no version")
endif()
# The interface of this version: see src/engines/rocksdb/builder/tested_versions.h.
math(EXPR number "100 * ${CMAKE_MATCH_1} + ${CMAKE_MATCH_2}")
file(READ "${PROJECT_SOURCE_DIR}/src/engines/rocksdb/builder/tested_versions.h" tested)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             "${PROJECT_SOURCE_DIR}/src/engines/rocksdb/builder/tested_versions.h")
if(NOT tested MATCHES "{${number}, ([0-9]+), " OR number LESS CMAKE_MATCH_1)
  message(FATAL_ERROR "${BLOOMLINE_ROCKSDB_INCLUDE_DIR} has the headers of RocksDB ${number} (100 * "
                      "major + minor), which serve no interface of tested_versions.h")
endif()
math(EXPR major "${CMAKE_MATCH_1} / 100")
math(EXPR minor "${CMAKE_MATCH_1} % 100")
set(name "rocksdb_preload_policy-${major}.${minor}")
add_compile_definitions(BLOOMLINE_POLICY_FOR_PROGRAM)

if(BLOOMLINE_ROCKSDB_OLD_STRING)
  string(APPEND name "-old-string")
  add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)
endif()

# In the program, the library of this name makes its RocksDB visible: see
# src/engines/preload/private_scope.h. Here it is empty, and gives the policy library its name.
file(WRITE "${PROJECT_BINARY_DIR}/empty.cc" "")
add_library(bloomline_rocksdb_of_program SHARED "${PROJECT_BINARY_DIR}/empty.cc")

set(BLOOMLINE_ROCKSDB_TARGET bloomline_rocksdb_headers)
add_library(${BLOOMLINE_ROCKSDB_TARGET} INTERFACE IMPORTED)
target_include_directories(${BLOOMLINE_ROCKSDB_TARGET} SYSTEM INTERFACE
                           "${BLOOMLINE_ROCKSDB_INCLUDE_DIR}")
set(bloomline_rocksdb_RTTI "${BLOOMLINE_ROCKSDB_RTTI}")  # bloomline_derives_from need not find out
if(NOT BLOOMLINE_ROCKSDB_RTTI)
  string(APPEND name "-no-rtti")
endif()

include(OldSystems)
add_subdirectory(src/filter)
add_subdirectory(src/engines/rocksdb)
set(BLOOMLINE_POLICY_NAME "${name}")
add_subdirectory(src/engines/preload)

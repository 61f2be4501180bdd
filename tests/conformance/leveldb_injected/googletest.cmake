# LevelDB's build adds the folder third_party/googletest, a submodule that its source package lacks.
# This file is there instead. It gives the tests the installed GoogleTest, and the policy under test
# in place of LevelDB's own.
find_package(GTest REQUIRED)
foreach(name gtest gmock gtest_main)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE GTest::${name})
endforeach()

# bloomline's core as its own build made it, and the adaptor with this LevelDB's headers and flags.
add_library(bloomline_core STATIC IMPORTED GLOBAL)
set_target_properties(bloomline_core PROPERTIES
  IMPORTED_LOCATION "${BLOOMLINE_BUILD}/libbloomline_core.a"
  INTERFACE_INCLUDE_DIRECTORIES
    "${BLOOMLINE_SOURCE};${BLOOMLINE_SOURCE}/include;${BLOOMLINE_BUILD}/xxhash")
file(GLOB adaptor "${BLOOMLINE_SOURCE}/src/engines/leveldb/*.cc")
add_library(bloomline_leveldb STATIC ${adaptor})
target_compile_options(bloomline_leveldb PRIVATE -fexceptions)  # LevelDB itself has none
target_link_libraries(bloomline_leveldb PUBLIC bloomline_core leveldb)

add_library(injected_policy OBJECT
            "${BLOOMLINE_SOURCE}/tests/conformance/leveldb_injected/policy.cc")
target_link_libraries(injected_policy PRIVATE bloomline_leveldb)
# An object comes before all archives: LevelDB's bloom.cc is not even linked.
target_sources(gtest INTERFACE $<TARGET_OBJECTS:injected_policy>)
target_link_libraries(gtest INTERFACE bloomline_leveldb)

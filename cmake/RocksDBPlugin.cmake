# bloomline inside RocksDB's own build, with -DROCKSDB_PLUGINS=bloomline (docs/rocksdb.md). RocksDB
# compiles the folders that bloomline.mk names. Its CMake takes from here what a .mk file cannot say.
get_filename_component(bloomline_folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
if(NOT bloomline_folder STREQUAL "bloomline")
  message(FATAL_ERROR
          "The folder of the plugin is '${bloomline_folder}'; it must be plugin/bloomline")
endif()
file(GLOB_RECURSE bloomline_sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS
     src/support/[!.]*.cc src/filter/[!.]*.cc src/engines/rocksdb/[!.]*.cc)
set(bloomline_SOURCES ${bloomline_sources} PARENT_SCOPE)
# For bloomline's files alone. CMakeLists.txt says why the functions are aligned.
set(bloomline_COMPILE_FLAGS "-falign-functions=64 -I${CMAKE_CURRENT_SOURCE_DIR} \
-I${CMAKE_CURRENT_SOURCE_DIR}/include" PARENT_SCOPE)

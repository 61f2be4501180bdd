# What `bloomline db` reads databases with: static libraries that only the tool and tests link.

# bloomline_tool_library(NAME SOURCE...). Built only where something links it: without the tool, a
# bench or a fuzzer needs one or two of them.
function(bloomline_tool_library name)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_compile_options(${name} PRIVATE ${BLOOMLINE_WARNINGS})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC bloomline_filters)
endfunction()

# Tables: bloomline_sstable
bloomline_tool_library(bloomline_sstable
  src/inspect/sstable/block_cursor.cc
  src/inspect/sstable/block_file.cc
  src/inspect/sstable/bytes/checksum.cc
  src/inspect/sstable/comparator.cc
  src/inspect/sstable/bytes/decompressor.cc
  src/inspect/sstable/filter_reader.cc
  src/inspect/sstable/index_cursor.cc
  src/inspect/sstable/key_reader.cc
  src/inspect/sstable/properties.cc
  src/inspect/sstable/table.cc)
target_include_directories(bloomline_sstable SYSTEM PRIVATE "${XXHASH_INCLUDE_DIR}")

# bloomline_codec(NAME HEADER LIBRARY CALL): a compression library, if it is there; without it, a
# block that needs it is an error. Its folder is only used if a program links: a cross compiler may
# find the host's.
function(bloomline_codec name header library call)
  find_path(BLOOMLINE_${name}_INCLUDE_DIR ${header})
  find_library(BLOOMLINE_${name}_LIBRARY ${library})
  mark_as_advanced(BLOOMLINE_${name}_INCLUDE_DIR BLOOMLINE_${name}_LIBRARY)
  if(BLOOMLINE_${name}_INCLUDE_DIR AND BLOOMLINE_${name}_LIBRARY)
    set(CMAKE_REQUIRED_INCLUDES "${BLOOMLINE_${name}_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${BLOOMLINE_${name}_LIBRARY}")
    check_cxx_source_compiles(
      "#include <stddef.h>\n#include <stdio.h>\n#include <${header}>\nint main() { return ${call}; }"
      BLOOMLINE_HAS_${name})
  endif()
  if(BLOOMLINE_HAS_${name})
    set_property(SOURCE src/inspect/sstable/bytes/decompressor.cc APPEND PROPERTY
                 COMPILE_DEFINITIONS BLOOMLINE_${name})
    target_include_directories(bloomline_sstable SYSTEM
                               PRIVATE "${BLOOMLINE_${name}_INCLUDE_DIR}")
    target_link_libraries(bloomline_sstable PRIVATE "${BLOOMLINE_${name}_LIBRARY}")
  else()
    message(STATUS "bloomline db reads no blocks that are compressed with ${library}")
  endif()
endfunction()
bloomline_codec(SNAPPY snappy-c.h snappy "(int)snappy_max_compressed_length(1)")
bloomline_codec(LZ4 lz4.h lz4 "LZ4_versionNumber()")
bloomline_codec(ZSTD zstd.h zstd "(int)ZSTD_versionNumber()")
bloomline_codec(ZLIB zlib.h z "(int)zlibCompileFlags()")
bloomline_codec(BZIP2 bzlib.h bz2 "*BZ2_bzlibVersion()")

# Filters: bloomline_engine_filters
bloomline_tool_library(bloomline_engine_filters
  src/inspect/engine_filters/double_hashing.cc src/inspect/engine_filters/engine_filter.cc
  src/inspect/engine_filters/leveldb_container.cc src/inspect/engine_filters/rates.cc
  src/inspect/engine_filters/rocksdb_container.cc src/inspect/engine_filters/rocksdb_hash.cc)

# Directories: bloomline_database
bloomline_tool_library(bloomline_database
  src/inspect/database/database.cc
  src/inspect/database/directory.cc
  src/inspect/database/file_names.cc
  src/inspect/database/filter_names.cc
  src/inspect/database/info_log.cc
  src/inspect/database/manifest.cc
  src/inspect/database/options_file.cc
  src/inspect/database/record_log.cc
  src/inspect/database/version_edit.cc)
target_link_libraries(bloomline_database PUBLIC bloomline_sstable)

# Advice: bloomline_advice
bloomline_tool_library(bloomline_advice
  src/inspect/advice/advice.cc
  src/inspect/advice/division.cc
  src/inspect/advice/instructions.cc)
target_include_directories(bloomline_advice SYSTEM PRIVATE "${XXHASH_INCLUDE_DIR}")

# What `bloomline db` reads databases with: static libraries that only the tool and tests link.

# bloomline_tool_library(NAME SOURCE...)
function(bloomline_tool_library name)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_compile_options(${name} PRIVATE ${BLOOMLINE_WARNINGS})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC bloomline_filters)
endfunction()

# Tables: bloomline_sstable

# Filters: bloomline_engine_filters
bloomline_tool_library(bloomline_engine_filters
  src/engine_filters/double_hashing.cc src/engine_filters/engine_filter.cc
  src/engine_filters/leveldb_container.cc src/engine_filters/rates.cc
  src/engine_filters/rocksdb_container.cc src/engine_filters/rocksdb_hash.cc)

# Directories: bloomline_database

# Advice: bloomline_advice

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

# Directories: bloomline_database

# Advice: bloomline_advice
bloomline_tool_library(bloomline_advice
  src/advice/advice.cc
  src/advice/division.cc
  src/advice/filter_figures.cc
  src/advice/instructions.cc
  src/advice/remarks.cc
  src/advice/situation.cc)
target_include_directories(bloomline_advice SYSTEM PRIVATE "${XXHASH_INCLUDE_DIR}")

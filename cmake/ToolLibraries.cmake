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
bloomline_tool_library(bloomline_database
  src/database/database.cc
  src/database/directory.cc
  src/database/file_names.cc
  src/database/filter_names.cc
  src/database/info_log.cc
  src/database/key_order.cc
  src/database/manifest.cc
  src/database/options_file.cc
  src/database/record_log.cc
  src/database/ticker_text.cc
  src/database/version_edit.cc)

# Advice: bloomline_advice

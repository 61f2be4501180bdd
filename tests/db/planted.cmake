# `bloomline db` on databases with planted false negatives, and its rates against tickers.
add_library(bloomline_test_tool_run INTERFACE)
target_compile_definitions(bloomline_test_tool_run INTERFACE
  BLOOMLINE_TOOL_PATH="$<TARGET_FILE:bloomline_tool>")
target_link_libraries(bloomline_test_tool_run INTERFACE nlohmann_json::nlohmann_json)
add_dependencies(bloomline_test_tool_run bloomline_tool)

bloomline_test(planted_losses_test.cc LONG bloomline_test_tool_run)
if(BLOOMLINE_ROCKSDB)
  target_sources(planted_losses_test PRIVATE planted_losses_rocksdb.cc)
  target_compile_definitions(planted_losses_test PRIVATE BLOOMLINE_TEST_ROCKSDB)
  target_link_libraries(planted_losses_test PRIVATE bloomline::rocksdb)
  if(NOT bloomline_rocksdb_RTTI)  # it derives classes from the engine's
    set_source_files_properties(planted_losses_rocksdb.cc PROPERTIES COMPILE_OPTIONS -fno-rtti)
  endif()
endif()
if(BLOOMLINE_LEVELDB)
  target_sources(planted_losses_test PRIVATE planted_losses_leveldb.cc)
  target_compile_definitions(planted_losses_test PRIVATE BLOOMLINE_TEST_LEVELDB)
  target_link_libraries(planted_losses_test PRIVATE bloomline::leveldb)
  if(NOT bloomline_leveldb_RTTI)  # it derives classes from the engine's
    set_source_files_properties(planted_losses_leveldb.cc PROPERTIES COMPILE_OPTIONS -fno-rtti)
  endif()
endif()

if(BLOOMLINE_ROCKSDB)
  bloomline_test(tool_rates_test.cc LONG bloomline_test_tool_run bloomline::rocksdb)
  target_sources(tool_rates_test PRIVATE ../engines/five_levels.cc)
endif()

# The session in docs/db.md. Its programs do not run with a sanitizer in their preload library.
if(TARGET bloomline_rocksdb_preload AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  bloomline_script_test(tool_session session_test "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
endif()

# What registers tests.

# bloomline_tests(PROGRAM SOURCES... LIBRARIES... [LONG NAMES...]): a GoogleTest program of the sources
# that the patterns match, without tests that a program of the folder has already. Most of the time of
# a build is parsing, so files are compiled together. ctest runs each test in a process; under
# sanitizers and emulators, where a process takes a tenth of a second to start, each file's tests in
# one. LONG: files that are left out without BLOOMLINE_LONG_TESTS. A program of a part that is not
# built is left out.
function(bloomline_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LONG")
  set(libraries ${ARG_UNPARSED_ARGUMENTS})
  list(FILTER libraries EXCLUDE REGEX "\\.cc$")
  list(FILTER ARG_UNPARSED_ARGUMENTS INCLUDE REGEX "\\.cc$")
  file(GLOB sources CONFIGURE_DEPENDS ${ARG_UNPARSED_ARGUMENTS})
  get_property(others DIRECTORY PROPERTY bloomline_tests)
  list(REMOVE_ITEM sources ${others} "")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set_property(DIRECTORY APPEND PROPERTY bloomline_tests ${tests})
  foreach(library IN LISTS libraries)
    if(library MATCHES "^bloomline(::(leveldb|rocksdb|redis)|_model|_tree|_engine_filters|\
_tables|_test_redis_server|_test_tool_run)$" AND NOT TARGET ${library})
      return()
    endif()
  endforeach()
  set(names "")
  set(left_out "")
  foreach(test IN LISTS tests)
    get_filename_component(name ${test} NAME_WE)
    if(name MATCHES "^(${BLOOMLINE_TEST_PROGRAMS})$" AND
       (BLOOMLINE_LONG_TESTS OR NOT name IN_LIST ARG_LONG))
      list(APPEND names ${name})
    else()
      list(APPEND left_out ${test})
    endif()
  endforeach()
  if(names)
    list(REMOVE_ITEM sources ${left_out} "")
  endif()
  if(CMAKE_DIRECTORY_LABELS STREQUAL "engines")
    list(APPEND sources "${PROJECT_SOURCE_DIR}/tests/support/no_fsync.cc")
  endif()
  add_executable(${program} ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_target_properties(${program} PROPERTIES UNITY_BUILD ON)
  target_compile_definitions(${program} PRIVATE
    BLOOMLINE_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  target_link_libraries(${program} PRIVATE bloomline_test_support ${libraries})
  if(bloomline::rocksdb IN_LIST libraries)
    bloomline_rocksdb_programs(${program})
  else()
    bloomline_reuse_headers(${program} bloomline_test_support)
  endif()
  if(NOT names)
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  foreach(name IN LISTS names)
    set(cost 0)
    if(name IN_LIST ARG_LONG)  # they begin early, or one core idles while the other ends them
      set(cost 50)
    endif()
    if((CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_CROSSCOMPILING) AND
       NOT name STREQUAL "kernel_threads_test")
      add_test(NAME ${name} COMMAND ${program} --gtest_filter=${name})
      set_tests_properties(${name} PROPERTIES TIMEOUT 600)
    else()  # also where a test needs the first use of a kernel in its process
      gtest_discover_tests(${program} TEST_PREFIX "${name}." TEST_FILTER ${name}
                           TEST_LIST bloomline_names DISCOVERY_TIMEOUT 60
                           PROPERTIES TIMEOUT 600 COST ${cost})
      set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${bloomline_label_long}")
    endif()
  endforeach()
endfunction()

# bloomline_reuse_headers(PROGRAM OWNER): the precompiled headers of OWNER, which each file would
# parse again for a third of its time. A program without type information cannot use them, and where
# an engine has none, some programs have none.
function(bloomline_reuse_headers program owner)
  if((BLOOMLINE_ROCKSDB AND NOT bloomline_rocksdb_RTTI) OR
     (BLOOMLINE_LEVELDB AND NOT bloomline_leveldb_RTTI))
    return()
  endif()
  target_precompile_headers(${program} REUSE_FROM ${owner})
endfunction()

# bloomline_rocksdb_programs(PROGRAMS...): their time is RocksDB's and the compiler's.
function(bloomline_rocksdb_programs)
  foreach(program IN LISTS ARGN)
    target_compile_options(${program} PRIVATE ${bloomline_quick_compile_flags})
    target_link_libraries(${program} PRIVATE bloomline_test_rocksdb)
    bloomline_reuse_headers(${program} bloomline_test_rocksdb)
  endforeach()
endfunction()

# bloomline_long_programs(TARGETS...): what only tests need that tests/long_tests.txt names. The target
# long_tests builds them.
function(bloomline_long_programs)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(long_tests ${ARGN})
endfunction()

# bloomline_failing_new(NAME): links tests/faults/failing_new.cc, which replaces malloc and others.
function(bloomline_failing_new name)
  set(source "${PROJECT_SOURCE_DIR}/tests/faults/failing_new.cc")
  target_sources(${name} PRIVATE "${source}")
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_options(${name} PRIVATE -Wl,--wrap=malloc,--wrap=aligned_alloc,--wrap=mmap)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

# bloomline_c_test(SOURCE LIBRARIES... [LAUNCHER COMMAND]): a program in C99, run with a
# temporary folder, by the command if there is one.
function(bloomline_c_test source)
  get_filename_component(name ${source} NAME_WE)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" LAUNCHER "")
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -pedantic)
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)  # opendir
  target_link_libraries(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  if(NOT name MATCHES "^(${BLOOMLINE_TEST_PROGRAMS})$")
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_test(NAME ${name} COMMAND sh -c [[d=$(mktemp -d) && trap 'rm -rf "$d"' EXIT && "$@" "$d"]] sh
                                ${ARG_LAUNCHER} ${CMAKE_CROSSCOMPILING_EMULATOR}
                                $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# bloomline_script_test(NAME [ONCE] [LONG] SCRIPT ARGUMENTS...): a script of the folder, or a
# command that is installed. Scripts are not run for other processors. Exit status 77: it was
# skipped.
#   ONCE  texts, headers or the command's manners, for which one preset is enough; tests/run leaves
#         it out under sanitizers
#   LONG  begins early, or one core idles while the other ends it
function(bloomline_script_test name)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "ONCE;LONG" "" "")
  list(POP_FRONT ARG_UNPARSED_ARGUMENTS script)
  get_filename_component(script "${script}" ABSOLUTE)
  add_test(NAME ${name} COMMAND "${script}" ${ARG_UNPARSED_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  set(labels "")
  if(ARG_ONCE)
    list(APPEND labels once)
  endif()
  if(name MATCHES "${bloomline_long_tests}")
    list(APPEND labels long)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}")
  if(ARG_LONG)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endfunction()

# bloomline_pytest(NAME [ONCE] [LONG] FILES...): tests in Python or cases (tests/conftest.py), which
# find the command and the programs of tests in the build.
function(bloomline_pytest name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "ONCE;LONG" "" "")
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set(options "")
  foreach(option ONCE LONG)
    if(ARG_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  bloomline_script_test(${name} ${options} /usr/bin/python3 -B -m pytest
                        "--build=${PROJECT_BINARY_DIR}" ${ARG_UNPARSED_ARGUMENTS})
endfunction()

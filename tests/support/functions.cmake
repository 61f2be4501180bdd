# What registers tests.

# bloomline_test(SOURCE... [LONG] LIBRARIES...): one GoogleTest program, with its first source's name.
# ctest runs each of its tests in a process; under sanitizers and emulators, where a process takes a
# tenth of a second to start, all of them in one. LONG: only with BLOOMLINE_LONG_TESTS. A test of a
# part that is not built is left out.
function(bloomline_test source)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "LONG" "" "")
  foreach(library IN LISTS ARG_UNPARSED_ARGUMENTS)
    if(library MATCHES "^bloomline(::(leveldb|rocksdb|redis)|_advice|_directory|_engine_filters|\
_sstable|_test_redis_server|_test_tool_run)$" AND NOT TARGET ${library})
      return()
    endif()
  endforeach()
  set(libraries ${ARG_UNPARSED_ARGUMENTS})
  list(FILTER libraries EXCLUDE REGEX "\\.cc$")
  list(FILTER ARG_UNPARSED_ARGUMENTS INCLUDE REGEX "\\.cc$")
  get_filename_component(name ${source} NAME_WE)
  set(cost 0)
  if(ARG_LONG)  # they begin early, or one core idles while the other ends them
    set(cost 50)
  endif()
  add_executable(${name} ${source} ${ARG_UNPARSED_ARGUMENTS})
  if(CMAKE_DIRECTORY_LABELS STREQUAL "engines")
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/no_fsync.cc")
  endif()
  target_compile_definitions(${name} PRIVATE
    BLOOMLINE_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden")
  target_link_libraries(${name} PRIVATE bloomline_test_support ${libraries})
  if(NOT name MATCHES "^(${BLOOMLINE_TEST_PROGRAMS})$" OR (ARG_LONG AND NOT BLOOMLINE_LONG_TESTS))
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  elseif((CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_CROSSCOMPILING) AND
         NOT name STREQUAL "kernel_threads_test")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600)
  else()  # also where a test needs the first use of a kernel in its process
    gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 600 COST ${cost})
  endif()
endfunction()

# bloomline_tests(PATTERN LIBRARIES... [LONG NAMES...]): a bloomline_test for each source of the
# folder that PATTERN matches.
function(bloomline_tests pattern)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LONG")
  file(GLOB sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS ${pattern})
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    set(long "")
    if(name IN_LIST ARG_LONG)
      set(long LONG)
    endif()
    bloomline_test(${source} ${long} ${ARG_UNPARSED_ARGUMENTS})
  endforeach()
endfunction()

# bloomline_failing_new(NAME): links tests/faults/failing_new.cc, which replaces malloc and others.
function(bloomline_failing_new name)
  target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/faults/failing_new.cc")
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
  if(ARG_ONCE)
    set_tests_properties(${name} PROPERTIES LABELS once)
  endif()
  if(ARG_LONG)
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endfunction()

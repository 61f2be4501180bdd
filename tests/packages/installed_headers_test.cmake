# Checks that each public header is installed, with one component.
# Usage: cmake -P installed_headers_test.cmake
get_filename_component(project "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
include("${project}/cmake/BloomlineTarget.cmake")
file(GLOB public RELATIVE "${project}/include/bloomline" "${project}/include/bloomline/*")
set(installed ${BLOOMLINE_HEADERS_core} ${BLOOMLINE_HEADERS_filters} ${BLOOMLINE_HEADERS_c}
    ${BLOOMLINE_HEADERS_leveldb} ${BLOOMLINE_HEADERS_rocksdb} ${BLOOMLINE_HEADERS_redis})
list(SORT installed)
if(NOT public STREQUAL installed)
  list(JOIN public " " public)
  list(JOIN installed " " installed)
  message(FATAL_ERROR "include/bloomline has\n  ${public}\n"
                      "and the lists BLOOMLINE_HEADERS_* have\n  ${installed}")
endif()

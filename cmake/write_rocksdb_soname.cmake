# Writes to HEADER the name under which LIBRARY needs RocksDB. CMake's packages of RocksDB do not
# always have it.
# Usage: cmake -DREADELF=... -DLIBRARY=... -DHEADER=... -P write_rocksdb_soname.cmake
execute_process(COMMAND "${READELF}" -d "${LIBRARY}" OUTPUT_VARIABLE entries
                RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT entries MATCHES "\\(NEEDED\\)[^\n]*\\[([^]\n]*rocksdb[^]\n]*)\\]")
  message(FATAL_ERROR "${LIBRARY} does not need a shared library of RocksDB")
endif()
file(WRITE "${HEADER}" "#define BLOOMLINE_ROCKSDB_SONAME \"${CMAKE_MATCH_1}\"\n")

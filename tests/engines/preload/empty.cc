// libbloomline_rocksdb_of_program.so, as cmake/PolicyForProgram.cmake makes it.

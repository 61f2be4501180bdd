# What every bloomline library has in common, and how the libraries are installed.
include(CheckCXXSourceCompiles)

set(BLOOMLINE_WARNINGS -Wall -Wextra -Wconversion)
# What RocksDB's build adds, for the files that it compiles as a plugin; there, warnings are errors.
set(BLOOMLINE_PLUGIN_WARNINGS -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)

# The public headers of each component. tests/installed_headers_test.cmake checks that none is
# missing.
set(BLOOMLINE_HEADERS_core build_memory.h cpu.h filter.h filter_options.h filter_theory.h
    inline_query.h key_canonicalizer.h keys.h level_sizing.h seed.h sizing.h version.h)
set(BLOOMLINE_HEADERS_filters atomic_bloom_filter.h bloom_filter.h counting_bloom_filter.h
    partitioned_filter_builder.h scalable_bloom_filter.h)
set(BLOOMLINE_HEADERS_c c.h)
set(BLOOMLINE_HEADERS_leveldb c_leveldb.h leveldb.h)
set(BLOOMLINE_HEADERS_rocksdb c_rocksdb.h rocksdb.h)
set(BLOOMLINE_HEADERS_redis redis_bloom_filter.h)

# bloomline_library(NAME SOURCES...): the component bloomline::NAME, static or, with
# BUILD_SHARED_LIBS, shared.
function(bloomline_library name)
  set(target bloomline_${name})
  add_library(${target} ${ARGN})
  add_library(bloomline::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_compile_options(${target} PRIVATE ${BLOOMLINE_WARNINGS})
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
           "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    PRIVATE "${PROJECT_SOURCE_DIR}")
  if(BUILD_SHARED_LIBS)
    bloomline_make_shared(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY BLOOMLINE_COMPONENTS ${name})
endfunction()

# Patterns of the public names in a shared library; see cmake/exports.map.in. The adaptors have their
# own: their internal names are in namespace bloomline itself, because a namespace
# bloomline::rocksdb would hide RocksDB's namespace.
set(BLOOMLINE_EXPORTS "[A-Z]*" "operator*")
set(BLOOMLINE_EXPORTS_leveldb NewLevelDBFilterPolicy*)
set(BLOOMLINE_EXPORTS_rocksdb NewRocksDBFilterPolicy* RegisterBloomline*
    RocksDBFilterOptions* RegisterKeyCanonicalizer*)

# The SONAME has the minor version, because in 0.x a minor version may break the ABI.
#
# A linker cannot export what the compiler hid. So the compiler hides nothing here, and the linker
# hides everything but the exports. With the two flags, calls within a library stay direct: none
# goes through the procedure linkage table.
function(bloomline_make_shared name)
  set(public_patterns "")
  set(exports ${BLOOMLINE_EXPORTS_${name}})
  if(NOT exports)
    set(exports ${BLOOMLINE_EXPORTS})
  endif()
  foreach(pattern IN LISTS exports)
    string(APPEND public_patterns "      bloomline::${pattern};\n"
                                  "      typeinfo*for?bloomline::${pattern};\n"
                                  "      vtable?for?bloomline::${pattern};\n")
  endforeach()
  set(map "${PROJECT_BINARY_DIR}/exports_${name}.map")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/exports.map.in" "${map}" @ONLY)
  set_target_properties(bloomline_${name} PROPERTIES
    VERSION "${PROJECT_VERSION}"
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
    CXX_VISIBILITY_PRESET default
    LINK_DEPENDS "${map}")
  target_compile_options(bloomline_${name} PRIVATE -fno-semantic-interposition)
  target_link_options(bloomline_${name} PRIVATE "LINKER:--version-script=${map}"
                                                "LINKER:-Bsymbolic-functions")
  if(NOT DEFINED CMAKE_INSTALL_RPATH)
    set_target_properties(bloomline_${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endfunction()

# RocksDB's headers need C++20 from 10.7 on. What includes them follows, also users of `target`.
# Clang takes the headers as C++17 with a warning, so the version counts as well.
function(bloomline_follow_rocksdb_standard target)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # no linking
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  foreach(standard IN ITEMS 17 20)
    set(CMAKE_CXX_STANDARD ${standard})
    try_compile(BLOOMLINE_ROCKSDB_HEADERS_COMPILE "${PROJECT_BINARY_DIR}/rocksdb_standard"
                "${PROJECT_SOURCE_DIR}/cmake/rocksdb_headers.cc"
                LINK_LIBRARIES RocksDB::rocksdb-shared OUTPUT_VARIABLE output)
    if(BLOOMLINE_ROCKSDB_HEADERS_COMPILE)
      message(STATUS "RocksDB's headers: C++${standard}")
      target_compile_features(${target} PUBLIC cxx_std_${standard})
      set(BLOOMLINE_ROCKSDB_STANDARD ${standard} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "RocksDB's headers compile neither as C++17 nor as C++20: ${output}")
endfunction()

# Engines are often built with -fno-rtti. A class derived from theirs must then do without type
# information too, or it does not link.
function(bloomline_follow_engine_rtti target engine header class)
  set(CMAKE_REQUIRED_LIBRARIES ${engine})
  if(ARGN)
    set(CMAKE_CXX_STANDARD ${ARGN})
  endif()
  check_cxx_source_compiles("
    #include <typeinfo>
    #include \"${header}\"
    const void* volatile info;  // volatile: -O1 would remove the reference, and all would link
    int main() { info = &typeid(${class}); }" ${target}_RTTI)
  if(NOT ${target}_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
endfunction()

# The component NAME is the install component bloomline_NAME: its library, its headers and a targets
# file of its own, so that find_package can load it without the others. The config file belongs to
# bloomline_core, because every component needs the core.
function(bloomline_install)
  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bloomline")
  get_property(names GLOBAL PROPERTY BLOOMLINE_COMPONENTS)
  foreach(name IN LISTS names)
    set(component bloomline_${name})
    set(headers ${BLOOMLINE_HEADERS_${name}})
    list(TRANSFORM headers PREPEND "${PROJECT_SOURCE_DIR}/include/bloomline/")
    install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bloomline"
            COMPONENT ${component})
    install(TARGETS bloomline_${name} EXPORT bloomline_${name}
            ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component}
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component})
    install(EXPORT bloomline_${name} NAMESPACE bloomline:: FILE bloomline_${name}.cmake
            DESTINATION "${package_dir}" COMPONENT ${component})
  endforeach()
  set(BLOOMLINE_HIREDIS_COMPONENTS "")
  if(hiredis_ssl_FOUND)
    set(BLOOMLINE_HIREDIS_COMPONENTS "COMPONENTS ssl")
  endif()
  if(redis IN_LIST names)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/Findhiredis.cmake" DESTINATION "${package_dir}"
            COMPONENT bloomline_redis)
  endif()
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/bloomlineConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/bloomlineConfig.cmake" INSTALL_DESTINATION "${package_dir}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/bloomlineConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/bloomlineConfig.cmake"
                "${PROJECT_BINARY_DIR}/bloomlineConfigVersion.cmake"
          DESTINATION "${package_dir}" COMPONENT bloomline_core)
endfunction()

# The command finds the shared libraries beside it, wherever the prefix is.
function(bloomline_install_tool target)
  install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT bloomline_tool)
  if(BUILD_SHARED_LIBS AND NOT DEFINED CMAKE_INSTALL_RPATH)
    file(RELATIVE_PATH to_libraries "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  endif()
endfunction()

# What every bloomline library has in common, and how the libraries are installed.
include("${CMAKE_CURRENT_LIST_DIR}/BloomlinePkgConfig.cmake")
include(CheckCXXSourceCompiles)

set(BLOOMLINE_WARNINGS -Wall -Wextra -Wconversion)
# What RocksDB's build adds, for the files that it compiles as a plugin; there, warnings are errors.
set(BLOOMLINE_PLUGIN_WARNINGS -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)

# The public headers of each component. tests/packages/installed_package_test finds a missing one.
set(BLOOMLINE_HEADERS_core c_metrics.h cpp17.h cpu.h filter.h filter_options.h filter_theory.h
    inline_query.h key_canonicalizer.h keys.h level_sizing.h metrics.h seed.h sizing.h version.h)
set(BLOOMLINE_HEADERS_filters atomic_bloom_filter.h bloom_filter.h counting_bloom_filter.h
    scalable_bloom_filter.h)
set(BLOOMLINE_HEADERS_c c.h)
set(BLOOMLINE_HEADERS_leveldb c_leveldb.h leveldb.h)
set(BLOOMLINE_HEADERS_rocksdb c_rocksdb.h filter_account.h rocksdb.h rocksdb_range_filter.h)
set(BLOOMLINE_HEADERS_redis c_redis.h redis_bloom_filter.h)

# bloomline_compile(TARGET): how all sources but those of tests are compiled.
function(bloomline_compile target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${BLOOMLINE_WARNINGS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_include_directories(${target} SYSTEM PRIVATE "${XXHASH_INCLUDE_DIR}")
endfunction()

# bloomline_library(NAME SOURCES...): the component bloomline::NAME, static or, with
# BUILD_SHARED_LIBS, shared.
function(bloomline_library name)
  set(target bloomline_${name})
  add_library(${target} ${ARGN})
  add_library(bloomline::${name} ALIAS ${target})
  bloomline_compile(${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
           "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  if(BUILD_SHARED_LIBS)
    bloomline_make_shared(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY BLOOMLINE_COMPONENTS ${name})
endfunction()

# bloomline_module(TARGET MAP FOLDER SOURCES...): a library in FOLDER of the build that holds the
# core inside and exports what the file MAP lists. Programs load it, no other library links it.
function(bloomline_module target map folder)
  add_library(${target} MODULE ${ARGN})
  bloomline_compile(${target})
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}"
    LINK_DEPENDS "${map}"
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" "LINKER:-z,defs"
                                        "LINKER:-Bsymbolic-functions")
  set_property(GLOBAL APPEND PROPERTY BLOOMLINE_MODULES ${target})
endfunction()

# Patterns of the public names in a shared library; see cmake/exports.map.in. The adaptors name
# each of theirs, so no other name becomes public.
set(BLOOMLINE_EXPORTS "[A-Z]*" "operator*")
set(BLOOMLINE_EXPORTS_leveldb NewLevelDBFilterPolicy* NewCanonicalLevelDBFilterPolicy*)
set(BLOOMLINE_EXPORTS_rocksdb NewRocksDBFilterPolicy* NewCanonicalRocksDBFilterPolicy*
    RegisterBloomline* RocksDBFilterOptions* FilterAccount* NewFilterAccount*
    OptimizeForMissingKeys* FamiliesWithoutFilters*)

# What the SONAME and the version of the package promise (docs/versioning.md): from 1.0 on, only a
# major version may break the ABI; in 0.x, also a minor version.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(BLOOMLINE_SOVERSION "0.${PROJECT_VERSION_MINOR}")
  set(BLOOMLINE_COMPATIBILITY SameMinorVersion)
else()
  set(BLOOMLINE_SOVERSION "${PROJECT_VERSION_MAJOR}")
  set(BLOOMLINE_COMPATIBILITY SameMajorVersion)
endif()

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
    SOVERSION "${BLOOMLINE_SOVERSION}"
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
  set(CMAKE_TRY_COMPILE_CONFIGURATION ${CMAKE_BUILD_TYPE})  # Conan's targets are empty in others
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  foreach(standard IN ITEMS 17 20)
    set(CMAKE_CXX_STANDARD ${standard})
    try_compile(BLOOMLINE_ROCKSDB_HEADERS_COMPILE "${PROJECT_BINARY_DIR}/rocksdb_standard"
                "${PROJECT_SOURCE_DIR}/cmake/rocksdb_headers.cc"
                LINK_LIBRARIES ${BLOOMLINE_ROCKSDB_TARGET} OUTPUT_VARIABLE output)
    if(BLOOMLINE_ROCKSDB_HEADERS_COMPILE)
      message(STATUS "RocksDB's headers: C++${standard}")
      target_compile_features(${target} PUBLIC cxx_std_${standard})
      set(BLOOMLINE_ROCKSDB_STANDARD ${standard} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "RocksDB's headers compile neither as C++17 nor as C++20: ${output}")
endfunction()

# bloomline_derives_from(ENGINE NAMES...): targets or sources with classes that derive from those of
# ENGINE, leveldb or rocksdb. Engines are often built with -fno-rtti. These classes must then do
# without type information too, or they do not link.
function(bloomline_derives_from engine)
  if(NOT TARGET bloomline::${engine})
    return()
  endif()
  set(CMAKE_TRY_COMPILE_CONFIGURATION ${CMAKE_BUILD_TYPE})
  set(CMAKE_REQUIRED_LIBRARIES leveldb::leveldb)
  if(engine STREQUAL "rocksdb")
    set(CMAKE_REQUIRED_LIBRARIES ${BLOOMLINE_ROCKSDB_TARGET})
    set(CMAKE_CXX_STANDARD ${BLOOMLINE_ROCKSDB_STANDARD})
  endif()
  check_cxx_source_compiles("
    #include <typeinfo>
    #include \"${engine}/filter_policy.h\"
    const void* volatile info;  // volatile: -O1 would remove the reference, and all would link
    int main() { info = &typeid(${engine}::FilterPolicy); }" bloomline_${engine}_RTTI)
  if(bloomline_${engine}_RTTI)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    if(TARGET ${name})
      target_compile_options(${name} PRIVATE -fno-rtti)
    else()
      set_source_files_properties(${name} PROPERTIES COMPILE_OPTIONS -fno-rtti)
    endif()
  endforeach()
endfunction()

# The component NAME is the install component bloomline_NAME: its library, its headers and a targets
# file of its own, so that find_package can load it without the others. The config file belongs to
# bloomline_core, because every component needs the core. With BLOOMLINE_SPLIT_COMPONENTS, which
# packages of distributions need, only the shared library is in bloomline_NAME: the static one is in
# bloomline_NAME_archive, the rest in bloomline_NAME_dev.
option(BLOOMLINE_SPLIT_COMPONENTS "Install what only developers need as other components" OFF)

function(bloomline_install)
  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bloomline")
  set(dev "")
  set(archive "")
  if(BLOOMLINE_SPLIT_COMPONENTS)
    set(dev _dev)
    set(archive _archive)
  endif()
  get_property(names GLOBAL PROPERTY BLOOMLINE_COMPONENTS)
  foreach(name IN LISTS names)
    set(component bloomline_${name})
    set(headers ${BLOOMLINE_HEADERS_${name}})
    list(TRANSFORM headers PREPEND "${PROJECT_SOURCE_DIR}/include/bloomline/")
    install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bloomline"
            COMPONENT ${component}${dev})
    install(TARGETS bloomline_${name} EXPORT bloomline_${name}
            ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component}${archive}
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component}
                    NAMELINK_COMPONENT ${component}${dev})
    install(EXPORT bloomline_${name} NAMESPACE bloomline:: FILE bloomline_${name}.cmake
            DESTINATION "${package_dir}" COMPONENT ${component}${dev})
    bloomline_pkg_config(${name} ${component}${dev})
  endforeach()
  if(hiredis_ssl_FOUND)
    set(BLOOMLINE_HIREDIS_COMPONENTS "COMPONENTS ssl")
  endif()
  if(redis IN_LIST names)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/Findhiredis.cmake" DESTINATION "${package_dir}"
            COMPONENT bloomline_redis${dev})
  endif()
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/bloomlineConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/bloomlineConfig.cmake" INSTALL_DESTINATION "${package_dir}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/bloomlineConfigVersion.cmake"
    COMPATIBILITY ${BLOOMLINE_COMPATIBILITY})
  install(FILES "${PROJECT_BINARY_DIR}/bloomlineConfig.cmake"
                "${PROJECT_BINARY_DIR}/bloomlineConfigVersion.cmake"
          DESTINATION "${package_dir}" COMPONENT bloomline_core${dev})

  # In a distribution, Python's package uses the shared library beside it. Elsewhere it is a wheel.
  if(BLOOMLINE_SPLIT_COMPONENTS)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/bindings/python/bloomline"
            DESTINATION lib/python3/dist-packages COMPONENT bloomline_python
            FILES_MATCHING PATTERN "*.py" PATTERN py.typed)
    # In the source, they are links to these.
    install(FILES "${PROJECT_SOURCE_DIR}/include/bloomline/c.h"
                  "${PROJECT_SOURCE_DIR}/include/bloomline/c_redis.h"
            DESTINATION lib/python3/dist-packages/bloomline COMPONENT bloomline_python)
  endif()

  # The documents keep the folders of the source: their links lead from one to the other.
  set(doc "${CMAKE_INSTALL_DOCDIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${doc}"
          COMPONENT bloomline_core${dev})
  if(NOT BLOOMLINE_IS_TOP_LEVEL)
    return()
  endif()
  install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
                "${PROJECT_SOURCE_DIR}/SECURITY.md"
          DESTINATION "${doc}" COMPONENT bloomline_doc)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/packaging/prometheus/" COMPONENT bloomline_doc
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bloomline")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${doc}" COMPONENT bloomline_doc
          FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.html"
                         PATTERN "guides/*.cc" PATTERN "guides/*.c" PATTERN "guides/*.h"
                         PATTERN docs/man EXCLUDE)
  install(CODE "get_filename_component(FOLDER \"${doc}\" ABSOLUTE
                  BASE_DIR \"\${CMAKE_INSTALL_PREFIX}\")
                string(PREPEND FOLDER \"\$ENV{DESTDIR}\")
                include(\"${PROJECT_SOURCE_DIR}/cmake/installed_links.cmake\")"
          COMPONENT bloomline_doc)
endfunction()

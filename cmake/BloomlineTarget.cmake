# What every bloomline library has in common, and how they are installed.
include(CheckCXXSourceCompiles)

set(BLOOMLINE_WARNINGS -Wall -Wextra -Wconversion)

function(bloomline_library name)
  set(target bloomline_${name})
  add_library(${target} STATIC ${ARGN})
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
  set_property(GLOBAL APPEND PROPERTY BLOOMLINE_TARGETS ${target})
endfunction()

# Engines are often built with -fno-rtti. A class derived from theirs must then do without type
# information too, or it does not link.
function(bloomline_follow_engine_rtti target engine header class)
  set(CMAKE_REQUIRED_LIBRARIES ${engine})
  check_cxx_source_compiles("
    #include <typeinfo>
    #include \"${header}\"
    int main() { return typeid(${class}).name() == nullptr; }" ${target}_RTTI)
  if(NOT ${target}_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
endfunction()

function(bloomline_install)
  get_property(targets GLOBAL PROPERTY BLOOMLINE_TARGETS)
  set(headers atomic_bloom_filter.h bloom_filter.h c.h counting_bloom_filter.h cpu.h filter.h
      filter_options.h filter_theory.h partitioned_filter_builder.h scalable_bloom_filter.h seed.h sizing.h
      version.h)
  if(BLOOMLINE_LEVELDB)
    list(APPEND headers c_leveldb.h leveldb.h)
  endif()
  if(BLOOMLINE_ROCKSDB)
    list(APPEND headers rocksdb.h)
  endif()
  if(BLOOMLINE_WITH_REDIS)
    list(APPEND headers redis_bloom_filter.h)
  endif()
  list(TRANSFORM headers PREPEND "${PROJECT_SOURCE_DIR}/include/bloomline/")
  install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bloomline")
  install(TARGETS ${targets} EXPORT bloomlineTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bloomline")
  install(EXPORT bloomlineTargets NAMESPACE bloomline:: DESTINATION "${package_dir}")
  set(BLOOMLINE_HIREDIS_COMPONENTS "")
  if(hiredis_ssl_FOUND)
    set(BLOOMLINE_HIREDIS_COMPONENTS "COMPONENTS ssl")
  endif()
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/bloomlineConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/bloomlineConfig.cmake" INSTALL_DESTINATION "${package_dir}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/bloomlineConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/bloomlineConfig.cmake"
                "${PROJECT_BINARY_DIR}/bloomlineConfigVersion.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/Findhiredis.cmake"
          DESTINATION "${package_dir}")
endfunction()

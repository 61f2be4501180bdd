# The library that a wheel for Python contains: src/bindings/python.

include(CheckCXXSourceCompiles)

# bloomline_python_library(TARGET COMPONENT SOURCES...): libbloomline_COMPONENT.so in the folder
# python of the build, in one piece. It exports the functions of C. A wheel runs on systems without
# the compiler's libraries, or with older ones, so these are inside as well, if they can be had as
# static libraries (Fedora has them in a package of their own). src/bindings/python/build_wheel refuses a
# library without.
function(bloomline_python_library target component)
  set(map "${PROJECT_SOURCE_DIR}/src/bindings/python/exports.map")
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME bloomline_${component}
    CXX_EXTENSIONS OFF
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python"
    LINK_DEPENDS "${map}"
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_compile_options(${target} PRIVATE ${BLOOMLINE_WARNINGS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}"
                                               "${PROJECT_SOURCE_DIR}/include")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" "LINKER:-z,defs"
                                        "LINKER:-Bsymbolic-functions" "LINKER:--gc-sections")
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
  check_cxx_source_compiles("#include <string>
    int main(int argc, char** argv) { return std::string(argv[0]).size() == 0; }"
    BLOOMLINE_HAS_STATIC_LIBSTDCXX)
  if(BLOOMLINE_HAS_STATIC_LIBSTDCXX)
    target_link_options(${target} PRIVATE ${CMAKE_REQUIRED_LINK_OPTIONS})
  endif()
  target_link_libraries(${target} PRIVATE bloomline_${component})
endfunction()

# Puts hiredis into the library TARGET for Redis, if it can be had as a static library of
# position-independent code, as in Debian. With TLS it stays outside, as OpenSSL should be the
# system's: build_wheel configures without OpenSSL.
function(bloomline_python_static_hiredis target)
  find_library(hiredis_STATIC_LIBRARY libhiredis.a)
  mark_as_advanced(hiredis_STATIC_LIBRARY)
  if(NOT hiredis_STATIC_LIBRARY OR hiredis_ssl_FOUND)
    return()
  endif()
  set(CMAKE_REQUIRED_LIBRARIES "${hiredis_STATIC_LIBRARY}")
  set(CMAKE_REQUIRED_LINK_OPTIONS -shared)
  set(CMAKE_REQUIRED_INCLUDES "${hiredis_INCLUDE_DIR}")
  set(CMAKE_REQUIRED_FLAGS -fPIC)
  check_cxx_source_compiles("#include <hiredis/hiredis.h>
    int main() { return redisConnectUnix(\"\") != nullptr; }" BLOOMLINE_HAS_STATIC_HIREDIS)
  if(BLOOMLINE_HAS_STATIC_HIREDIS)
    # The archive is before libhiredis.so, which then nothing needs.
    target_link_libraries(${target} PRIVATE "${hiredis_STATIC_LIBRARY}")
    target_link_options(${target} PRIVATE LINKER:--as-needed)
  endif()
endfunction()

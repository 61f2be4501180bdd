# The library that a wheel for Python contains: src/python.

include(CheckCXXSourceCompiles)

# bloomline_python_library(TARGET COMPONENT SOURCES...): libbloomline_COMPONENT.so in the folder
# python of the build, in one piece. It exports the functions of C. A wheel runs on systems without
# the compiler's libraries, or with older ones, so these are inside as well, if they can be had as
# static libraries (Fedora has them in a package of their own). src/python/build_wheel refuses a
# library without.
function(bloomline_python_library target component)
  set(map "${PROJECT_SOURCE_DIR}/src/python/exports.map")
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

# Libraries that users preload into programs: src/engines/preload.

# bloomline_preload_library(NAME MAP SOURCES...): libbloomline_NAME.so, which exports what
# src/engines/preload/MAP.map lists. It is never unloaded, because its policies may outlive its users. The
# install component is bloomline_preload; with BLOOMLINE_SPLIT_COMPONENTS, each engine has one.
function(bloomline_preload_library name map)
  set(target bloomline_${name})
  set(map "${PROJECT_SOURCE_DIR}/src/engines/preload/${map}.map")
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
    LINK_DEPENDS "${map}"
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_compile_options(${target} PRIVATE ${BLOOMLINE_WARNINGS})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}"
                                               "${PROJECT_SOURCE_DIR}/include")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}" "LINKER:-z,nodelete"
                                        "LINKER:-z,defs" "LINKER:-Bsymbolic-functions")
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  set(component bloomline_preload)
  if(BLOOMLINE_SPLIT_COMPONENTS)
    string(REGEX REPLACE "_.*" "" engine ${name})
    set(component bloomline_preload_${engine})
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component})
endfunction()

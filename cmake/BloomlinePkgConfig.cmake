# A pkg-config file for each component: bloomline_NAME.pc.
#
# Its prefix is where the file lies, so an installed tree can be moved. An engine without a
# pkg-config file of its own (LevelDB, and hiredis where it has no TLS) is named by its library.

# bloomline_engine_flags(TARGET LIBRARY): adds an engine to the caller's libs and cflags. pkg-config
# leaves out the folders that compilers search anyway.
function(bloomline_engine_flags target library)
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    get_target_property(location ${target} LOCATION)
    get_filename_component(folder "${location}" DIRECTORY)
    if(folder)
      string(APPEND libs " -L${folder}")
    endif()
  endif()
  set(libs "${libs} -l${library}" PARENT_SCOPE)
  get_target_property(include_folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  list(FILTER include_folders INCLUDE REGEX "^/")
  list(TRANSFORM include_folders PREPEND " -I")
  string(JOIN "" cflags "${cflags}" ${include_folders})
  set(cflags "${cflags}" PARENT_SCOPE)
endfunction()

# bloomline_install_pkg_config(NAME COMPONENT): of the caller's variables.
macro(bloomline_install_pkg_config file component)
  set(name "${file}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/bloomline.pc.in"
                 "${PROJECT_BINARY_DIR}/pkgconfig/bloomline_${file}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/pkgconfig/bloomline_${file}.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${component})
endmacro()

# bloomline_pkg_config(NAME COMPONENT)
function(bloomline_pkg_config of_component component)
  set(name "${of_component}")
  set(requires bloomline_core)
  set(requires_private "")
  set(libs "-L\${libdir} -lbloomline_${name}")
  set(libs_private "")
  set(cflags "-I\${includedir}")
  if(name STREQUAL "core")
    set(requires "")
    # A C compiler that links a static library does not link these by itself.
    set(libs_private "${CMAKE_THREAD_LIBS_INIT} -lstdc++ -lm")
  elseif(name STREQUAL "c")  # its header needs none of these; a static library does
    set(requires "")
    set(requires_private "bloomline_filters bloomline_core")
  elseif(name STREQUAL "leveldb")
    bloomline_engine_flags(leveldb::leveldb leveldb)
  elseif(name STREQUAL "rocksdb")
    bloomline_engine_flags(${BLOOMLINE_ROCKSDB_TARGET} rocksdb)
  elseif(hiredis_ssl_FOUND AND name STREQUAL "redis")
    set(libs_private "-lhiredis_ssl -lhiredis -lssl -lcrypto")
  elseif(name STREQUAL "redis")
    set(libs_private "-lhiredis")
  endif()
  if(NOT BUILD_SHARED_LIBS)
    # Only static libraries: then a program needs all of it, also without --static.
    string(APPEND requires " ${requires_private}")
    string(APPEND libs " ${libs_private}")
    set(requires_private "")
    set(libs_private "")
  endif()

  # GNUInstallDirs allows absolute folders.
  foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
    set(${folder} "${CMAKE_INSTALL_${folder}}")
    if(NOT IS_ABSOLUTE "${${folder}}")
      string(PREPEND ${folder} "\${prefix}/")
    endif()
  endforeach()
  set(prefix "${CMAKE_INSTALL_PREFIX}")
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" prefix "\${pcfiledir}/${to_prefix}")
  endif()
  if(name STREQUAL "rocksdb")
    # Clang refuses a standard of C++ for C, so C programs have a file without it.
    bloomline_install_pkg_config(rocksdb_c ${component})
    # Of several -std, compilers take the last: this also fixes a caller's -std=c++17 before it.
    if(BLOOMLINE_ROCKSDB_STANDARD GREATER 17)
      string(APPEND cflags " -std=c++${BLOOMLINE_ROCKSDB_STANDARD}")
    endif()
  endif()
  bloomline_install_pkg_config(${of_component} ${component})
endfunction()

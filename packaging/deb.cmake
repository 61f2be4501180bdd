# CPack: Debian packages from two builds, one with shared and one with static libraries.
# packaging/debs sets BLOOMLINE_SOURCE, BLOOMLINE_BUILDS (the folder of the builds shared and
# static), BLOOMLINE_VERSION, BLOOMLINE_SOVERSION and CPACK_PACKAGE_CONTACT.
#
# A package of libraries has their SONAME's version in its name, so that two versions can be
# installed. Each engine has packages of its own: users of one do not install the others.
set(CPACK_GENERATOR DEB)
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_PACKAGE_NAME bloomline)
set(CPACK_PACKAGE_VERSION "${BLOOMLINE_VERSION}")
set(CPACK_PACKAGE_FILE_NAME bloomline)
# CPack requires it. As a summary, it would come before those of the packages.
set(CPACK_PACKAGE_DESCRIPTION "Filters for LevelDB-style key-value stores")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS "${BLOOMLINE_SOURCE}/packaging/deb_copyright.cmake")
# Dependencies on packages of the distribution come from the libraries that files need.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${BLOOMLINE_BUILDS}/shared")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

# Each build installs the components in CPACK_COMPONENTS_SHARED or CPACK_COMPONENTS_STATIC.
set(CPACK_INSTALL_CMAKE_PROJECTS
    "${BLOOMLINE_BUILDS}/shared;bloomline;shared;/"
    "${BLOOMLINE_BUILDS}/static;bloomline;static;/")
set(CPACK_COMPONENTS_SHARED "")
set(CPACK_COMPONENTS_STATIC "")
set(CPACK_BLOOMLINE_PACKAGES "")

# deb(PACKAGE SECTION COMPONENTS DEPENDS SUMMARY TEXT): a package of these install components.
macro(deb package section components depends summary text)
  string(MAKE_C_IDENTIFIER "${package}" group)
  string(TOUPPER "${group}" upper)
  set(CPACK_COMPONENT_GROUP_${upper}_DISPLAY_NAME "${package}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${package}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${section}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  foreach(component ${components})
    string(TOUPPER "${component}" component_upper)
    set(CPACK_COMPONENT_${component_upper}_GROUP "${group}")
    if(component MATCHES "_archive$|_preload_")
      list(APPEND CPACK_COMPONENTS_STATIC "${component}")
    else()
      list(APPEND CPACK_COMPONENTS_SHARED "${component}")
    endif()
  endforeach()
  list(APPEND CPACK_BLOOMLINE_PACKAGES "${group}=${package}")
endmacro()

# The libraries of one release use each other's internal functions, so the versions are the same.
set(same "(= ${BLOOMLINE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(core "libbloomline${BLOOMLINE_SOVERSION}")
set(about "bloomline builds and queries Bloom filters and smaller static filters, for\n\
LevelDB, RocksDB, Redis and programs without an engine.")

deb(${core} libs "bloomline_core;bloomline_filters;bloomline_c" ""
    "filters for key-value stores (shared libraries)"
    "${about}\nThis package has the static filters, the filters in memory and those for C.")
deb(libbloomline-dev libdevel
    "bloomline_core_dev;bloomline_filters_dev;bloomline_c_dev;\
bloomline_core_archive;bloomline_filters_archive;bloomline_c_archive"
    "${core} ${same}"
    "filters for key-value stores (development files)"
    "${about}\nThis package has headers, static libraries, CMake and pkg-config files.")
set(CPACK_DEBIAN_LIBBLOOMLINE_DEV_PACKAGE_RECOMMENDS "bloomline-tools ${same}")  # the documents
set(redis_needs libhiredis-dev)
file(GLOB redis_pc "${BLOOMLINE_BUILDS}/shared/pkgconfig/bloomline_redis.pc")
if(redis_pc)
  file(STRINGS "${redis_pc}" needs_tls REGEX "-lssl")
  if(needs_tls)  # hiredis 1.0 or later; the static library needs OpenSSL itself
    string(APPEND redis_needs ", libssl-dev")
  endif()
endif()
set(engines leveldb rocksdb redis)
set(titles LevelDB RocksDB Redis)
set(needs libleveldb-dev librocksdb-dev "${redis_needs}")
foreach(name title need IN ZIP_LISTS engines titles needs)
  deb(libbloomline-${name}${BLOOMLINE_SOVERSION} libs "bloomline_${name}" "${core} ${same}"
      "filters for ${title} (shared library)"
      "${about}\nThis package has the library for ${title}.")
  deb(libbloomline-${name}-dev libdevel "bloomline_${name}_dev;bloomline_${name}_archive"
      "libbloomline-${name}${BLOOMLINE_SOVERSION} ${same}, libbloomline-dev ${same}, ${need}"
      "filters for ${title} (development files)"
      "${about}\nThis package has the header, the static library, CMake and pkg-config files for\n\
${title}.")
endforeach()
deb(bloomline-tools utils "bloomline_tool;bloomline_doc" "${core} ${same}"
    "size, inspect and measure filters of key-value stores"
    "${about}\nThis package has the command bloomline, the documents, alert rules for\n\
Prometheus and a dashboard for Grafana.")
# libbloomline-dev once had the documents. Without the first, apt would keep the program of that
# package, which once deleted a foreign log.
set(older "bloomline-rewrite (<< 0.2.0~), libbloomline-dev (<< ${BLOOMLINE_VERSION})")
set(CPACK_DEBIAN_BLOOMLINE_TOOLS_PACKAGE_BREAKS "${older}")
set(CPACK_DEBIAN_BLOOMLINE_TOOLS_PACKAGE_REPLACES "${older}")
deb(python3-bloomline python "bloomline_python" "${core} ${same}, python3 (>= 3.9)"
    "filters for key-value stores (Python)"
    "${about}\nThis package has the module for /usr/bin/python3.")
set(CPACK_DEBIAN_PYTHON3_BLOOMLINE_PACKAGE_SUGGESTS
    "libbloomline-redis${BLOOMLINE_SOVERSION} ${same}")  # bloomline.redis
set(CPACK_DEBIAN_PYTHON3_BLOOMLINE_PACKAGE_CONTROL_EXTRA
    "${BLOOMLINE_SOURCE}/packaging/python/postinst;${BLOOMLINE_SOURCE}/packaging/python/prerm")
foreach(engine IN ITEMS LevelDB RocksDB)
  string(TOLOWER ${engine} name)
  deb(bloomline-preload-${name} libs "bloomline_preload_${name};bloomline_page_${name}" ""
      "filters for programs that use ${engine}, without compiling them"
      "${about}\nThis package has a library to preload into programs that use ${engine}.")
  string(TOUPPER ${name} upper)
  set(CPACK_DEBIAN_BLOOMLINE_PRELOAD_${upper}_PACKAGE_RECOMMENDS bloomline-tools)  # the documents
endforeach()

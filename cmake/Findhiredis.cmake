# Finds hiredis as the target hiredis::hiredis. The component ssl is TLS, as hiredis::hiredis_ssl:
# it needs hiredis 1.0 or later and OpenSSL's headers. The package files of Debian's hiredis define
# no targets, or other targets in each release.
find_path(hiredis_INCLUDE_DIR hiredis/hiredis.h)
find_library(hiredis_LIBRARY hiredis)
find_library(hiredis_ssl_LIBRARY hiredis_ssl)
mark_as_advanced(hiredis_INCLUDE_DIR hiredis_LIBRARY hiredis_ssl_LIBRARY)
set(hiredis_ssl_FOUND FALSE)
if(hiredis_ssl_LIBRARY AND EXISTS "${hiredis_INCLUDE_DIR}/hiredis/hiredis_ssl.h")
  find_package(OpenSSL QUIET)
  set(hiredis_ssl_FOUND ${OPENSSL_FOUND})
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hiredis
  REQUIRED_VARS hiredis_LIBRARY hiredis_INCLUDE_DIR HANDLE_COMPONENTS)
if(hiredis_FOUND AND NOT TARGET hiredis::hiredis)
  add_library(hiredis::hiredis UNKNOWN IMPORTED)
  set_target_properties(hiredis::hiredis PROPERTIES
    IMPORTED_LOCATION "${hiredis_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${hiredis_INCLUDE_DIR}")
endif()
if(hiredis_FOUND AND hiredis_ssl_FOUND AND NOT TARGET hiredis::hiredis_ssl)
  add_library(hiredis::hiredis_ssl UNKNOWN IMPORTED)
  set_target_properties(hiredis::hiredis_ssl PROPERTIES
    IMPORTED_LOCATION "${hiredis_ssl_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${hiredis_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "hiredis::hiredis;OpenSSL::SSL")
endif()

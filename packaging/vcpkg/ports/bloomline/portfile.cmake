# An overlay port: it builds the tree that it lies in.
#   vcpkg install "bloomline[leveldb,rocksdb]" --overlay-ports=packaging/vcpkg/ports
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    leveldb BLOOMLINE_LEVELDB
    redis BLOOMLINE_REDIS
    rocksdb BLOOMLINE_ROCKSDB
    tool BLOOMLINE_BUILD_TOOL)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DBLOOMLINE_BUILD_TESTS=OFF
    -DBLOOMLINE_BUILD_BENCH=OFF
    -DBLOOMLINE_BUILD_PRELOAD=OFF
    -DBLOOMLINE_BUILD_PYTHON=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/bloomline)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES bloomline AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

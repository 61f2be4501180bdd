# Toolchain for another processor: Debian's cross compiler for BLOOMLINE_TRIPLE, which is one of
# tests/support/cpus.sh, or Clang with its libraries if BLOOMLINE_CLANG is ON. Tests run under
# user-mode emulation. The programs are static, so no emulator loads libraries for each of them. The
# linker would warn that GoogleTest could look up a host's name.
#
# BLOOMLINE_CPU_ROOT is a folder with Debian's packages of that processor, of the engines for
# example: libraries and headers are found there alone, and programs load their libraries there.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BLOOMLINE_TRIPLE BLOOMLINE_CLANG BLOOMLINE_CPU_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${BLOOMLINE_TRIPLE}")
if(BLOOMLINE_CLANG)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_CXX_COMPILER clang++)
  set(CMAKE_C_COMPILER_TARGET "${BLOOMLINE_TRIPLE}")
  set(CMAKE_CXX_COMPILER_TARGET "${BLOOMLINE_TRIPLE}")
else()
  set(CMAKE_C_COMPILER "${BLOOMLINE_TRIPLE}-gcc")
  set(CMAKE_CXX_COMPILER "${BLOOMLINE_TRIPLE}-g++")
endif()
if(BLOOMLINE_TRIPLE MATCHES "^arm-")  # GCC's remarks on its versions before 7.1
  add_compile_options(-Wno-psabi)
endif()
if(BLOOMLINE_CPU_ROOT)
  # In Debian's folders, i386 has another name than its compiler has.
  string(REPLACE i686 i386 CMAKE_LIBRARY_ARCHITECTURE "${BLOOMLINE_TRIPLE}")
  set(CMAKE_FIND_ROOT_PATH "${BLOOMLINE_CPU_ROOT}")
  foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
  endforeach()
  # The file itself: on ppc64el, the link to it in /lib64 is absolute.
  set(folder "lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  file(GLOB bloomline_loader "${BLOOMLINE_CPU_ROOT}/${folder}/ld*.so.?"
       "${BLOOMLINE_CPU_ROOT}/usr/${folder}/ld*.so.?")
  list(GET bloomline_loader 0 bloomline_loader)
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${bloomline_loader}")
  # Not only for this program, but also for what its libraries need.
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,--disable-new-dtags")
  foreach(folder lib usr/lib)
    set(folder "${BLOOMLINE_CPU_ROOT}/${folder}/${CMAKE_LIBRARY_ARCHITECTURE}")
    string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -L${folder} -Wl,-rpath,${folder}")
  endforeach()
else()
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--no-warnings")
endif()
string(REPLACE i686 i386 bloomline_emulator "qemu-${CMAKE_SYSTEM_PROCESSOR}")
string(REPLACE powerpc ppc CMAKE_CROSSCOMPILING_EMULATOR "${bloomline_emulator}")

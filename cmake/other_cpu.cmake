# Toolchain for another processor, BLOOMLINE_CPU: Debian's cross compiler, or Clang with its
# libraries if BLOOMLINE_CLANG is ON. Tests run under user-mode emulation. The programs are static, so
# no emulator loads libraries for each of them. The linker would warn that GoogleTest could look up
# a host's name.
#
# BLOOMLINE_CPU_ROOT is a folder with Debian's packages of that processor, of the engines for
# example: libraries and headers are found there alone, and programs load their libraries there.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BLOOMLINE_CPU BLOOMLINE_CLANG BLOOMLINE_CPU_ROOT)
set(bloomline_triple_aarch64 aarch64-linux-gnu)
set(bloomline_triple_armhf arm-linux-gnueabihf)
set(bloomline_triple_i386 i686-linux-gnu)
set(bloomline_triple_ppc64el powerpc64le-linux-gnu)
set(bloomline_triple_riscv64 riscv64-linux-gnu)
set(bloomline_triple_s390x s390x-linux-gnu)
set(bloomline_triple "${bloomline_triple_${BLOOMLINE_CPU}}")
if(NOT bloomline_triple)
  message(FATAL_ERROR "BLOOMLINE_CPU is '${BLOOMLINE_CPU}'; allowed: aarch64, armhf, i386, "
                      "ppc64el, riscv64, s390x")
endif()
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${bloomline_triple}")
if(BLOOMLINE_CLANG)
  set(CMAKE_C_COMPILER clang)
  set(CMAKE_CXX_COMPILER clang++)
  set(CMAKE_C_COMPILER_TARGET "${bloomline_triple}")
  set(CMAKE_CXX_COMPILER_TARGET "${bloomline_triple}")
else()
  set(CMAKE_C_COMPILER "${bloomline_triple}-gcc")
  set(CMAKE_CXX_COMPILER "${bloomline_triple}-g++")
endif()
if(BLOOMLINE_CPU STREQUAL armhf)  # GCC's remarks on its versions before 7.1
  add_compile_options(-Wno-psabi)
endif()
if(BLOOMLINE_CPU_ROOT)
  # In Debian's folders, i386 has another name than its compiler has.
  string(REPLACE i686 i386 CMAKE_LIBRARY_ARCHITECTURE "${bloomline_triple}")
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

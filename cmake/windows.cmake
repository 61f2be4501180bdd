# Toolchain for Windows on x86-64: Debian's MinGW-w64 with the threads of POSIX. Tests run under
# Wine. The programs are static: beside them they need no file.
#
# BLOOMLINE_WINDOWS_ROOT is a folder with libraries and headers for Windows, of LevelDB for example:
# packages are found there alone.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BLOOMLINE_WINDOWS_ROOT)
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
if(BLOOMLINE_WINDOWS_ROOT)
  set(CMAKE_FIND_ROOT_PATH "${BLOOMLINE_WINDOWS_ROOT}")
  foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
  endforeach()
endif()
find_program(BLOOMLINE_WINE NAMES wine64 wine PATHS /usr/lib/wine)
mark_as_advanced(BLOOMLINE_WINE)
if(BLOOMLINE_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${BLOOMLINE_WINE}")
endif()

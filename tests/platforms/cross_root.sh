# To be sourced by scripts that build for another system, in the repository's root. The caller sets
#   root         a folder for that system's packages, beside the build folders: build/SYSTEM_root
#   cross        options of CMake for that system, an array
# and has the functions begin and quietly.
# shellcheck shell=bash disable=SC2154

# Makes $root, with the headers that are no system's own. Their packages lie in /usr/include, beside
# the headers of Linux.
make_cross_root() {
  mkdir -p "$root/include"
  ln -sfn /usr/include/xxhash.h "$root/include/xxhash.h"
  header_package CLI11 CLI11::CLI11 CLI
  header_package nlohmann_json nlohmann_json::nlohmann_json nlohmann
}

# header_package PACKAGE TARGET FOLDER_OF_INCLUDE
header_package() {
  mkdir -p "$root/lib/cmake/$1"
  ln -sfn "/usr/include/$3" "$root/include/$3"
  printf 'add_library(%s INTERFACE IMPORTED)\nset_target_properties(%s PROPERTIES\n%s)\n' "$2" "$2" \
    "  INTERFACE_INCLUDE_DIRECTORIES \"$root/include\"" >"$root/lib/cmake/$1/$1Config.cmake"
}

# engine SOURCE NAME OPTION...: an engine in $root, from the sources of Debian's package. If a build
# is cut short, the next call goes on with it.
engine() {
  local source=$1 name=$2 build=${root%_root}_$2
  shift 2
  local made_of="$source $*"
  [ "$(cat "$root/$name" 2>/dev/null)" != "$made_of" ] || return 0
  begin "build of $name"
  quietly cmake -S "$source" -B "$build" -G Ninja "${cross[@]}" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$root" "$@"
  quietly cmake --build "$build" --target install
  rm -rf "$build"
  echo "$made_of" >"$root/$name"
}

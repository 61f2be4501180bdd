#!/usr/bin/env bash
# Removes the build folder BUILD if another checkout than this one has built there.
# Usage: cmake/own_build.sh BUILD
#
# CMake refuses that of another path. But in a chroot each checkout is at /source, and a checkout may
# move. Then Ninja keeps objects of the other's sources where this one's sources are older.
set -euo pipefail
case "${1:-}" in
  -h | --help)
    sed -n '2,6s/^# \?//p' "$0"
    exit 0
    ;;
esac
[ $# -eq 1 ] || { echo "usage: cmake/own_build.sh BUILD" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
# An inode and its birth are one folder's alone, also where that is mounted elsewhere.
checkout=$(stat -c '%n %d:%i %W' "$source")
if [ -e "$1/CMakeCache.txt" ] && [ "$(cat "$1/checkout" 2>/dev/null)" != "$checkout" ]; then
  echo "Removing the build of another checkout: $1" >&2
  rm -rf "$1"
fi
mkdir -p "$1"
echo "$checkout" >"$1/checkout"

#!/usr/bin/env bash
# Installs the named Debian packages that are missing. Prints nothing if none is.
# Usage: cmake/install_packages.sh PACKAGE...
set -euo pipefail
case "${1:-}" in
  -h | --help)
    sed -n '2,3s/^# //p' "$0"
    exit 0
    ;;
esac

find_missing() {
  missing=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || exit 0
}
find_missing "$@"
# Of two runs one installs, the other waits for it: apt fails where another holds its lists.
cache=$("$(dirname "$0")/own_folder.sh")
exec {lock}>>"$cache/packages.lock"
flock "$lock"
find_missing "$@"

echo "Installing: ${missing[*]}" >&2
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "These packages are missing and there is no sudo to install them: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq >&2 {lock}>&-
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 {lock}>&-

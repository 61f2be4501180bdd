#!/usr/bin/env bash
# Installs the named Debian packages that are missing. Says so in one line, and nothing if none is.
# Usage: cmake/install_packages.sh [--missing] PACKAGE...
#   --missing  prints the names of those that are missing, and installs nothing
# What apt prints is kept in ~/.cache/bloomline/install.log; a failure shows the end of it. With
# BLOOMLINE_NO_INSTALL=1 a missing package is an error.
set -euo pipefail
only_missing=
case "${1:-}" in
  -h | --help)
    sed -n '2,6s/^# \?//p' "$0"
    exit 0
    ;;
  --missing)
    only_missing=1
    shift
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
refuse() {
  echo "These packages are missing and $1: ${missing[*]}" >&2
  exit 1
}
find_missing "$@"
if [ -n "$only_missing" ]; then
  printf '%s\n' "${missing[@]}"
  exit 0
fi
[ -z "${BLOOMLINE_NO_INSTALL:-}" ] || refuse "BLOOMLINE_NO_INSTALL says to install nothing"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || refuse "there is no sudo to install them"
  as_root=(sudo)
fi
# If two runs meet, one installs and the other waits: apt fails while another holds its lists.
cache=$("$(dirname "$0")/own_folder.sh")
exec {lock}>>"$cache/install.lock"
flock "$lock"
find_missing "$@"

log=$cache/install.log
what="${#missing[@]} packages" where=$log
[ ${#missing[@]} -gt 3 ] || what="${missing[*]}"
[[ $log != "${HOME:-/no home}"/* ]] || where=\~${log#"$HOME"}
echo "Installing $what (log: $where)" >&2
echo "== $(date -u +%FT%TZ): ${missing[*]}" >>"$log"
start=$(wc -c <"$log")
# apt's messages, also of sudo; a password is asked for at the terminal itself.
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y "$@" >>"$log" 2>&1 {lock}>&-; }
{ apt update && apt install --no-install-recommends "${missing[@]}"; } || {
  status=$?
  tail -c "+$((start + 1))" "$log" | tail -n 40 >&2
  exit $status
}

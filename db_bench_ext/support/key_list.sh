#!/usr/bin/env bash
# Provides a list of real keys and prints two lines: its path and its title.
# Usage: db_bench_ext/support/key_list.sh machine|distribution
#   machine       the files below /usr, /etc and /var/lib on this machine, listed at each run
#   distribution  the distribution's list of all packaged files, downloaded at the first run (51 MB)
#                 and kept in ${XDG_CACHE_HOME:-~/.cache}/bloomline; the machine's if it cannot be
set -euo pipefail

want=$1
here=$(cd "$(dirname "$0")" && pwd)
cache=$("$here/../../cmake/own_folder.sh")
architecture=$(dpkg --print-architecture)
list=$cache/contents-$architecture.txt
title_file=$cache/contents-$architecture.title

# Prints "size file title" of the largest list of this architecture that apt holds: the one of the
# release itself. The others are its updates.
largest_list() {
  apt-get indextargets --format "\$(ARCHITECTURE)|\$(FILENAME)|\$(ORIGIN) \$(CODENAME) \$(COMPONENT)" \
    'Created-By: Contents-deb' |
    while IFS='|' read -r target_architecture file title; do
      if [ "$target_architecture" = "$architecture" ] && [ -s "$file" ]; then
        echo "$(stat -c %s "$file") $file $title"
      fi
    done | sort -rn | head -n 1
}

fetch() {
  "$here/../../cmake/install_packages.sh" apt-file || return 1
  local found size file title
  found=$(largest_list)
  if [ -z "$found" ]; then
    echo "Fetching the distribution's file list (once)" >&2
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-file update >&2 || return 1
    found=$(largest_list)
  fi
  [ -n "$found" ] || return 1
  read -r size file title <<<"$found"
  [ "$size" -gt 0 ] || return 1
  /usr/lib/apt/apt-helper cat-file "$file" >"$list.part" || return 1
  echo "file list of $title $architecture" >"$title_file"
  mv "$list.part" "$list"
}

if [ "$want" = distribution ] && { [ -s "$list" ] || fetch; }; then
  printf '%s\n%s\n' "$list" "$(cat "$title_file")"
  exit
fi
if [ "$want" = distribution ]; then
  echo "The distribution's file list cannot be fetched; using this machine's instead." >&2
fi
own=$cache/machine-files.txt
# What this user may not list is left out.
find /usr /etc /var/lib -xdev -type f -printf '%P %s\n' 2>/dev/null >"$own.part" || true
mv "$own.part" "$own"
printf '%s\n%s\n' "$own" "the files of this machine"

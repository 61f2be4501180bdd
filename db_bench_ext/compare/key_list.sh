#!/usr/bin/env bash
# Provides a list of real keys and prints two lines: its path and its title.
# Usage: db_bench_ext/compare/key_list.sh real|any
#   real  the distribution's list of all packaged files, downloaded at the first run and kept in
#         ${XDG_CACHE_HOME:-~/.cache}/bloomline; a word list if it cannot be downloaded
#   any   that list if it has been downloaded, else the word list: a small download at most
set -euo pipefail

want=$1
here=$(cd "$(dirname "$0")" && pwd)
cache=$("$here/../../cmake/own_folder.sh") || cache=/dev/null  # so no list is there, or kept
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

if [ ! -s "$list" ] && [ "$want" = real ]; then
  fetch || echo "The distribution's file list cannot be fetched; using a word list instead." >&2
fi
if [ -s "$list" ]; then
  printf '%s\n%s\n' "$list" "$(cat "$title_file")"
else
  "$here/../../cmake/install_packages.sh" wamerican-insane
  printf '%s\n%s\n' /usr/share/dict/american-english-insane \
    "word list wamerican-insane (no file list)"
fi

#!/usr/bin/env bash
# Makes FOLDER if it is missing and prints its path. Refuses a folder that is another user's or that
# others may write: what they put there would be run, and links there would be written through.
# Usage: cmake/own_folder.sh [FOLDER]
#   FOLDER  ${XDG_CACHE_HOME:-~/.cache}/bloomline if not given
set -euo pipefail
case "${1:-}" in
  -h | --help)
    sed -n '2,5s/^# //p' "$0"
    exit 0
    ;;
esac
[ $# -le 1 ] || { echo "usage: cmake/own_folder.sh [FOLDER]" >&2; exit 2; }
# Without a slash at the end, behind which a link is not seen. The link itself stays in the path.
folder=$(realpath -ms -- "${1:-${XDG_CACHE_HOME:-$HOME/.cache}/bloomline}")
refuse() {
  echo "own_folder.sh: FOLDER is '$folder', $1;" \
    "allowed: a folder of yours that only you may write" >&2
  exit 2
}
[ ! -L "$folder" ] || refuse "a symbolic link"
[ -d "$folder" ] || [ ! -e "$folder" ] || refuse "no folder"
(umask 022 && mkdir -p -- "$folder")
# stat does not follow a link, whose mode is 777.
read -r owner mode < <(stat -c '%u %a' -- "$folder")
[ "$owner" -eq "$(id -u)" ] || refuse "which is user $owner's"
[ $((8#$mode & 8#022)) -eq 0 ] || refuse "whose mode is $mode"
echo "$folder"

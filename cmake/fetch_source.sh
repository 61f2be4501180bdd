#!/usr/bin/env bash
# Prints the folder with the sources of an installed Debian package, in the installed version. At
# the first call it downloads the distribution's source package to
# ${XDG_CACHE_HOME:-~/.cache}/bloomline. It reads the machine's apt configuration but does not
# change it. apt compares the download with the distribution's index, and the index with its
# signature; without one there is no download.
# Usage: cmake/fetch_source.sh PACKAGE
set -euo pipefail
umask 022  # what lies in the cache is built and run
case "${1:-}" in
  -h | --help)
    sed -n '2,8s/^# //p' "$0"
    exit 0
    ;;
esac
[ $# -eq 1 ] || {
  echo "usage: cmake/fetch_source.sh PACKAGE" >&2
  exit 2
}
"$(dirname "$0")/install_packages.sh" "$1" xz-utils

read -r source version < <(dpkg-query -W -f='${source:Package} ${source:Version}\n' "$1")
cache=$("$(dirname "$0")/own_folder.sh")/$source-$version
mkdir -p "$cache"
# If two runs meet, one downloads and the other waits for it.
exec {lock}>>"$cache/lock"
flock "$lock"

# Writes the machine's package sources, with "deb" replaced by "deb-src", to a folder of their own.
private_apt_sources() {
  local parts=$1 list list_parts file name
  eval "$(apt-config shell list Dir::Etc::sourcelist/f list_parts \
    Dir::Etc::sourceparts/d)"
  for file in "${list:-/etc/apt/sources.list}" \
    "${list_parts:-/etc/apt/sources.list.d}"/*.{list,sources}; do
    [ -f "$file" ] || continue
    name=$(basename "$file")
    case $name in
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$parts/$name" ;;
      *) sed -nE 's/^[[:space:]]*deb(-src)?([[:space:]])/deb-src\2/p' "$file" | sort -u \
        >"$parts/$name" ;;
    esac
  done
}

if [ ! -d "$cache/source" ]; then
  # Here, so that mv renames: another run, or one after a crash, sees all of the sources or none.
  work=$(mktemp -d "$cache/download.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  echo "Downloading the source package $source $version (once)" >&2
  mkdir -p "$work/parts" "$work/lists/partial" "$work/download" "$work/tree" \
    "$work/apt/archives/partial"
  private_apt_sources "$work/parts"
  options=(-qq -oDir::Etc::sourcelist=/dev/null "-oDir::Etc::sourceparts=$work/parts"
    "-oDir::State::lists=$work/lists" "-oDir::Cache=$work/apt" -oAPT::Sandbox::User=root
    -oAcquire::AllowInsecureRepositories=false -oAcquire::AllowWeakRepositories=false
    -oAcquire::AllowDowngradeToInsecureRepositories=false -oAPT::Get::AllowUnauthenticated=false)
  apt-get "${options[@]}" update >&2
  # Not the distribution's patches: nothing here uses them, and some mirrors lack them.
  if ! (cd "$work/download" &&
    apt-get "${options[@]}" source --download-only --tar-only "$source=$version" >&2); then
    echo "fetch_source.sh: no source package $source $version" >&2
    exit 1
  fi
  tar -xf "$work"/download/*.orig.tar.* -C "$work/tree" --strip-components=1 --no-same-owner
  mv "$work/tree" "$cache/source"
fi
echo "$cache/source"

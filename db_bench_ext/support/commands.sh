# What the commands of db_bench_ext share. They source it and have set here, their folder.
# shellcheck shell=bash disable=SC2034,SC2154
root=$(dirname "$here")
# Continuous integration compiles the libraries once for benches and tests.
preset=${BLOOMLINE_BENCH_PRESET:-release}
build=$root/build/$preset
benches=$build/db_bench_ext
status=0

# FLAGS...: whether they ask for the help, which the built program prints.
asks_for_help() { [[ " $* " == *" --help "* || " $* " == *" -h "* ]]; }

# [FLAGS OF CMAKE...] -- TARGETS...: configures the preset and builds these targets alone. What is
# written later is newer than the file $log.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build_targets() {
  local flags=()
  while [ "$1" != -- ]; do flags+=("$1") && shift; done
  shift
  [ -e "$build/build.ninja" ] || echo "Building ($preset)" >&2
  mkdir -p "$root/build"
  if ! (cd "$root" && flock 9 && cmake --preset "$preset" "${flags[@]}" &&
    cmake --build --preset "$preset" --target "$@") 9>"$build.lock" >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}

# PACKAGES...: what every bench needs, and these.
install_packages() {
  "$root/cmake/install_packages.sh" g++ cmake ninja-build libleveldb-dev librocksdb-dev \
    libxxhash-dev libcli11-dev python3 "$@"
}

# BENCH CSV: draws the pictures if a complete run has written a new CSV in
# $out. So results with wrong answers are plotted, too.
draw_if_new() {
  [ "$out/$2" -nt "$log" ] || return 0
  /usr/bin/python3 "$here/plots/draw.py" "$1" --results "$out" || status=$?
  echo "Results: $out, pictures in $out/pictures"
}

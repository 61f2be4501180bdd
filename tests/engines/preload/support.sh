# For the tests of the preload libraries, which source it and have set work, build and programs.
failures=0
# LD_PRELOAD ends a path at a space or a colon, so the paths of the checkout are not used.
ln -s "$(realpath "$build")" "$work/build"
ln -s "$(realpath "$programs")" "$work/programs"
build=$work/build programs=$work/programs
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# run NAME=VALUE... COMMAND...: its output in $out, its stderr in $err.
run() {
  local status=0
  env "$@" >"$work/out" 2>"$work/err" || status=$?
  out=$(<"$work/out") err=$(<"$work/err")
  [ "$status" -eq 0 ] || fail "$*: status $status: $out $err"
}

# expect WHAT VALUE REGEX
expect() { [[ $2 =~ $3 ]] || fail "$1: '$2' does not match '$3'"; }

# expect_library FILE NEEDED EXPORTS: lists separated by spaces, sorted.
expect_library() {
  local needed exports
  needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | xargs)
  exports=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort | xargs)
  # The dynamic linker is needed where thread-local variables are.
  [ "${needed#ld-linux*.so.? }" = "$2" ] || fail "$1 needs $needed; expected: $2"
  [ "$exports" = "$3" ] || fail "$1 exports $exports; expected: $3"
}

finish() {
  [ "$failures" -eq 0 ] || exit 1
  echo "no failure"
}

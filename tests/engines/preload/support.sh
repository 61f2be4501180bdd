# For the tests of the preload libraries, which source it and have set project, build, programs and
# engine: RocksDB or LevelDB.
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset "${!BLOOMLINE_@}"
# LD_PRELOAD ends a path at a space or a colon, so the paths of the checkout are not used.
ln -s "$(realpath "$build")" "$work/build"
ln -s "$(realpath "$programs")" "$work/programs"
build=$work/build programs=$work/programs
preload=$build/libbloomline_${engine,,}_preload.so
with="LD_PRELOAD=$preload"
client=$programs/preload_${engine,,}_client
host=$programs/preload_host
module=$programs/libpreload_${engine,,}_module.so
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

# write FOLDER ASKED EXPECTED FORMAT SETTING...: the client, which asks for such filters, writes a
# database in which each file has filters of this format, or any if it is empty. $out is then what
# `bloomline db inspect --json` says of it.
write() {
  local folder=$1 asked=$2 expected=$3 format=$4
  shift 4
  run "$@" "$client" write "$work/$folder" "$asked"
  expect "$folder" "$out$err" "$expected"
  [ -n "$format" ] || return 0
  run "$build/bloomline" db inspect --json --require "$format" "$work/$folder"
  expect "filters of $folder" "$out" '"layout": '
}

# check FOLDER ASKED EXPECTED SETTING...: the client reads it.
check() {
  local folder=$1 asked=$2 expected=$3
  shift 3
  run "$@" "$client" check "$work/$folder" "$asked"
  expect "$folder read with $asked $*" "$out$err" "$expected"
}

# new_filters WRITER EXPECTED...: the client writes files with filters of WRITER, "bloomline" or an
# engine, and what the rest of the arguments sets.
new_filters() {
  local writer=$1
  shift
  rm -rf "$work/new"
  run "$@"
  run "$build/bloomline" db inspect --json "$work/new"
  expect "filters of $*" "$out" "\"layout\": \"$writer "
  [ "$writer" = bloomline ] || [[ $out != *'"layout": "bloomline '* ]] || fail "$*: $out"
}

# bad TEXT ASKED SETTING...: what is wrong is said once. The client queries the filters of the
# folder `blocked`, and writes the engine's own.
queries="; preload_${engine,,}_client queries"
own_in_new="and new files get its own $engine filters\$"
bad() {
  local text=$1 asked=$2
  shift 2
  run "$with" BLOOMLINE_FORMAT=blocked "$@" "$client" check "$work/blocked" "$asked"
  expect "$*" "$err" "^bloomline: $text$queries all existing filters, $own_in_new"
  expect "$*" "$out" "$blocked"
  new_filters "$engine" "$with" BLOOMLINE_FORMAT=blocked "$@" "$client" write "$work/new" "$asked"
}

# unusable TEXT ASKED SETTING...: the library cannot be used, so the filters in the folder `blocked`
# exclude no key.
unusable() {
  local text=$1 asked=$2
  shift 2
  run "$with" BLOOMLINE_FORMAT=blocked "$@" "$client" check "$work/blocked" "$asked"
  expect "$*" "$err" "^bloomline: $text$queries no existing filters of bloomline, $own_in_new"
  expect "$*" "$out" "$unused"
}

# harmless TEXT ASKED SETTING...: what is wrong is said once, and changes no filters.
harmless() {
  local text=$1 asked=$2
  shift 2
  run "$with" BLOOMLINE_FORMAT=blocked "$@" "$client" check "$work/blocked" "$asked"
  expect "$*" "$err" "^bloomline: $text; preload_${engine,,}_client's ($engine )?filters are not affected\$"
  expect "$*" "$out" "$blocked"
  new_filters bloomline "$with" BLOOMLINE_FORMAT=blocked "$@" "$client" write "$work/new" "$asked"
}

# Variables that change no filters, and names that nothing reads.
harmless_variables() {
  local setting says
  while read -r setting says; do
    harmless "BLOOMLINE_${setting%%=*} is $says" "$1" "BLOOMLINE_$setting"
  done <<'END'
VERBOSE=yes 'yes'; allowed: 0, 1; 0 is used
VERBOSE= ''; allowed: 0, 1; 0 is used
METRICS= ''; allowed: the path of a file, without '%'; no metrics are written
METRICS=/x/%p '/x/%p'; allowed: the path of a file, without '%'; no metrics are written
METRICS_SECONDS=0 '0'; allowed: 1 to 86400; 15 is used
METRICS_SECONDS=90000 '90000'; allowed: 1 to 86400; 15 is used
METRICS_SECONDS=x 'x'; allowed: 1 to 86400; 15 is used
END
  harmless "BLOOMLINE_METRICS is '$work/m\.txt'; node_exporter reads only files whose names end in \
\.prom" "$1" "BLOOMLINE_METRICS=$work/m.txt"
  [ -s "$work/m.txt" ] || fail "no metrics in m.txt"
  harmless "no preload library reads 'BLOOMLINE_FORMT' \(did you mean BLOOMLINE_FORMAT\?\)" "$1" \
    BLOOMLINE_FORMT=blocked
  harmless "no preload library reads 'BLOOMLINE_UNHEARD_OF'; known: BLOOMLINE_FORMAT, .*" "$1" \
    BLOOMLINE_UNHEARD_OF=
  # Earlier versions read it, and refused 0.
  harmless "BLOOMLINE_LEVEL_SIZE_RATIO has no effect since bloomline 0\.4" "$1" \
    BLOOMLINE_LEVEL_SIZE_RATIO=0
  run "$with" BLOOMLINE_FORMAT=x BLOOMLINE_FORMT= "$client" threads
  [ "$(wc -l <<<"$err")" -eq 2 ] || fail "two wrong variables: $err"
  run "$with" BLOOMLINE_FORMAT=blocked BLOOMLINE_KERNEL=portable BLOOMLINE_LIBRARY=/x \
    "$client" check "$work/blocked" "$1"
  expect "known names" "$out$err" "$blocked"
}

# in_other_programs ASKED: a program without the engine; one that opens it late; and a library that
# is preloaded twice, from two folders.
in_other_programs() {
  run "$with" LD_BIND_NOW=1 BLOOMLINE_FORMAT=wrong BLOOMLINE_WRONG= \
    sh -c 'ls / >/dev/null && cat /proc/self/maps'
  expect "no $engine" "$err" '^$'
  [[ $out != *lib${engine,,}.so* ]] || fail "the preload library opens $engine in sh"
  [[ $out != *preload_policy* ]] || fail "the preload library opens its policy in sh"
  run "$with" BLOOMLINE_FORMAT=blocked "$host" "$module" check "$work/blocked" "$1"
  expect "opened late" "$out$err" "$blocked"
  run "$with" BLOOMLINE_SEED=no "$host" "$module" check "$work/blocked" "$1"
  expect "opened late, a wrong seed" "$out" "$blocked"
  mkdir "$work/second"
  cp "$build/libbloomline_${engine,,}_preload"*.so "$work/second/"
  run "LD_PRELOAD=$work/second/$(basename "$preload"):$preload" "$host" "$module" threads
  expect "twice" "$out" '^wrong 0, child 0$'
}

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

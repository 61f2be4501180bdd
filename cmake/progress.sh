# shellcheck shell=bash
# Sourced. Shows on stderr how far a long command is, and the time left: on a terminal in a line
# that changes, in a file in a line for each part that begins and for each tenth.
#   show_progress WHAT LOG [PATTERN]  from now on. The steps stand in LOG, or in a file of PATTERN
#                                     that was written later
#   end_progress                      the command has ended
# Several commands count as one if steps_before has the steps of those before, and steps_in_all
# those of all.
steps_before=0 steps_in_all='' progress='' progress_start=''

# count_steps FILE: prints "DONE ALL". Ninja writes "[12/345]", as the benches do, and ctest "12/345
# Test"; help.sh begins a part with "== PART (m:ss)". A script may have a function of its own.
count_steps() {
  tail -c 20000 "$1" | sed -nE 's/^\[([0-9]+)\/([0-9]+)\].*/\1 \2/p; s/^== .*/0 0/p
    s/^ *([0-9]+)\/([0-9]+) +Test +#.*/\1 \2/p' | tail -n 1
}

show_progress() {
  if [ -z "$steps_in_all" ] || [ -z "$progress_start" ]; then progress_start=$SECONDS; fi
  watch_progress "$@" &
  progress=$!
}

end_progress() {
  [ -n "$progress" ] || return 0
  kill "$progress" 2>/dev/null || true  # it cleans its line
  wait "$progress" 2>/dev/null || [ $? -ne 127 ] || sleep 0.2  # in a subshell it is no child
  progress=''
}

watch_progress() {
  local what=$1 log=$2 pattern=${3:-} start=$progress_start width=80 tenth=0 last=0 last_part='' named=''
  local file other part text seconds left n all
  set +eu
  [ ! -t 2 ] || read -r _ width < <(stty size <&2)
  [ "$width" -gt 0 ] || width=80
  trap '[ ! -t 2 ] || printf "\r\e[K" >&2; exit' TERM
  while kill -0 $$ 2>/dev/null; do  # until the script ends
    sleep 0.5 & wait $!
    file=$log
    for other in $pattern; do [ "$other" -nt "$file" ] && file=$other; done
    part=$(sed -nE 's/^== (.*) \([0-9]+:[0-9]+\)$/, \1/p' "$log" | tail -n 1)
    [ -t 2 ] || [ "$named" = "$what$part" ] || echo "$what$part" >&2
    named=$what$part
    read -r n all < <(count_steps "$file")
    n=$((${n:-0} + steps_before)) all=${steps_in_all:-${all:-0}}
    if [ -z "$steps_in_all" ] && { [ "$part" != "$last_part" ] || [ $n -lt "$last" ]; }; then
      start=$SECONDS tenth=0
    fi
    last=$n last_part=$part text=$what$part seconds=$((SECONDS - start)) left='so far'
    if [ $n -gt 0 ] && [ "$all" -gt 0 ]; then
      text="$text: $n of $all steps" seconds=$((seconds * (all - n) / n)) left=left
    fi
    printf -v text '%s, %d:%02d %s' "$text" $((seconds / 60)) $((seconds % 60)) "$left"
    if [ -t 2 ]; then
      printf '\r\e[K%s' "${text:0:width - 1}" >&2
    elif [ "$all" -gt 0 ] && [ $((10 * n / all)) -gt $tenth ]; then
      tenth=$((10 * n / all))
      echo "$text" >&2
    fi
  done
}

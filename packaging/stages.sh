# shellcheck shell=bash
# Sourced. Long work in stages, of which at most two run side by side, and which a later run goes on
# with: what has passed does not run again.
#   stage NAME MINUTES [AFTER...]  declares a stage: the function stage_NAME, which takes MINUTES
#                                  on two quiet cores, after the stages AFTER
#   run_stages FOLDER              runs the stages; FOLDER keeps NAME.log of each, and NAME.passed
#                                  with its seconds once it has passed. Returns 1 if one has failed
# A stage runs in a subshell with set -e, in a process group that ends with the script.
stage_names=()
declare -A stage_minutes=() stage_after=() stage_process=() stage_start=()

stage() {
  stage_names+=("$1")
  stage_minutes[$1]=$2
  stage_after[$1]=${*:3}
}

stage_time() { printf '%d:%02d' $(($1 / 3600)) $(($1 / 60 % 60)); }

# Hours and minutes that are left. Two stages use the cores that one would use, so their minutes add
# up; one that takes longer than expected counts as nearly done.
stages_left() {
  local name minutes=0 ran
  for name in "${stage_names[@]}"; do
    [ ! -e "$1/$name.passed" ] || continue
    ran=0
    [ -z "${stage_process[$name]:-}" ] || ran=$(((SECONDS - stage_start[$name]) / 60))
    [ "$ran" -lt "${stage_minutes[$name]}" ] || ran=$((stage_minutes[$name] - 1))
    minutes=$((minutes + stage_minutes[$name] - ran))
  done
  stage_time $((60 * minutes))
}

stop_stages() {
  local process
  for process in "${stage_process[@]}"; do
    kill -- "-$process" 2>/dev/null || true
  done
  wait
}

# start_stages FOLDER: those that may run now.
start_stages() {
  local name other ready
  for name in "${stage_names[@]}"; do
    [ ${#stage_process[@]} -lt 2 ] || return 0
    ready=yes
    [ -z "${stage_process[$name]:-}" ] || ready=no
    [ ! -e "$1/$name.passed" ] || ready=no
    for other in ${stage_after[$name]}; do
      [ -e "$1/$other.passed" ] || ready=no
    done
    [ $ready = yes ] || continue
    set -m
    (set -euo pipefail; "stage_$name") >"$1/$name.log" 2>&1 </dev/null &
    stage_process[$name]=$!
    set +m
    stage_start[$name]=$SECONDS
    echo "$name: begins; $(stages_left "$1") left in all"
  done
}

run_stages() {
  local folder=$1 name status process failed=() seconds all=0 lock
  mkdir -p "$folder"
  # Stages have it, too, so one that outlives a killed script is not run twice at once.
  exec {lock}>"$folder/lock"
  if ! flock --nonblock "$lock"; then
    echo "another run uses $folder, or a stage of a run that was killed"
    return 1
  fi
  for name in "${stage_names[@]}"; do
    [ ! -e "$folder/$name.passed" ] || echo "$name: passed before, of this commit"
  done
  trap stop_stages EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  while true; do
    [ ${#failed[@]} -gt 0 ] || start_stages "$folder"
    [ ${#stage_process[@]} -gt 0 ] || break
    status=0
    wait -n -p process "${stage_process[@]}" || status=$?
    for name in "${!stage_process[@]}"; do
      [ "${stage_process[$name]}" = "$process" ] || continue
      unset "stage_process[$name]"
      seconds=$((SECONDS - stage_start[$name]))
      if [ $status -eq 0 ]; then
        echo "$seconds" >"$folder/$name.new"
        mv "$folder/$name.new" "$folder/$name.passed"
        echo "$name: passed in $(stage_time $seconds); $(stages_left "$folder") left in all"
      else
        echo "$name: FAILED with exit status $status in $(stage_time $seconds) ($folder/$name.log)"
        tail -n 40 "$folder/$name.log"
        failed+=("$name")
      fi
    done
  done
  trap - EXIT INT TERM HUP
  printf '%-24s %9s %9s\n' stage expected took
  for name in "${stage_names[@]}"; do
    [ -e "$folder/$name.passed" ] || continue
    seconds=$(<"$folder/$name.passed")
    all=$((all + seconds))
    printf '%-24s %9s %9s\n' "$name" "$(stage_time $((60 * stage_minutes[$name])))" \
      "$(stage_time "$seconds")"
  done
  printf '%-24s %9s %9s\n' 'all, one by one' '' "$(stage_time $all)"
  [ ${#failed[@]} -eq 0 ] || { echo "FAILED: ${failed[*]}"; return 1; }
  for name in "${stage_names[@]}"; do
    [ -e "$folder/$name.passed" ] || { echo "FAILED: $name did not run"; return 1; }
  done
}

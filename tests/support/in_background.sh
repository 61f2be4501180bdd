# To be sourced. in_background COMMAND... runs it beside the others, at most so many at once as
# there are processors. `wait` waits for all of them.
# shellcheck shell=bash
in_background() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  "$@" &
}

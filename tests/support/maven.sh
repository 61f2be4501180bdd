# Sourced after help.sh. `maven ARGUMENTS...` runs Maven with the local repository $repository:
# without the network if all that is needed was downloaded before. If a registry cannot be reached,
# the script is skipped; where CI is set, it fails after three tries.

# What Maven and cargo say without a network.
unreachable='Could not transfer|Unknown host|offline|failed to download|[Cc]ould ?n.t resolve host'
maven() {
  local tries=1 log
  log=$(mktemp)
  [ -z "${CI:-}" ] || tries=3
  if mvn -B -q -o "-Dmaven.repo.local=$repository" "$@" >"$log" 2>&1; then
    rm "$log"
    return 0
  fi
  for ((; tries > 0; --tries)); do
    if mvn -B -q "-Dmaven.repo.local=$repository" "$@" >"$log" 2>&1; then
      rm "$log"
      return 0
    fi
  done
  cat "$log" >&2
  # Else it is an error of the project.
  if [ -z "${CI:-}" ] && grep -qE "$unreachable" "$log"; then
    skip "a registry of Maven or cargo cannot be reached"
  fi
  exit 1
}

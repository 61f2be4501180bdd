# Sourced after help.sh. `maven ARGUMENTS...` runs Maven with a local repository of its own:
# without the network if all that is needed was downloaded before. If a registry cannot be reached,
# the script is skipped; where CI is set, it fails after three tries. Name plugins in full: without
# a network, Maven says of a short name only that it does not know it.

# It outlives a checkout, because it grows to 2 GB. A checkout's jar is installed there as well, so
# one script at a time uses it.
own_folder=$(dirname "${BASH_SOURCE[0]}")/../../cmake/own_folder.sh
repository=$("$own_folder" "$("$own_folder")/maven")
exec {repository_lock}>>"$repository/lock"
flock "$repository_lock"

# Skips the script if something that builds the jar is missing or too old.
need_jar_tools() {
  local command said
  [ "$(uname -sm)" = "Linux x86_64" ] || skip "the jar is for Linux on x86-64"
  for command in mvn javac cargo cmake unzip; do
    command -v $command >/dev/null || skip "there is no $command"
  done
  said=$("$(dirname "${BASH_SOURCE[0]}")/../../src/bindings/java/native/build" --check 2>&1) ||
    skip "$said"
}

# What Maven and cargo say without a network.
unreachable='Could not transfer|Unknown host|offline|failed to download|[Cc]ould ?n.t resolve host'
maven() {
  local tries=1 said
  [ -z "${CI:-}" ] || tries=3
  ! said=$(mvn -B -q -o "-Dmaven.repo.local=$repository" "$@" 2>&1) || return 0
  for ((; tries > 0; --tries)); do
    ! said=$(mvn -B -q "-Dmaven.repo.local=$repository" "$@" 2>&1) || return 0
  done
  # Else it is an error of the project.
  if [ -z "${CI:-}" ] && grep -qE "$unreachable" <<<"$said"; then
    skip "a registry of Maven or cargo cannot be reached"
  fi
  echo "$said" >&2
  exit 1
}

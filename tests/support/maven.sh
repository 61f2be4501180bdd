# Sourced after help.sh. `maven ARGUMENTS...` runs Maven with the local repository $repository:
# without the network if all that is needed was downloaded before. If a registry cannot be reached,
# the script is skipped; where CI is set, it fails after three tries. Name plugins in full: without a
# network, Maven says of a short name only that it does not know it.

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

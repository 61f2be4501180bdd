# Sourced first. `usage` prints the comment that begins the script; -h or --help does, and ends it.
script=$(realpath "$0")
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script"; }
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
esac

# Sourced first. `usage` prints the comment that begins the script; -h or --help does, and ends it.
script=$(realpath "$0")
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$script"; }
case "${1:-}" in
  -h | --help) usage; exit 0 ;;
esac
# refuse TEXT...: an argument is wrong. skip TEXT...: something cannot be had here.
refuse() { echo "$0: $*" >&2; exit 2; }
skip() { echo "$0: skipped: $*"; exit 77; }
# begin PART: says what comes, and how long the parts before it took.
begin() { printf '== %s (%d:%02d)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

# What each policy library for programs that bundle RocksDB must be, for scripts that build one.

# check_policy_library LIBRARY: fails, and says why, if it needs more than RHEL 8 has, which are glibc
# 2.28 and the C++ library of GCC 8, if it takes from the room that libraries opened late share, or
# if it exports names that are not bloomline's.
check_policy_library() {
  local most newest
  for most in GLIBC_2.28 GLIBCXX_3.4.25 CXXABI_1.3.11; do
    newest=$(readelf -V "$1" | sed -nE "s/.*Name: (${most%_*}_[0-9.]+) .*/\1/p" |
      cat - <(echo $most) | sort -V | tail -n 1)
    [ "$newest" = $most ] || { echo "$(basename "$1") needs $newest"; return 1; }
  done
  if [[ $(readelf -l "$1") == *' TLS '* && $(readelf -d "$1") == *STATIC_TLS* ]]; then
    echo "$(basename "$1") takes from the room that libraries opened late share"
    return 1
  fi
  "$(dirname "${BASH_SOURCE[0]}")/../packages/exported_names" "$1"
}

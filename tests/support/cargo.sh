# Sourced after help.sh, where `project` is the project's folder and there is a cargo.
cargo_version=$(cargo --version | cut -d' ' -f2)
cargo_is() { printf '%s\n' "$1" "$cargo_version" | sort -VC; }

# registry COMMAND...: without the network if what it needs was downloaded before.
registry() {
  local tries=1 said
  [ -z "${CI:-}" ] || tries=3
  ! said=$("$@" --offline 2>&1) || return 0
  for ((; tries > 0; --tries)); do
    ! said=$("$@" 2>&1) || return 0
  done
  ! [[ -z ${CI:-} && $said =~ [Cc]ould.?n.t\ resolve|failed\ to\ (download|fetch|query) ]] ||
    skip "crates.io cannot be reached"
  echo "$said" >&2
  exit 1
}

export CARGO_TERM_QUIET=true CARGO_TARGET_DIR=$project/build/rust
if command -v ccache >/dev/null; then export CC='ccache cc' CXX='ccache c++'; fi

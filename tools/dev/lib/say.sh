# shellcheck shell=bash
# Lines for the person who waits.

begun_us=${EPOCHREALTIME/[.,]/}

# say TEXT...: one line with the time since the script began.
say() {
  local tenths=$(((${EPOCHREALTIME/[.,]/} - begun_us) / 100000))
  printf '[%3d.%d s] %s\n' $((tenths / 10)) $((tenths % 10)) "$*"
}

# fail LINE...: what went wrong and what to do about it; ends the script.
fail() {
  printf '%s: error: %s\n' "$(basename "$0")" "$1" >&2
  shift
  if (($# > 0)); then
    printf '  %s\n' "$@" >&2
  fi
  exit 1
}

# usage_error TEXT: a wrong command line.
usage_error() {
  printf '%s: %s\nSee: %s --help\n' "$(basename "$0")" "$1" "$0" >&2
  exit 2
}

# show_tail FILE: the last lines of a log, marked as such, to standard error.
show_tail() {
  [[ -s $1 ]] || return 0
  printf '  --- last lines of %s\n' "$1" >&2
  tail -n 20 "$1" | sed 's/^/  | /' >&2
}

# quietly LOG WHAT COMMAND...: runs it with its output in LOG; shows the end of it on failure.
quietly() {
  local log=$1 what=$2
  shift 2
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    show_tail "$log"
    fail "$what failed" "all of its output is in $log"
  fi
}

# shellcheck shell=bash
# Configures and builds a preset.

# build PRESET LOG TARGET...: shows ninja's progress on a terminal, else writes it to LOG.
build() {
  local preset=$1 log=$2
  shift 2
  local -a command=(cmake --build --preset "$preset")
  (($# == 0)) || command+=(--target "$@")
  cd "$repo_dir"
  if [[ ! -f build/$preset/build.ninja ]]; then
    quietly "$log" "cmake --preset $preset" cmake --preset "$preset"
  fi
  if [[ -t 1 ]]; then
    "${command[@]}" || fail "the build failed" "see above"
  else
    quietly "$log" "the build" "${command[@]}"
  fi
}

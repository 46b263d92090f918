# shellcheck shell=bash
# Configures and builds a preset.

# build PRESET LOG TARGET...: shows ninja's progress on a terminal, else writes it to LOG.
build() {
  local preset=$1 log=$2
  shift 2
  local -a configure=(cmake --preset "$preset") command=(cmake --build --preset "$preset")
  # Who only runs the service needs no test libraries.
  [[ $preset != release ]] || configure+=(-DBUILD_TESTING=OFF)
  (($# == 0)) || command+=(--target "$@")
  cd "$repo_dir"
  if [[ ! -f build/$preset/build.ninja ]]; then
    quietly "$log" "${configure[*]}" "${configure[@]}"
  fi
  if [[ -t 1 ]]; then
    "${command[@]}" || fail "the build failed" "see above"
  else
    quietly "$log" "the build" "${command[@]}"
  fi
}

# shellcheck shell=bash
# Debian packages and tools. What is there already, also newer and from elsewhere, is used.

# Needed to compile the service.
# shellcheck disable=SC2034 # for the scripts that source this
build_packages=(
  g++ cmake ninja-build pkg-config ccache
  libcaf-dev libsoci-dev libpq-dev librdkafka-dev libboost1.81-dev libboost-json1.81-dev
  libgmime-3.0-dev libssl-dev libspdlog-dev libfmt-dev libkainjow-mustache-dev
  prometheus-cpp-dev python3 python3-yaml
)
# shellcheck disable=SC2034
test_packages=(catch2 librapidcheck-dev prometheus pgbouncer python3-jsonschema)
# shellcheck disable=SC2034
service_packages=(curl hostname iproute2 util-linux)

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "this needs root: $*" "run it once as root, or install sudo"
  fi
}

package_there() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# at_least VERSION MINIMUM: compares the first numbers of both.
at_least() {
  local major=${1%%[!0-9]*}
  ((${major:-0} >= $2))
}

java_version() {
  java -version 2>&1 | sed -n 's/.*version "\([0-9.]*\).*/\1/p' | head -n 1
}

node_version() {
  node --version 2>/dev/null | tr -d v
}

# The packages that bring a Java 17 and Maven, if the machine lacks them.
java_packages() {
  command -v java >/dev/null && at_least "$(java_version)" 17 || echo default-jre-headless
  command -v mvn >/dev/null || echo maven
}

# The packages that bring Node 18 and npm, if the machine lacks them.
node_packages() {
  at_least "$(node_version)" 18 || echo nodejs
  command -v npm >/dev/null || echo npm
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# Debian makes and starts a database cluster with the first server package. Ours are private, so it
# is told not to, for as long as the installation takes.
no_main_cluster=/etc/postgresql-common/createcluster.d/notify-dev.conf

forbid_main_cluster() {
  as_root mkdir -p "${no_main_cluster%/*}"
  as_root sh -c "echo 'create_main_cluster = false' >$no_main_cluster"
}

# install_packages LOG NAME...: installs what is missing of these and says which.
install_packages() {
  local log=$1 name
  shift
  local -a missing=()
  for name; do
    package_there "$name" || missing+=("$name")
  done
  ((${#missing[@]} > 0)) || return 0
  command -v apt-get >/dev/null \
    || fail "these Debian packages are missing: ${missing[*]}" \
      "this script installs them on Debian 12; elsewhere install their counterparts by hand"
  say "installing Debian packages: ${missing[*]}"
  forbid_main_cluster
  # Package lists that are missing or too old show as a failure to find or fetch something.
  if ! apt_install "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    say "updating the package lists"
    as_root apt-get update -q >>"$log" 2>&1 </dev/null || true
    quietly "$log" "apt-get install ${missing[*]}" apt_install "${missing[@]}"
  fi
  as_root rm -f "$no_main_cluster"
  say "packages installed"
}

# need_version WHAT FOUND MINIMUM: the tool that comes first in PATH must be new enough.
need_version() {
  at_least "$2" "$3" || fail "$1 $3 or newer is needed, found '${2:-none}' at $(command -v "$1" || echo nowhere)" \
    "remove the older one from PATH"
}

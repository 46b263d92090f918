# shellcheck shell=bash
# What the benchmarks share: a folder of their own, servers that end with them.

# shellcheck source=../dev/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../dev/lib.sh"

# Stops the servers; keeps the logs of a benchmark that failed.
end_benchmark() {
  local code=$1
  set +e
  stop_service notifyd TERM 60
  stop_kafka
  stop_postgres
  if ((code == 0)); then
    remove_postgres
    rm -rf "$state_dir"
  else
    say "logs are in $state_dir/log"
  fi
  exit "$code"
}

begin_benchmark() {
  state_dir=$(mktemp -d "${TMPDIR:-/tmp}/notify-bench.XXXXXX")
  chmod 0711 "$state_dir" # The database's user must get in.
  make_state_dir
  trap 'end_benchmark $?' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  log=$state_dir/log/setup.log
}

# A PostgreSQL with durable commits on port $1, its schema made by the notifyd in $bin.
start_bench_postgres() {
  start_postgres "$1" shared_buffers=512MB max_wal_size=4GB
  create_database notify
  "$bin/notifyd" migrate "--postgres.url=$postgres_url" >>"$log" 2>&1 \
    || { show_tail "$log"; fail "the schema could not be made"; }
}

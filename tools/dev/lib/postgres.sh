# shellcheck shell=bash
# A private PostgreSQL cluster on loopback. PostgreSQL refuses to run as root, so root runs it as
# user postgres; anybody else runs it as they are.

postgres_packages() {
  # Any installed server from 15 on will do.
  postgres_bin >/dev/null || echo postgresql-15
  psql_packages
}

psql_packages() {
  command -v psql >/dev/null || echo postgresql-client
}

# postgres_bin [VERSION]: the newest server's programs, or those of one major version.
postgres_bin() {
  local found
  found=$(compgen -G "/usr/lib/postgresql/${1:-*}/bin/postgres" | sort -t/ -k5 -V | tail -n 1)
  [[ -x $found ]] && at_least "$(cut -d/ -f5 <<<"$found")" 15 && dirname "$found"
}

# as_postgres COMMAND...: from a folder that the user can read.
as_postgres() (
  cd /
  if ((EUID == 0)); then
    exec runuser -u postgres -- "$@" 9>&-
  else
    exec "$@" 9>&-
  fi
)

# postgres_home: the cluster's folder for $state_dir. It is a link to a place outside if user
# postgres cannot get into $state_dir, for example below a closed home folder.
postgres_home() {
  local home=$state_dir/postgres outside
  if [[ ! -e $home ]] && ((EUID == 0)); then
    install -d -o postgres -g postgres -m 0700 "$home"
    if ! as_postgres test -w "$home" 2>/dev/null; then
      rmdir "$home"
      outside=/var/lib/notify-dev/$(sha256sum <<<"$state_dir" | cut -c 1-16)
      install -d -m 0755 /var/lib/notify-dev
      install -d -o postgres -g postgres -m 0700 "$outside"
      ln -s "$outside" "$home"
    fi
  fi
  mkdir -p "$home"
  (cd "$home" && pwd -P)
}

# start_postgres PORT [SETTING...]: ready when it returns; sets postgres_url for the server's own
# database. Keeps a server that already runs.
start_postgres() {
  local port=$1 home bin options log
  shift
  log=$(log_of postgres)
  if ! service_running postgres; then
    home=$(postgres_home)
    bin=$(postgres_bin "$(cat "$home/data/PG_VERSION" 2>/dev/null || true)") \
      || fail "the programs of PostgreSQL $(cat "$home/data/PG_VERSION") are gone" \
        "install them, or start over: tools/dev/down --purge"
    ln -sfn "$home/server.log" "$log"
    if [[ ! -f $home/data/PG_VERSION ]]; then
      as_postgres "$bin/initdb" -D "$home/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
        --no-sync >"$state_dir/log/initdb.log" 2>&1 \
        || { show_tail "$state_dir/log/initdb.log"; fail "initdb failed"; }
    fi
    # TCP on loopback only: a socket's path would be too long in deep folders.
    options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= \
      -c max_connections=200 -c shared_buffers=128MB"
    (($# == 0)) || options+=$(printf ' -c %s' "$@")
    if ! as_postgres "$bin/pg_ctl" start -s -w -t 60 -D "$home/data" -l "$home/server.log" \
      -o "$options" >/dev/null 2>&1 </dev/null; then
      show_tail "$log"
      fail "PostgreSQL did not start" "its log: $log"
    fi
    record_service postgres "$(head -n 1 "$home/data/postmaster.pid")"
    remember postgres.port "$port"
  fi
  # shellcheck disable=SC2034 # for the scripts that source this
  postgres_url=postgresql://postgres@127.0.0.1:$(recall postgres.port)/postgres
}

# create_database NAME: unless it exists; sets postgres_url to it.
create_database() {
  if [[ -z $(psql "$postgres_url" -XAtqc "select 1 from pg_database where datname = '$1'") ]]; then
    psql "$postgres_url" -Xqc "create database $1"
  fi
  postgres_url=${postgres_url%/*}/$1
}

# SIGINT is PostgreSQL's fast shutdown: clients are disconnected, data is flushed.
stop_postgres() {
  stop_service postgres INT 60
}

# remove_postgres: the data, wherever it stands.
remove_postgres() {
  local home=$state_dir/postgres
  if [[ -L $home ]]; then
    rm -rf "$(readlink -f "$home")"
    rmdir --ignore-fail-on-non-empty /var/lib/notify-dev
  fi
  rm -rf "$home"
}

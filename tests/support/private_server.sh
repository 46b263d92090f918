#!/usr/bin/env bash
# A server of one test's own: private_server.sh FOLDER postgres|kafka start|stop|remove OWNER-PID
#
# Started with the functions of tools/dev, so that tests and developers have the same servers.

# shellcheck source=tools/dev/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/dev/lib.sh"

state_dir=$1
kind=$2
verb=$3
owner=$4
kafka_jars=${NOTIFY_TEST_KAFKA_JARS:-$kafka_jars}

# Keeps the ports of the first start: clients look for the server where it was.
ports_of() {
  recall "$kind.ports" || {
    local -a free
    readarray -t free < <(pick_ports 2)
    remember "$kind.ports" "${free[*]}"
    echo "${free[*]}"
  }
}

start() {
  local -a ports
  read -r -a ports <<<"$(ports_of)"
  if [[ $kind == kafka ]]; then
    begin_kafka "${ports[@]}"
    await_kafka "${NOTIFY_TEST_BIN:?}/notifyctl"
  else
    start_postgres "${ports[0]}" fsync=off full_page_writes=off
  fi
  remember port "${ports[0]}"
}

stop() {
  local pid
  # A process that stands still hears nothing.
  ! pid=$(service_pid "$kind") || kill -s CONT "$pid"
  "stop_$kind" || true
}

remove() {
  stop
  [[ $kind == kafka ]] || remove_postgres
  rm -rf "$state_dir"
}

# A test that is killed cannot clean up.
guard() {
  while kill -0 "$owner" 2>/dev/null && [[ -d $state_dir ]]; do
    sleep 1
  done
  [[ ! -d $state_dir ]] || remove
}

make_state_dir
if [[ $verb == start && ! -e $state_dir/run/guarded ]]; then
  touch "$state_dir/run/guarded"
  guard >/dev/null 2>&1 </dev/null &
fi
"$verb"

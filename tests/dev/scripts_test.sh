#!/usr/bin/env bash
# Tests of tools/dev: scripts_test.sh CASE runs one of the functions below in a folder of its own.

# shellcheck source=../../tools/dev/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/dev/lib.sh"

state_dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$state_dir"' EXIT
make_state_dir

# expect WHAT COMMAND...
expect() {
  local what=$1
  shift
  "$@" || { echo "expected: $what" && exit 1; }
}

# refuse WHAT COMMAND...: the command must fail, in a shell of its own.
refuse() {
  local what=$1
  shift
  if ("$@"); then
    echo "expected: $what"
    exit 1
  fi
}

contains() { [[ $1 == *"$2"* ]]; }

a_started_service_is_known_and_stops() {
  start_daemon sleeper sleep 1000
  local pid
  pid=$(service_pid sleeper)
  expect "it runs" kill -0 "$pid"
  expect "it was running" stop_service sleeper TERM 30
  refuse "it is gone" kill -0 "$pid"
  refuse "nothing is left to stop" stop_service sleeper TERM 30
}

a_recycled_process_id_is_never_killed() {
  sleep 1000 &
  local stranger=$!
  echo "$stranger $(cat /proc/sys/kernel/random/boot_id) 1" >"$state_dir/run/sleeper.pid"
  refuse "a stranger is not our service" service_running sleeper
  refuse "nothing of ours to stop" stop_service sleeper TERM 30
  expect "the stranger lives" kill -0 "$stranger"
}

a_process_of_an_earlier_boot_is_never_killed() {
  sleep 1000 &
  local stranger=$! start
  read -r _ start < <(process_stamp "$stranger")
  echo "$stranger 00000000-0000-0000-0000-000000000000 $start" >"$state_dir/run/sleeper.pid"
  refuse "nothing of ours to stop" stop_service sleeper TERM 30
  expect "the stranger lives" kill -0 "$stranger"
}

a_service_that_ignores_the_signal_is_killed() {
  start_daemon stubborn bash -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
  wait_for stubborn 30 grep -q ready "$(log_of stubborn)"
  local pid
  pid=$(service_pid stubborn)
  expect "it was stopped" stop_service stubborn TERM 0
  refuse "it is gone" kill -0 "$pid"
}

a_service_that_dies_while_it_starts_is_told_with_its_log() {
  start_daemon broken bash -c 'echo the reason; exit 1'
  local output
  output=$(wait_for broken 30 false 2>&1) && exit 1
  expect "the log's end" contains "$output" "the reason"
  expect "what happened" contains "$output" "broken ended while it started"
}

the_holder_of_a_port_is_named() {
  local address=$state_dir/address port output
  start_daemon holder "$NOTIFY_DEV_BROKER" "--bootstrap-file=$address"
  wait_for holder 30 test -s "$address"
  port=$(sed 's/.*://' "$address")
  output=$(need_port "$port" "a test" TEST_PORT 2>&1) && exit 1
  expect "the holder" contains "$output" "(pid $(service_pid holder))"
  expect "the way out" contains "$output" "TEST_PORT=<port>"
  stop_service holder TERM 30
}

picked_ports_are_free_and_differ() {
  local -a ports
  readarray -t ports < <(pick_ports 20)
  expect "as many as asked for" test "${#ports[@]}" = 20
  expect "no two alike" test "$(printf '%s\n' "${ports[@]}" | sort -u | wc -l)" = 20
  local port
  for port in "${ports[@]}"; do
    refuse "port $port is free" listening "$port"
  done
}

unknown_options_are_refused() {
  local script code
  for script in up down lint provider fuzz; do
    code=0
    "$repo_dir/tools/dev/$script" --no-such-option >"$state_dir/out" 2>&1 || code=$?
    expect "exit code 2 of $script" test "$code" = 2
    expect "the option's name" grep -q -- --no-such-option "$state_dir/out"
    expect "where help is" grep -q -- --help "$state_dir/out"
  done
}

every_script_has_help() {
  local script
  for script in up down lint test provider fuzz; do
    expect "help of $script" grep -q "^Usage: tools/dev/$script" <("$repo_dir/tools/dev/$script" --help)
  done
}

"$1"

# shellcheck shell=bash
# Services in the background. A service NAME has $state_dir/run/NAME.pid and $state_dir/log/NAME.log.

# The identity of a process beyond its number: boot and start time. Numbers come back.
process_stamp() {
  local stat fields
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # The command's name, in parentheses, may hold spaces; the start time is field 22.
  read -r -a fields <<<"${stat##*) }"
  [[ ${fields[0]} != Z ]] || return 1
  echo "$(cat /proc/sys/kernel/random/boot_id) ${fields[19]}"
}

make_state_dir() {
  mkdir -p "$state_dir/run" "$state_dir/log"
}

log_of() { echo "$state_dir/log/$1.log"; }

# record_service NAME PID
record_service() {
  local stamp
  stamp=$(process_stamp "$2") || return 1
  echo "$2 $stamp" >"$state_dir/run/$1.pid"
}

# service_pid NAME: its process id if the very process that we started still runs.
service_pid() {
  local pid stamp
  read -r pid stamp 2>/dev/null <"$state_dir/run/$1.pid" || return 1
  [[ $(process_stamp "$pid") == "$stamp" ]] || return 1
  echo "$pid"
}

service_running() { service_pid "$1" >/dev/null; }

# remember NAME VALUE, recall NAME: small facts about a running service, such as its port.
remember() { echo "$2" >"$state_dir/run/$1"; }
recall() { cat "$state_dir/run/$1" 2>/dev/null; }

# start_daemon NAME COMMAND...: in a session of its own, so that a Ctrl-C here does not reach it.
start_daemon() {
  local name=$1 log
  shift
  log=$(log_of "$name")
  [[ ! -s $log ]] || mv "$log" "$log.before"
  # 9 is the lock of the script (see `take_lock`), which the service must not keep.
  setsid "$@" >"$log" 2>&1 </dev/null 9>&- &
  record_service "$name" $! || true
}

# wait_for NAME SECONDS COMMAND...: until COMMAND succeeds; fails with the log's end if the service
# dies or the time is over.
wait_for() {
  local name=$1 limit=$((SECONDS + $2)) seconds=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ! service_running "$name"; then
      show_tail "$(log_of "$name")"
      fail "$name ended while it started" "the reason should be in $(log_of "$name")"
    fi
    if ((SECONDS >= limit)); then
      show_tail "$(log_of "$name")"
      fail "$name was not ready after $seconds s" "its log: $(log_of "$name")" \
        "if the machine is only slow, run this script again: what runs is kept"
    fi
    sleep 0.1
  done
}

# stop_service NAME SIGNAL SECONDS: true if it was running. Kills it if the signal does not help.
stop_service() {
  local name=$1 pid limit=$((SECONDS + $3))
  if ! pid=$(service_pid "$name"); then
    rm -f "$state_dir/run/$name.pid"
    return 1
  fi
  kill -s "$2" "$pid" 2>/dev/null || true
  while service_running "$name"; do
    if ((SECONDS >= limit)); then
      say "$name did not stop within $3 s and is killed"
      kill -s KILL "$pid" 2>/dev/null || true
      limit=$((SECONDS + 10))
    fi
    sleep 0.05
  done
  rm -f "$state_dir/run/$name.pid"
}

listening() {
  [[ -n $(ss -Hltn "sport = :$1") ]]
}

# port_holder PORT: who listens there, as far as this user may see it.
port_holder() {
  local holder
  holder=$(ss -Hltnp "sport = :$1" | sed -n 's/.*users:((\("[^"]*"\),pid=\([0-9]*\).*/process \1 (pid \2)/p' | head -n 1)
  echo "${holder:-another process (its name is hidden from this user)}"
}

# need_port PORT WHAT VARIABLE: fails if somebody else has it.
need_port() {
  ! listening "$1" || fail "port $1, wanted for $2, is taken by $(port_holder "$1")" \
    "stop it, or choose another port: $3=<port> $0"
}

# pick_ports COUNT: free ones below the range that the kernel gives to clients.
pick_ports() {
  local port
  local -A taken=()
  while ((${#taken[@]} < $1)); do
    port=$((10000 + RANDOM % 20000))
    if [[ -z ${taken[$port]:-} ]] && ! listening "$port"; then
      taken[$port]=1
      echo "$port"
    fi
  done
}

# take_lock: two scripts must not start or stop the same services at once.
take_lock() {
  exec 9>"$state_dir/run/lock"
  flock -n 9 || fail "another tools/dev script works on $state_dir right now" "wait until it is done"
}
